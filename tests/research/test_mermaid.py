"""Mermaid diagrams: what is right passes, what is wrong is named with its place.

The verdicts are those of Mermaid 12 itself; only lines without end are our own to refuse.
"""

import re

import pytest

from bottega.research.external_agents.mermaid import validate_mermaid

#: One after the other, each under a line with its kind.
VALID = r"""
=== flowchart
graph TD
A-->B
=== flowchart
flowchart LR
 A[Start] --> B{Is it?}
 B -- Yes --> C((OK))
 B --No--> D[(Store)]
=== flowchart
flowchart TD; A-->|one| B & C; B-.->D; C==>D
=== flowchart
flowchart TB
 subgraph one [First]
 direction LR
 a1-->a2
 end
 one --> two
=== flowchart
flowchart LR
 a>flag] --- b{{hex}} --o c[/in/] --x d[\out\] <--> e([pill])
=== flowchart
flowchart LR
 A -. maybe .-> B
 A == sure ==> C
 A ~~~ D
 A x--x B
=== flowchart
flowchart TD
 A:::hot --> B
 classDef hot fill:#f96,color:#fff
 style B fill:#bbf
=== flowchart
flowchart TD
 A["with (all) [of] {them}"] --> B["`two
 lines`"]
 B --> C
=== flowchart
flowchart TD
 A@{ shape: doc, label: "File" }
 A e1@--> B
 e1@{ animate: true }
=== flowchart
flowchart TD
 A[Hello; world] --> B[50% done: yes!]
 linkStyle 0 stroke:#f00
=== flowchart
---
title: T
---
%%{init: {"theme": "dark"}}%%
graph LR
 %% note
 Ä[Ü] --> 日本
=== flowchart
flowchart TD
 A --> B
 click A "https://example.com" "tip" _blank
 click B call go()
=== flowchart
flowchart TD
 accTitle: For readers
 accDescr {
 two
 lines
 }
 A --> B
=== sequence
sequenceDiagram
 Alice->>+John: Hello, how are you?
 John-->>-Alice: Great!
=== sequence
sequenceDiagram
 participant A as Alice Long
 actor B
 A->>+B: x
 Note over A,B: y
=== sequence
sequenceDiagram
 loop always
 A-)B: z
 end
 alt one
 A-xB: w
 else two
 A--xB: v
 end
=== sequence
sequenceDiagram
 par a
 A->>B: x
 and b
 A->>C: y
 end
 rect rgb(1, 2, 3)
 A->>B: z
 end
=== sequence
sequenceDiagram
 autonumber
 A->>B: I #9829; you
 create participant C
 B->>C: new
 destroy C
=== sequence
sequenceDiagram
 critical a
 A-->B: x
 option b
 A-->B: y
 end
 break c
 A-->B: z
 end
=== class
classDiagram
 Animal <|-- Duck
 Animal : +int age
 class Duck{
 +String beak
 +swim() bool
 }
=== class
classDiagram
 A "1" --> "*" B : owns
 C ..|> D
 E *-- F
 <<interface>> A
=== class
classDiagram
 namespace N {
 class T~int~
 }
 note for T "can fly"
 class L["A label"]
=== state
stateDiagram-v2
 [*] --> Still
 Still --> Moving : go %% soon
 Moving --> [*]
=== state
stateDiagram-v2
 state Big {
 [*] --> a
 --
 [*] --> b
 }
 state c <<choice>>
 Big --> c
=== state
stateDiagram
 direction LR
 state "Long" as s
 note right of s
 two
 lines
 end note
=== er
erDiagram
 CUSTOMER ||--o{ ORDER : places
 ORDER }|..|{ LINE-ITEM : contains
=== er
erDiagram
 CUSTOMER {
 string name PK "the name"
 int[] n FK, UK
 }
 A 1 to many(0) B : has
=== gantt
gantt
 title Plan
 dateFormat YYYY-MM-DD
 section A
 First :done, a1, 2026-01-01, 30d
 Second : after a1, 2w
=== pie
pie showData title Pets
 "Dogs" : 386
 "Cats" : 85.5
=== mindmap
mindmap
 root((Map))
  Origins
   ::icon(fa fa-book)
   [Long history]
  Tools
   a)cloud(
"""


def diagrams() -> list[tuple[str, str]]:
    found = re.split(r"^=== (\w+)\n", VALID, flags=re.MULTILINE)[1:]
    return list(zip(found[::2], found[1::2], strict=True))


@pytest.mark.requirement("RS-680")
@pytest.mark.parametrize(("kind", "diagram"), diagrams())
def test_diagrams_that_mermaid_draws_are_valid(kind: str, diagram: str) -> None:
    """Every kind, with what people use of it."""
    report = validate_mermaid(diagram)
    assert (report.problems, report.diagram, report.checked) == ([], kind, "syntax")


