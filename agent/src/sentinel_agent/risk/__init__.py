"""A release's risk by documented rules over its summary: pure, and the same for every provider."""
