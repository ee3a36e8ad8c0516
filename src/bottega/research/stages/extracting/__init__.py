"""Answers without a model: sentences of the library that answer a question."""
