"""Other programs' configuration files: Bottega's entry put in and taken out, all else untouched."""
