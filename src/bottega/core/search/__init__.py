"""Finding texts by their words and by their meaning, on every database that the product runs on."""
