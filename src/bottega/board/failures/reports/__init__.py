"""Test reports of every format we know, read into one shape. Nothing here knows of a database."""
