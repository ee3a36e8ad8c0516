"""What turns leave behind: the events of one turn, and rows of figures for research."""
