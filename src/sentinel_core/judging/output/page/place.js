// Where the reader is: goes to an element, and keeps what is in sight where it is.
const SETTLES = 12; // frames: what is drawn late changes the heights above
const STEP = 24;

// Does something to the place of the page now and in the next frames, until the reader does anything or something else is to be in sight.
let settling = 0;
const settle = (keep) => {
  settling += 1;
  const mine = settling;
  const again = (left) => {
    if (mine !== settling) return;
    keep();
    if (left) requestAnimationFrame(() => again(left - 1));
  };
  again(SETTLES);
};
for (const event of ["wheel", "touchmove", "pointerdown", "keydown"]) addEventListener(event, () => { settling += 1; }, { capture: true, passive: true });

const focusOn = (element) => {
  if (!element) return;
  element.focus({ preventScroll: true });
  const message = element.closest(".message");
  settle(() => {
    (message ?? element).scrollIntoView({ block: message?.clientHeight > innerHeight ? "start" : "center" });
    element.scrollIntoView({ block: "nearest" });
  });
};

const PLACES = ".message, .stretch > summary";

const isInSight = (element, under) => {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > under && top < innerHeight;
};

// What the reader looks at: the message with the focus or the hit if it is in sight, or the first one below the bars.
const inSight = (list, under, hit = null) => {
  const seen = [document.activeElement?.closest(PLACES), hit].find((element) => element && list.contains(element) && isInSight(element, under));
  if (seen) return seen;
  const { left, width } = list.getBoundingClientRect();
  for (let y = under + 2; y < innerHeight; y += STEP) {
    const found = document.elementFromPoint(left + width / 2, y)?.closest(PLACES);
    if (found && list.contains(found)) return found;
  }
  return null;
};

// Does something to a list of messages while what is in sight stays there; of what is folded away its stretch takes the place.
const keepPlace = (list, bar, change) => {
  const seen = inSight(list, bar.getBoundingClientRect().bottom);
  const top = seen?.getBoundingClientRect().top;
  const isFocused = seen?.contains(document.activeElement);
  change();
  if (!seen) return;
  const shown = seen.closest("details.stretch:not([open])")?.querySelector("summary") ?? seen;
  if (isFocused && shown !== seen) shown.focus({ preventScroll: true });
  settle(() => scrollBy(0, shown.getBoundingClientRect().top - top));
};
