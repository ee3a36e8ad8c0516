"""What the room asks a model, one task a file."""
