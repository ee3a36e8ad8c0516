"""What pupils will read suits their age, or it is stopped or noted."""

from pathlib import Path

import pytest

from bottega.assistant.guardrails.suitability import (
    Aspect,
    Severity,
    judge,
    parts_of,
    reading_level,
    syllables,
    year_group,
)
from bottega.assistant.hooks.age_appropriate import AgeAppropriate, AgeFinding, AgeReview
from bottega.assistant.loop.hooks import HookAbort
from bottega.errors import ModelError
from tests.assistant.guardrail_sets import HELD_OUT, TUNING, age_figures, pupil_texts
from tests.assistant.hook_turns import TurnApp, open_turn

S1 = {"workspace/classes/3B.md": "# 3B\n\n- S1, ages 11 to 13. Two EAL pupils.\n"}
EASY = "Read the program. What does it print? Change one number and run it again. " * 3
HARD = (
    "Notwithstanding considerable historiographical disagreement concerning the comparative "
    "significance of structural determinants, the precipitation of hostilities is conventionally "
    "attributed to the assassination, the consequent ultimatum and inflexible mobilisation "
    "arrangements to which continental governments had irrevocably committed themselves."
)
RATHER_HARD = (
    "A variable is a named location in the memory of the computer that contains a value which may "
    "be modified during the execution of a program. When the program encounters an assignment, the "
    "expression on the right is evaluated first and the result is stored in the variable on the "
    "left."
)


def severities(text: str, age: int) -> list[Severity]:
    return [concern.severity for concern in judge(text, age)]


def notes(app: TurnApp) -> list[str]:
    return [each.text for each in app.turn.context.feedback]


@pytest.mark.requirement("AS-315")
@pytest.mark.parametrize(
    ("profile", "ages"),
    [
        ("- S3, ages 13 to 15. Computing.", (13, 15)),
        ("A class of 12-year-olds", (12, 12)),
        ("Pupils aged 11–12", (11, 12)),
        ("Year group: S1", (11, 13)),
        ("Primary 7, lively", (10, 12)),
        ("P4", (7, 9)),
        ("Year 9 set 2", (13, 14)),
        ("Grade 8", (13, 14)),
        ("an 8th grade class", (13, 14)),
        ("KS3 French", (11, 14)),
        ("Key Stage 4", (14, 16)),
        ("A mixed class of 24. Year 10, then S5.", (14, 15)),
    ],
)
def test_the_year_group_is_read_from_the_profile(profile: str, ages: tuple[int, int]) -> None:
    """However a school calls it."""
    group = year_group(profile)
    assert group is not None
    assert (group.youngest, group.oldest) == ages


@pytest.mark.requirement("AS-315")
@pytest.mark.parametrize("profile", ["", "24 pupils, 2 EAL", "ages 99", "Class 3B in room S", "P9"])
def test_a_profile_may_name_no_year_group(profile: str) -> None:
    assert year_group(profile) is None


@pytest.mark.requirement("AS-316")
def test_syllables_are_counted_as_they_are_spoken() -> None:
    spoken = {
        1: "cake loops moved changed rules the whole",
        2: "table wanted classes create people science quiet pages poem being simple question",
        3: "video idea radio area actual",
        4: "iteration variable",
        5: "photosynthesis",
    }
    wrong = [
        (word, count, syllables(word))
        for count, words in spoken.items()
        for word in words.split()
        if syllables(word) != count
    ]
    assert wrong == []


@pytest.mark.requirement("AS-316")
def test_longer_sentences_and_words_take_an_older_reader() -> None:
    """And a text that is too short to tell is not judged."""
    easy, rather, hard = (reading_level(text) for text in (EASY, RATHER_HARD, HARD))
    assert easy is not None
    assert rather is not None
    assert hard is not None
    assert easy.age < 9 < 15 < rather.age < hard.age
    assert reading_level("Photosynthesis notwithstanding.") is None
    with_code = f'{EASY}\n```\n{HARD}\n```\n[evidence: a.md:L1 "{HARD}"]\n'
    measured = reading_level(with_code)
    assert measured is not None
    assert measured.age == pytest.approx(easy.age)


@pytest.mark.requirement("AS-317")
def test_only_what_pupils_read_is_measured() -> None:
    """By its heading or one above it; answers and notes are the teacher's."""
    text = (
        f"# Loops\n\n## Rationale\n{HARD}\n\n## Worksheet\n{EASY}\n\n### Part B\n{EASY}\n\n"
        f"### Answers\n{HARD}\n\n## Notes for the teacher\n{HARD}\n"
    )
    theirs = [part.heading for part in parts_of(text) if part.is_for_pupils]
    assert theirs == ["Worksheet", "Part B"]
    assert judge(text, 12) == []
    assert severities(f"## Homework\n{HARD}", 12) == [Severity.ABORT]


