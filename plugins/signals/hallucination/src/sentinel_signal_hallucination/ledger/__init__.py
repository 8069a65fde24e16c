"""What the record shows, and what in it answers a statement: no rule."""
