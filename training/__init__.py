"""How the weights of the readers in `bottega.core.readers` are made; see README.md."""
