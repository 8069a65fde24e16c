"""What ``sentinel receive`` takes and says."""
