"""Where links into a document may lead."""

import re
from pathlib import Path


def anchors(document: Path) -> set[str]:
    """Those of the headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
