"""What sentences say, from their words alone: no trace."""
