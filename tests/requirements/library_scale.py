"""Large libraries, and the manual of somebody else: what the room is done by."""

REQUIREMENTS = {
    "LB-601": "Uploads wait in the database for the ingest that takes them, and no longer.",
    "LB-602": "How far an ingest is costs the same to ask at its end as at its beginning.",
    "LB-603": "Nobody waits for the edges of a large library: a run makes them, and walks look "
    "around for themselves until it has.",
    "LB-604": "The stream of an ingest counts among the server's streams.",
    "LB-605": "In a large collection the best hits are found without ranking everything that has "
    "a frequent word of the query.",
    "LB-606": "A library of a manual that nobody here wrote answers by search, hops and citations "
    "with references that lead to the place in the file.",
    "LB-607": "The demonstration makes a library, searches it, and tells a true claim from a false "
    "one.",
}
