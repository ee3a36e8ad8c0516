"""Text as every room handles it: words, stems, rarity; sentences, excerpts, tokens."""
