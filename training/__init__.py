"""How the weights of the cross-encoder in `bottega.core.readers` are made; see README.md."""
