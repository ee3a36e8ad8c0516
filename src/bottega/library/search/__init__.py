"""Finding paragraphs, and telling when a library has no answer to a question."""
