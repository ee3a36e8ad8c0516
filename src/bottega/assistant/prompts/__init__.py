"""What models are asked beside the loop: one task a file."""
