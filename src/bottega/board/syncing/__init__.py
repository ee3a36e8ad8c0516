"""Files and rows brought together. Files are the truth; no text of a person's is ever lost."""
