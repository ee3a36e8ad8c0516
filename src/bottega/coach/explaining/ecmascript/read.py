"""From a selection of JavaScript or TypeScript to facts."""

from collections.abc import Iterator
from dataclasses import replace

from bottega.coach.explaining.ecmascript.concepts import show_concepts
from bottega.coach.explaining.ecmascript.flow import tell_flow
from bottega.coach.explaining.ecmascript.fragment import Fragment, parse, parse_whole
from bottega.coach.explaining.ecmascript.imports import imports_of
from bottega.coach.explaining.ecmascript.names import tell_names
from bottega.coach.explaining.ecmascript.risks import coroutines_in, warn_of_risks
from bottega.coach.explaining.ecmascript.steps import take_step
from bottega.coach.explaining.ecmascript.walk import walk
from bottega.coach.explaining.facts import Facts, Findings, Import, Topic
from bottega.coach.explaining.selection import Grammar


def read(text: str, context: str, grammar: Grammar) -> Facts:
    around = parse_whole(context, grammar)
    fragment = parse(text, around, grammar)
    nodes = list(walk(fragment))
    coroutines = coroutines_in(fragment) | coroutines_in(around)
    findings = Findings()
    for node, place in nodes:
        tell_flow(node, place, fragment, findings)
        show_concepts(node, place, fragment, findings)
        warn_of_risks(node, place, fragment, coroutines, findings)
        take_step(node, place, fragment, findings)
    imports = [found for _, found in imports_of(around)]
    tell_names(nodes, fragment, {found.name for found in imports}, findings)
    used = set(findings.about(Topic.READS))
    return findings.facts(_brought(fragment, imports, used), fragment.note)


def _brought(fragment: Fragment, imports: list[Import], used: set[str]) -> Iterator[Import]:
    """The imports in the selection, and those around it whose names it uses."""
    seen: set[tuple[str, str]] = set()
    own = [found for node, found in imports_of(fragment) if fragment.holds(node)]
    for found in [*own, *(found for found in imports if found.name in used)]:
        key = (found.name, found.module)
        if key not in seen:
            seen.add(key)
            yield replace(found, is_used=found.name in used)