@pytest.mark.requirement("AS-318")
def test_a_text_far_above_the_class_is_stopped_and_one_some_years_above_noted() -> None:
    assert severities(f"## Handout\n{HARD}", 13) == [Severity.ABORT]
    [concern] = judge(f"## Handout\n{RATHER_HARD}", 12)
    assert (concern.severity, concern.aspect) == (Severity.NOTE, Aspect.READING)
    assert "the class is 12" in concern.text
    assert severities(f"## Handout\n{EASY}", 12) == []


@pytest.mark.requirement("AS-319")
@pytest.mark.parametrize(
    ("text", "by_age"),
    [
        ("The soldiers were dismembered.", {9: "abort", 15: "abort", 17: "note"}),
        ("Soldiers murdered their hosts at Glencoe.", {8: "note", 13: None}),
        ("Name two kinds of contraception.", {9: "note", 15: None}),
        ("A casino has a roulette wheel. Most people lose.", {13: "note", 17: "note"}),
        ("Alcohol is harmful to children.", {9: "note", 13: None}),
        ("The text speaks of suicide. Talk to an adult you trust.", {12: "note", 17: "note"}),
        ("What the fuck is a variable?", {12: "abort", 17: "abort"}),
        ("Kill the process, execute the loop, shoot the ball.", {8: None}),
    ],
)
def test_topics_are_graded_by_age(text: str, by_age: dict[int, str | None]) -> None:
    for age, expected in by_age.items():
        assert severities(f"## Worksheet\n{text}", age) == ([expected] if expected else []), age


@pytest.mark.requirement("AS-320")
@pytest.mark.parametrize("thing", ["Vaping", "Cocaine", "Online casino betting"])
def test_what_may_be_taught_may_not_be_praised(thing: str) -> None:
    """Warnings and help tell the one from the other."""
    praised = f"## Homework\n{thing} is cool and great fun. Design an advert for it."
    taught = f"## Homework\n{thing} is dangerous and addictive. List three risks."
    assert Severity.ABORT in severities(praised, 14)
    assert Severity.ABORT not in severities(taught, 14)


@pytest.mark.requirement("AS-321")
def test_the_teachers_own_parts_may_name_hard_topics_but_not_swear() -> None:
    assert judge("## Teacher notes\nThey may ask about suicide, drugs and murder.", 9) == []
    assert severities("## Teacher notes\nThis class is shit.", 9) == [Severity.ABORT]


@pytest.mark.requirement("AS-322")
def test_pupils_are_spoken_to_with_respect() -> None:
    """Insults are stopped; talking down to older ones is noted."""
    assert severities("## Pupil task\nIf you are stupid, do question 1.", 13) == [Severity.ABORT]
    childish = "## Worksheet\nYay, boys and girls, put on your thinking caps!"
    assert severities(childish, 15) == [Severity.NOTE]
    assert severities(childish, 8) == []


@pytest.mark.requirement("AS-323", "AS-327")
async def test_the_class_of_the_turn_decides_and_all_is_told_with_its_place(
    tmp_path: Path,
) -> None:
    """From its profile; what stops it and what is only noted, and the trace."""
    output = (
        f"# Loops\n\n## Handout\n{RATHER_HARD}\n\n## Homework\n\nGet drunk, it is fun.\n\n"
        "## Exit ticket\nOnly an idiot fails.\n"
    )
    async with open_turn(tmp_path, output=output, files=S1) as app:
        with pytest.raises(HookAbort) as stopped:
            await app.after(AgeAppropriate())
        [span] = await app.spans("age check")
        noted = notes(app)
    lines = stopped.value.reason.splitlines()
    assert lines[0] == "Not for pupils of ages 11 to 13:"
    assert lines[1].startswith("- line 8, “Homework”: “Get drunk”")
    assert lines[2].startswith("- line 11, “Exit ticket”: “idiot” (insults)")
    assert noted[0].startswith("line 3, “Handout”: reads like a text for adults")
    assert span.attributes["bottega.age.youngest"] == 11
    assert span.attributes["bottega.age.concerns"].count('"severity": "abort"') == 2


