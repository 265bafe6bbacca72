"""Claims that need no data."""
