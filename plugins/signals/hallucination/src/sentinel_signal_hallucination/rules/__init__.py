"""From what is said and what is on record to findings; each way to one has a name."""
