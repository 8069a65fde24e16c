"""How risky a release is, by documented rules over its summary: pure, and the same for every provider."""
