"""Knowledge bases made of a person's own documents, to search and to cite from."""
