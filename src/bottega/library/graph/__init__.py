"""What leads from one paragraph to another."""