@pytest.mark.requirement("AS-323")
async def test_a_suitable_output_goes_on_without_a_word(tmp_path: Path) -> None:
    async with open_turn(tmp_path, output=f"## Worksheet\n{EASY}", files=S1) as app:
        assert await app.after(AgeAppropriate()) is None
        assert notes(app) == []


@pytest.mark.requirement("AS-324")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("a lesson on loops", "No class is named"),
        ("a lesson on loops for 3B", "classes/3B.md names no year group"),
    ],
)
async def test_where_no_age_is_known_that_is_said(tmp_path: Path, said: str, told: str) -> None:
    """And what suits no pupil is stopped all the same."""
    async with open_turn(tmp_path, said=said, output=f"## Worksheet\n{HARD}") as app:
        await app.after(AgeAppropriate())
        [note] = notes(app)
        assert told in note
        app.turn.output = "## Worksheet\nWhat the fuck?"
        with pytest.raises(HookAbort, match="any year group"):
            await app.after(AgeAppropriate())


@pytest.mark.requirement("AS-317")
async def test_an_agent_that_writes_for_pupils_is_read_as_a_whole(tmp_path: Path) -> None:
    """Its description says so, its headings need not."""
    agent = (
        "---\nmodel: m\nprovider: anthropic\ndescription: {}\nskills: [retrieval]\n"
        "handoffs: [reviewer]\n---\nWrite.\n"
    )
    output = f"# Loops\n\n{HARD}\n"
    for number, (says, is_stopped) in enumerate(
        (("Makes one pupil-facing resource.", True), ("Drafts lessons.", False))
    ):
        files = {**S1, "agents/planner.md": agent.format(says)}
        async with open_turn(tmp_path / str(number), output=output, files=files) as app:
            if is_stopped:
                with pytest.raises(HookAbort, match="reads like a text for adults"):
                    await app.after(AgeAppropriate())
            else:
                await app.after(AgeAppropriate())


@pytest.mark.requirement("AS-325")
async def test_a_model_adds_what_lists_miss_if_it_stands_there(tmp_path: Path) -> None:
    """It counts only with words that are really in the text."""
    output = "## Worksheet\nDownload a tool and break into your neighbour's wifi."
    quote, concern = "break into your neighbour's wifi", "That is a crime."
    finding = AgeFinding(quote=quote, concern=concern, severity=Severity.ABORT)
    made_up = finding.model_copy(update={"quote": "steal a car"})
    for number, (found, is_stopped) in enumerate(((finding, True), (made_up, False))):
        steps = [AgeReview(findings=[found])]
        async with open_turn(tmp_path / str(number), output=output, files=S1, steps=steps) as app:
            if is_stopped:
                with pytest.raises(HookAbort, match="That is a crime"):
                    await app.after(AgeAppropriate())
            else:
                await app.after(AgeAppropriate())


@pytest.mark.requirement("AS-325")
async def test_a_model_dismisses_what_is_harmless_there_but_not_what_suits_no_age(
    tmp_path: Path,
) -> None:
    steps = [AgeReview(dismissed=[1, 2, 3])]
    harmless = "## Worksheet\nThe play is about a cruel beheading in 1587."
    async with open_turn(tmp_path / "1", output=harmless, files=S1, steps=steps) as app:
        await app.after(AgeAppropriate())
    swearing = "## Worksheet\nWhat the fuck is a variable?"
    async with open_turn(tmp_path / "2", output=swearing, files=S1, steps=steps) as app:
        with pytest.raises(HookAbort, match="strong language"):
            await app.after(AgeAppropriate())


@pytest.mark.requirement("AS-325")
async def test_a_model_that_fails_leaves_the_lists_to_judge(tmp_path: Path) -> None:
    output = "## Worksheet\nThe play is about a cruel beheading in 1587."
    steps = [ModelError("no")] * 2
    async with open_turn(tmp_path, output=output, files=S1, steps=steps) as app:
        with pytest.raises(HookAbort, match="graphic violence"):
            await app.after(AgeAppropriate())


@pytest.mark.requirement("AS-326")
def test_suitable_texts_pass_and_most_unsuitable_ones_are_stopped() -> None:
    """Of the labelled texts."""
    labelled = pupil_texts()
    assert len(labelled) >= 80
    for split, precision, recall in ((TUNING, 0.95, 0.9), (HELD_OUT, 0.85, 0.75)):
        figures = age_figures(each for each in labelled if each.split == split)
        assert figures.precision >= precision
        assert figures.recall >= recall
        assert figures.wrongly_stopped <= 0.05
