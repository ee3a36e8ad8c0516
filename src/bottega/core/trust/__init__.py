"""What an agent may do, the credentials it may use, and redaction of what is logged and kept."""
