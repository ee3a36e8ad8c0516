"""Finding paragraphs, and knowing when there is nothing to find."""
