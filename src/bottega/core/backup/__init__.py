"""Everything in one file, taken while the server runs; and back, keeping what was there before."""
