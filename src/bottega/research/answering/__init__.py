"""From judged claims to what a person reads: the gate, the document, its links."""
