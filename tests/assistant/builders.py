"""Plugins for the assistant, and its room with those that ship."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from tests.app import App, open_app


def open_assistant(root: Path) -> AbstractAsyncContextManager[App]:
    """The room, offline."""
    return open_app(root, "assistant")


#: A small plugin with everything in it; a test writes over what it is about.
SAMPLE: Mapping[str, str] = {
    "CLAUDE.md": "Write British English.\n",
    "agents/planner.md": """---
model: claude-sonnet-4-5
provider: anthropic
description: Drafts lessons with the teacher.
workspace: [teacher.md, pedagogy.md]
skills: [backward-design, retrieval]
hooks: [feedforward]
handoffs: [reviewer]
---
Draft the lesson that is asked for.
""",
    "agents/reviewer.md": """---
model: claude-sonnet-4-5
provider: anthropic
description: Reads a draft with a critical eye.
---
Review the draft.
""",
    "commands/create-lesson.md": """---
agent: planner
description: Draft a lesson for a class.
writes: lessons/{class}/{date}-{slug}.md
---
The teacher wants a whole lesson.
""",
    "skills/backward-design/SKILL.md": """---
name: backward-design
description: Plan from the end. Decide what pupils should be able to do, then how to see it.
---
# Backward design

Start with the outcome.
""",
    "skills/backward-design/examples.md": "# Examples\n\nA lesson on loops.\n",
    "skills/retrieval/SKILL.md": """---
description: Begin with what was learned before.
---
Ask three questions about last week.
""",
    "workspace/soul.md": "You draft; the teacher decides.\n",
    "workspace/teacher.md": "# Teacher\n\nTeaches Computing and Maths.\n",
    "workspace/pedagogy.md": "# Pedagogy\n\nPrefers pair work.\n",
    "workspace/classes/2A.md": "# Class 2A\n\nSubject: French. Lively.\n",
    "workspace/classes/3B.md": "# Class 3B\n\nSubject: Computing Science. Two EAL pupils.\n",
    "workspace/curriculum/cfe-computing.md": """# Computing Science

## Third level
Designs programs with selection and iteration.
""",
    "workspace/curriculum/cfe-french.md": "# French\n\nTalks about family and daily routine.\n",
    "workspace/curriculum/cfe-maths.md": "# Maths\n\nSolves equations and works with fractions.\n",
}


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def put_plugin(place: Path, name: str = "lessons", files: Mapping[str, str] | None = None) -> Path:
    """The sample plugin below `place`, with these files put over it."""
    return write_files(place / name, {**SAMPLE, **(files or {})})
