"""What a library holds: tables, queries, and the indexes by which paragraphs are found."""
