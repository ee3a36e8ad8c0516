"""Sessions of the assistant: what was asked, said and decided in them."""
