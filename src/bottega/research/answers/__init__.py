"""From judged claims to what a person reads: filtered, labelled, composed, written."""
