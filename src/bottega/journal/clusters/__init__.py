"""Groups of similar experiences, on each axis of comparison."""
