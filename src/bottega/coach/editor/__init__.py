"""The editor of one person: files and unsaved edits, open tabs, what the coach shows in it."""
