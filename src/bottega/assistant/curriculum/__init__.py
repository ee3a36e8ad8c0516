"""What a text claims about a curriculum, and the specifications it can be checked against."""
