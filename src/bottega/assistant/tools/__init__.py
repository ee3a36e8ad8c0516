"""The tools that agents have: files, memory, sessions, skills, tasks, sources, a shell."""
