"""A person's own context: who they are, whom they teach, what they teach."""
