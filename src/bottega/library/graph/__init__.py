"""The graph of a library: which paragraphs lead to which, by citation, numbering and meaning."""
