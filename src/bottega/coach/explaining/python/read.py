"""From a selection of Python to facts."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from bottega.coach.explaining.facts import Facts, Findings, Import, Topic
from bottega.coach.explaining.python.concepts import show_concepts
from bottega.coach.explaining.python.flow import tell_flow
from bottega.coach.explaining.python.fragment import parse, parse_around
from bottega.coach.explaining.python.imports import imports_of
from bottega.coach.explaining.python.names import tell_names
from bottega.coach.explaining.python.risks import coroutines_in, warn_of_risks
from bottega.coach.explaining.python.steps import take_step
from bottega.coach.explaining.python.walk import walk


def read(text: str, context: str) -> Facts:
    fragment = parse(text, context)
    nodes = list(walk(fragment))
    coroutines = coroutines_in(fragment.tree, parse_around(context))
    findings = Findings()
    for node, place in nodes:
        tell_flow(node, place, fragment, findings)
        show_concepts(node, place, findings)
        warn_of_risks(node, place, fragment, coroutines, findings)
        take_step(node, place, fragment, findings)
    tell_names([node for node, _ in nodes], fragment, findings)
    own = [node for node, _ in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    used = {*findings.about(Topic.READS)}
    brought = _brought(own, used, context, "\n".join(fragment.lines))
    return findings.facts(brought, fragment.note)


def _brought(
    own: list[ast.Import | ast.ImportFrom], used: set[str], context: str, text: str
) -> Iterator[Import]:
    """The imports in the selection, and those around it whose names it uses."""
    seen: set[tuple[str, str]] = set()
    inside = {alias.asname or alias.name.partition(".")[0] for node in own for alias in node.names}
    for found in [*imports_of(text), *imports_of(context)]:
        key = (found.name, found.module)
        if key not in seen and found.name in used | inside:
            seen.add(key)
            yield replace(found, is_used=found.name in used)
