"""The queries of the board; the caller opens and commits the transaction."""
