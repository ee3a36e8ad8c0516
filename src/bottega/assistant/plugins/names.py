"""The tools and hooks that an agent's file may name."""

TOOLS = frozenset(
    {
        "read_file",
        "write_file",
        "str_replace",
        "list_directory",
        "read_skill",
        "read_memory",
        "update_memory",
        "search_sessions",
        "read_session",
        "update_tasks",
        "spawn_subagent",
        "bash",
    }
)

HOOKS = frozenset(
    {
        "scope-check",
        "age-appropriate",
        "curriculum-evidence",
        "feedforward",
        "reflection-prompt",
        "teacher-adjudication",
        "memory-capture",
    }
)
