"""What is done at the nine points of the loop."""
