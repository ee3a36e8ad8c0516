"""How a plugin wants its agents played when no model is there: `offline/*.md` in its folder.

A playbook is named after a command or an agent. Its frontmatter says what to look for and its body
is the template of the answer, so that all that is about a subject stands in the plugin.
"""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bottega.assistant.plugins.definition import Plugin
from bottega.core.definitions import Document, parse_document
from bottega.core.definitions.folders import DefinitionFolder

FOLDER = "offline"
#: What becomes of a section that a person wants changed, for all playbooks of the plugin.
CHANGES = "changes"

Phrase = Annotated[str, Field(min_length=1, max_length=100)]
Phrases = Annotated[list[Phrase], Field(max_length=100)]
Minutes = Annotated[int, Field(ge=1, le=600)]


class PlaybookPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Play(StrEnum):
    #: Fill the template.
    DRAFT = "draft"
    #: Change a document that is there: a file, or what was drafted before.
    REFINE = "refine"
    #: Hold a document against a list of checks.
    CHECKLIST = "checklist"
    #: Look for what rules name in code that is given.
    RULES = "rules"


class SourceKind(StrEnum):
    """Where a list takes its statements from."""

    CLASS = "class"
    TOPICS = "topics"
    PERSON = "person"
    MEMORY = "memory"
    SKILLS = "skills"


class ListOf(PlaybookPart):
    """Statements for an `{each:…}` of the template, the nearest to the request first."""

    source: SourceKind = Field(alias="from")
    most: int = Field(3, ge=1, le=20)
    #: Only those that have one of these.
    words: Phrases = []
    #: Only those below a heading that has one of these.
    under: Phrases = []
    #: Only those in which something looks like this example, such as the code of an outcome.
    like: str | None = Field(None, min_length=2, max_length=40)
    avoid: Phrases = []
    #: Statements with the text on the right come first where the class's profile says what is on
    #: the left.
    prefer: dict[Phrase, Phrase] = {}


class TimedPart(PlaybookPart):
    """A part of the whole time."""

    of: Minutes = 5
    least: Minutes = 3
    most: Minutes = 600
    #: The part that takes what the others leave.
    takes_rest: bool = False
    #: Minutes if what is known has one of the phrases.
    when: dict[Phrase, Minutes] = {}


class Timing(PlaybookPart):
    #: Minutes, unless the person or their files say otherwise.
    whole: Minutes = 50
    #: Words by which a statement about the whole is known: `period*`.
    words: Phrases = []
    parts: dict[str, TimedPart]


class SkillReading(PlaybookPart):
    """A skill, or one of its files, that is read where it matters."""

    when: Phrases = []
    read: str = Field(max_length=200)


class PlaybookCheck(PlaybookPart):
    title: str = Field(max_length=200)
    #: Found if a heading has one of these, or if the text has one of those.
    sections: Phrases = []
    words: Phrases = []
    #: Asked only if the class's profile has one of these.
    needed_for: Phrases = []
    #: Found if the timings of the sections add up.
    timings: bool = False
    #: Found if something is quoted from the workspace.
    evidence: bool = False
    advice: str = Field(max_length=500)


class Rule(PlaybookPart):
    note: str = Field(max_length=500)
    weight: Literal["must", "should", "could"] = "should"
    #: A line that has one of these, to the letter, and none of those.
    has: list[Annotated[str, Field(min_length=1, max_length=100)]] = []
    lacks: list[Annotated[str, Field(min_length=1, max_length=100)]] = []
    longer_than: int | None = Field(None, ge=20, le=1000)
    #: Ends of file names; all files without.
    files: list[str] = []


class PlaybookMeta(PlaybookPart):
    plays: Play = Play.DRAFT
    #: What kind of skills helps here, in a few words.
    about: str = Field("", max_length=500)
    skills: int = Field(3, ge=0, le=5)
    #: Read before those that are only near.
    first: list[SkillReading] = []
    #: Files of the skills that were read.
    deeper: list[SkillReading] = []
    flags: dict[str, Phrases] = {}
    lists: dict[str, ListOf] = {}
    timing: Timing | None = None
    checks: list[PlaybookCheck] = []
    rules: list[Rule] = []
    #: For an agent with an `outputSchema`: its shape, with values of the template in its texts;
    #: `each: needs` in an object makes a list of such objects.
    output: dict[str, Any] = {}


class ChangesMeta(PlaybookPart):
    #: What a person's words ask for: `shorter: [short*, brief*]`.
    effects: dict[str, Phrases]


Playbook = Document[PlaybookMeta]
Changes = Document[ChangesMeta]


def find_playbook(plugin: Plugin, *names: str) -> Playbook | None:
    """The first that there is; a broken one is a `DocumentError` with its place. Blocks."""
    folder = DefinitionFolder(plugin.folder)
    for name in names:
        path = f"{FOLDER}/{name}.md"
        if (text := folder.read_if_there(path)) is not None:
            return parse_document(text, path, PlaybookMeta)
    return None


def find_changes(plugin: Plugin) -> Changes | None:
    path = f"{FOLDER}/{CHANGES}.md"
    text = DefinitionFolder(plugin.folder).read_if_there(path)
    return None if text is None else parse_document(text, path, ChangesMeta)
