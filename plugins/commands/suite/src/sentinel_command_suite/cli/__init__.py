"""What ``sentinel suite`` takes and says."""
