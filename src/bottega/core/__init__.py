"""What every room stands on. Knows no room."""
