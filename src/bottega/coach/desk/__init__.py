"""What one person has in front of them, and what the coach shows there."""