@pytest.mark.requirement("RS-680")
@pytest.mark.parametrize(
    ("diagram", "line", "said"),
    [
        ("", 1, "empty"),
        ("%% only a comment", 1, "empty"),
        ("flow TD\nA-->B", 1, "no kind of diagram"),
        ("graph XX\nA-->B", 1, "direction"),
        ("flowchart TD\n A-->B\n B[Text --> C", 3, "not closed"),
        ("flowchart TD\n A-->B\n B --> ", 3, "node is expected"),
        ("flowchart TD\n A[te(x)t] --> B", 2, "in quotes"),
        ("flowchart TD\n A -> B", 2, "a link"),
        ("flowchart TD\n A B C", 2, "a link"),
        ('flowchart TD\n A["open] --> B', 2, "not closed"),
        ("flowchart TD\n\n end --> B", 3, "node is expected"),
        ("flowchart TD\n A --> end", 2, "node is expected"),
        ("flowchart TD\n subgraph one\n A-->B", 2, "not closed"),
        ("flowchart TD\n A-->B\n end", 3, "closes nothing"),
        ("flowchart TD\n A -->|text B", 2, "not closed"),
        ("flowchart TD\n classDef", 2, "no statement"),
        ('flowchart TD\n A["two\n lines"] --> B\n C -> D', 4, "a link"),
        ("---\ntitle: T\n---\nflowchart TD\n A -> B", 5, "a link"),
        ("sequenceDiagram\n A->>B: x\n A->>B", 3, "after a colon"),
        ("sequenceDiagram\n Alice John: hi", 2, "no statement"),
        ("sequenceDiagram\n loop x\n A->>B: y", 2, "not closed"),
        ("sequenceDiagram\n A->>B: y\n end", 3, "closes nothing"),
        ("sequenceDiagram\n loop x\n else y\n A->>B: z\n end", 3, "no statement"),
        ("classDiagram\n class A {\n +x", 2, "not closed"),
        ("classDiagram\n A <|-- B\n A => B", 3, "no statement"),
        ("classDiagram\n }", 2, "closes nothing"),
        ("stateDiagram-v2\n [*] -> A", 2, "no statement"),
        ("stateDiagram-v2\n state A {\n [*] --> B", 2, "not closed"),
        ("stateDiagram-v2\n note left of A\n text", 2, "not closed"),
        ("erDiagram\n A ||--o{ B", 2, "no statement"),
        ("erDiagram\n A {\n string\n }", 3, "type and a name"),
        ("erDiagram\n A {\n string s", 2, "not closed"),
        ("gantt\n section A\n Task", 3, "no statement"),
        ('pie\n "Dogs" : many', 2, "a slice"),
        ('pie\n "Dogs" : -3', 2, "negative"),
        ("pie\n Dogs : 3", 2, "a slice"),
        ("mindmap\n root\n other", 3, "one root"),
        ("mindmap\n root\n  a[b", 3, "brackets"),
        ("flowchart TD\n A --> B" + "x" * 2_000, 2, "over 2000"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(diagram: str, line: int, said: str) -> None:
    """The line as the person counts it, and why."""
    report = validate_mermaid(diagram)
    assert not report.valid
    assert report.problems[0].line == line
    assert said in report.problems[0].message


@pytest.mark.requirement("RS-680")
def test_columns_and_all_problems_are_told() -> None:
    """Where in the line, and not only the first."""
    report = validate_mermaid("flowchart TD\n  A --> B[x\n  C --> D\n  E ->F; G --> H")
    assert [(each.line, each.column) for each in report.problems] == [(2, 10), (4, 5)]


@pytest.mark.requirement("RS-681")
@pytest.mark.parametrize(
    "diagram", ["journey\n title x", "gitGraph\n commit", "timeline\n title x", "C4Context\n x"]
)
def test_a_kind_that_is_known_by_name_is_said_to_be_checked_by_its_header(diagram: str) -> None:
    """Nobody is told that it was parsed."""
    report = validate_mermaid(diagram)
    assert (report.valid, report.checked) == (True, "header")


@pytest.mark.requirement("RS-680")
@pytest.mark.parametrize(
    "line",
    ["A->" * 660, "A--" * 660, "A[(" * 660, "class " + "a," * 900, '"' * 1999, "a:::" * 490],
)
@pytest.mark.parametrize("kind", ["flowchart TD", "sequenceDiagram", "classDiagram", "erDiagram"])
def test_hostile_lines_take_no_time(kind: str, line: str) -> None:
    """No pattern runs away; without that guard one of these takes minutes."""
    report = validate_mermaid(f"{kind}\n{line}")
    assert report.diagram is not None
