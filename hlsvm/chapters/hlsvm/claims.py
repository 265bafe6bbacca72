"""Which claims of the documents the records bear out."""
