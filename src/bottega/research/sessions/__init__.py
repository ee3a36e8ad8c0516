"""Research sessions: the store, its mirror in files, titles, labels, import and export."""
