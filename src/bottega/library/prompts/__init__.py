"""The library's questions to models, one a file."""
