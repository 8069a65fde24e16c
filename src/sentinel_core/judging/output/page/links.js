// Links to places of the page, and copying them.
const copyButton = (place, what) => make("button", { type: "button", class: "copy", "data-place": place, title: "Key c" }, "copy link", make("span", { class: "unseen" }, ` to ${what}`));

// A frame in a notebook has no address to change.
const setPlace = (place) => {
  try {
    history.replaceState(null, "", place);
  } catch (error) {
    if (error.name !== "SecurityError") throw error;
  }
};

// What a link leads to, in words.
const nameOf = (place) => {
  const [, kind, key] = /([fms])([\d.]+)$/.exec(place) ?? [];
  return kind ? `${{ f: "finding", m: "message", s: "step" }[kind]} ${key}` : "this page";
};

const copyLink = async (place) => {
  setPlace(place);
  try {
    await navigator.clipboard.writeText(location.href);
    tell(`Link to ${nameOf(place)} copied`);
  } catch {
    tell("The address bar has the link");
  }
};

// Said for a moment, to those who see and to those who listen.
let leaving = 0;
const tell = (text) => {
  announce(text);
  const toast = byId("toast");
  toast.textContent = text;
  clearTimeout(leaving);
  leaving = setTimeout(() => { toast.textContent = ""; }, 2500);
};

addEventListener("click", (event) => {
  const button = event.target.closest?.("button.copy");
  if (button) copyLink(button.dataset.place);
});
