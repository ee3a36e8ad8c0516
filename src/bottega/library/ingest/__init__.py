"""How files become documents of a library: durable runs that read, compare and store them."""
