"""JavaScript and TypeScript, JSX included, read with tree-sitter, which goes on after errors."""
