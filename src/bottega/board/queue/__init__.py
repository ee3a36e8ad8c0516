"""The queue: changes claimed by one session at a time, and handed over whole."""
