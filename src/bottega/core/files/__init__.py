"""A project's files: sandboxed reading and writing, buffers, diffs, tree, watcher."""
