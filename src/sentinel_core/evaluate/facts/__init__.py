"""What the record shows, typed, without the language of any answer."""
