"""What was learned from working with a person, as virtual markdown files."""
