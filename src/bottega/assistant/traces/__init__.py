"""What turns leave behind for research: one row of figures a turn, as CSV or JSON Lines."""
