"""What a deed is done to."""

from sentinel_core.evaluate.tools import singular
from sentinel_signal_hallucination.aspects import (
    STOPS,
)
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["objects_of"]


_DULL = word_set(
    "the a an this that than these those it its your my our their his her i we you they of for to in on at by with from and or as has have "
    "had been is are was were be will successfully now just also all both fully finally already me us them him so been any some "
    "more new per under into about which would there here then both each up out i've we've it's that's you're one"
)


_SAW = word_set("found saw checked looked see noticed")
_OBJECT = 14


def objects_of(words: list[str], at: int, subject: int | None) -> frozenset[str]:
    """The nouns of the object: to the right of an active verb, to the left of a passive one."""
    picked: list[str] = []
    if subject is not None:
        for word in reversed(words[max(0, subject - _OBJECT) : subject]):
            if word in STOPS or word in ("and", "but", "so"):
                break
            picked.append(word)
    if subject is None or not picked or subject == at or picked[-1:] in (["you"], ["it"], ["everything"]):
        for word in words[at + 1 : at + 1 + _OBJECT]:
            if word in STOPS or word in ("but", "so", "because") or (word in _SAW and picked):
                break
            picked.append(word)
    return frozenset(
        singular(word)
        for word in picked
        if word not in _DULL and word[0] != "Q" and not word[0].isdigit() and word not in lemmas().done
    )
