"""Reports for people and for programs. Nothing of a trace reaches a terminal raw."""
