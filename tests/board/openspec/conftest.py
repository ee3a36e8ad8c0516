"""A project whose OpenSpec directory has one spec and one change."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.board.openspec.writer import OpenSpec
from tests.board.openspec.cases import LOGIN, SIGN_IN, added, block, modified, write

PROPOSAL = """# Remember me

## Why

People sign in too often.

## What Changes

- A box to tick.
"""

TASKS = """# Tasks

## 1. Build

- [x] 1.1 Draw the box
- [ ] 1.2 Keep the session
  - [ ] 1.2.1 For a month

## 2. Prove

- [ ] 2.1 Test it
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    write(root / "openspec" / "specs" / "login", {"spec.md": LOGIN})
    write(
        root / "openspec" / "changes" / "remember-me",
        {
            "proposal.md": PROPOSAL,
            "tasks.md": TASKS,
            "design.md": "# Design\n",
            ".openspec.yaml": "schema: spec-driven\ncreated: 2026-11-02\n",
            "specs/login/spec.md": modified(SIGN_IN) + "\n" + added(block("Remember")),
        },
    )
    return root


@pytest.fixture
def project(root: Path) -> Iterator[OpenSpec]:
    project = OpenSpec(root)
    yield project
    project.close()
