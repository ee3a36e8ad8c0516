"""The assistant in the browser: a lesson planned through every gate, and what is around it."""

import asyncio
import re
from pathlib import Path

from playwright.async_api import Locator, Page, expect

from bottega.core.llm.testing import LoopbackApi
from tests.end_to_end.answers import expecting
from tests.end_to_end.conftest import RunningServer, Start
from tests.end_to_end.test_lesson_day import is_turn, lesson
from tests.end_to_end.web.browsing import PATIENCE, PHONE, Visit, Visitor

expect.set_options(timeout=PATIENCE)

REQUEST = "a lesson on iteration for 3B"
CORRECTION = "There are three EAL pupils now, not two."
SHORTER = "make the starter 5 minutes"
KEPT = "Five-minute starters work best for 3B."
MEMORY = "classes/3B/MEMORY.md"


def gate(page: Page, title: str) -> Locator:
    return page.get_by_role("region", name=title)


async def start(visitor: Visitor, said: str) -> Page:
    page = await visitor.go("/assistant")
    await page.get_by_role("link", name=re.compile("Use it.*Create lesson")).click()
    await page.get_by_label("What should it do?").fill(said)
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page).to_have_url(re.compile("/assistant/sessions/"))
    return page


async def test_a_lesson_is_planned_through_every_gate(server: RunningServer, visit: Visit) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/assistant")
    await expect(page.get_by_text("Nothing was asked yet.").first).to_be_visible()
    await expect(page.get_by_text("drafts are made from templates").first).to_be_visible()
    await page.get_by_role("link", name=re.compile("Use it.*Create lesson")).wait_for()
    await visitor.look_everywhere("assistant-first")
    await page.get_by_text("Agents, checks and questions").last.click()
    await expect(page.get_by_text("scope-check").first).to_be_visible()
    await page.get_by_role("link", name=re.compile("Use it.*Create lesson")).click()
    await page.get_by_role("button", name="Take the example").click()
    await expect(page.get_by_label("What should it do?")).to_have_value(REQUEST)
    await page.get_by_role("button", name="Show the prompt").click()
    await expect(
        page.get_by_role("dialog").get_by_text(re.compile("About .* tokens"))
    ).to_be_visible()
    await visitor.look("assistant-prompt")
    await page.keyboard.press("Escape")
    await page.reload()
    await expect(page.get_by_label("What should it do?")).to_have_value(REQUEST)
    await page.get_by_role("button", name="Start", exact=True).click()

    before = gate(page, "Before it begins")
    await before.get_by_label("Is something different").fill(CORRECTION)
    await visitor.look_everywhere("assistant-feedforward")
    await before.get_by_role("button", name="Go on with this correction").click()

    # The questions are answered by keyboard alone.
    questions = gate(page, "Before you judge the draft")
    await questions.get_by_role("textbox").first.focus()
    await page.keyboard.type("Yes, it fits them.")
    while await page.evaluate("document.activeElement.tagName") != "BUTTON":
        await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")

    verdict = gate(page, "Is the draft right?")
    await choose(verdict, "Starter", "Revise")
    await verdict.get_by_label("What should change? Starter").fill(SHORTER)
    await choose(verdict, "Plenary", "Alternatives")
    await page.reload()
    await expect(verdict.get_by_label("What should change? Starter")).to_have_value(SHORTER)
    await visitor.look_everywhere("assistant-adjudication")
    await verdict.get_by_role("button", name=re.compile("Revise 1, see alternatives of 1")).click()

    versions = gate(page, "Which version do you want?")
    await versions.get_by_role("radio", name=re.compile("Alternative 2")).check()
    await visitor.look("assistant-alternatives")
    await versions.get_by_role("button", name="Take “Alternative 2”").click()
    await verdict.get_by_role("button", name="Accept the section").click()

    memory = gate(page, "What should be remembered?")
    await expect(memory.get_by_role("button", name="Remember nothing")).to_be_visible()
    await memory.get_by_role("radio", name="Reword").first.check()
    await memory.get_by_label("How should it read?").first.fill(KEPT)
    await visitor.look_everywhere("assistant-memory")
    await memory.get_by_role("button", name="Remember 1 note").click()

    await expect(page.get_by_text("Saved as").first).to_be_visible()
    document = page.get_by_role("article", name="The document")
    await expect(document.get_by_text("Teach it back.").first).to_be_visible()
    await expect(document.get_by_text("accepted").first).to_be_visible()
    await visitor.look_everywhere("assistant-done")
    await page.get_by_role("link", name="Decisions").click()
    await expect(page.get_by_text(CORRECTION).last).to_be_visible()
    await page.get_by_role("link", name="Hooks").click()
    await expect(page.get_by_text("2 curriculum claims checked").last).to_be_visible()
    await visitor.look("assistant-hooks")

    await edit_the_memory(visitor)
    await find_and_go_on(visitor)


async def choose(verdict: Locator, section: str, decision: str) -> None:
    group = verdict.get_by_role("radiogroup", name=section)
    await group.get_by_role("radio", name=decision).check()


async def edit_the_memory(visitor: Visitor) -> None:
    page = visitor.page
    await page.get_by_role("link", name=MEMORY).click()
    editor = page.get_by_role("textbox", name=f"Text of memory/{MEMORY}")
    await expect(editor).to_contain_text(KEPT)
    await editor.fill(f"- {KEPT}\n- Pairs work well.\n")
    await visitor.look("assistant-memory-file")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text(f"memory/{MEMORY} is saved.").first).to_be_visible()
    await page.reload()
    await expect(editor).to_contain_text("Pairs work well.")


async def find_and_go_on(visitor: Visitor) -> None:
    page = await visitor.go("/assistant/search")
    await page.get_by_label("Words").fill("plenary")
    await page.get_by_role("button", name="Search").click()
    await expect(page.locator("mark").first).to_have_text(re.compile("plenary", re.IGNORECASE))
    await visitor.look_everywhere("assistant-search")
    await page.get_by_role("list", name="Found sessions").get_by_role("link").click()
    await page.get_by_label("Continue the conversation").fill(
        "Please hand this over to the pedagogy-reviewer for a review."
    )
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("article", name="pedagogy-reviewer says")).to_be_visible()
    await expect(page.get_by_text("pedagogy-reviewer").first).to_be_visible()
    await expect(page.get_by_role("banner").get_by_role("status")).to_have_text("Live")


async def test_files_have_versions_and_specifications_come_in(
    server: RunningServer, visit: Visit
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/assistant/workspaces/lesson-planning")
    await page.get_by_role("link", name="teacher.md").click()
    editor = page.get_by_role("textbox", name="Text of teacher.md")
    await expect(editor).to_contain_text("Periods last 50 minutes")
    await editor.fill("# Me\n")
    await expect(page.get_by_text("Not saved yet").first).to_be_visible()
    await page.reload()
    await expect(editor).to_have_text("# Me")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_text("1 earlier version").click()
    await page.get_by_role("button", name="Look").click()
    await visitor.look("assistant-version")
    await page.get_by_role("button", name="Restore this version").click()
    await expect(editor).to_contain_text("Periods last 50 minutes")
    await visitor.look_everywhere("assistant-workspace")
    visitor.expected_refusals.append("/specification")
    await page.get_by_label("A specification as PDF").set_input_files(
        {"name": "notes.pdf", "mimeType": "application/pdf", "buffer": b"no pdf"}
    )
    await expect(page.get_by_role("alert")).to_be_visible()
    shipped = server.data_dir / "workspaces" / "local" / "lesson-planning" / ".shipped.json"
    await asyncio.to_thread(shipped.write_text, "{}")
    await page.get_by_role("link", name="soul.md").click()
    await page.get_by_role("textbox", name="Text of soul.md").fill("# Mine\n")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("button", name="Take it").click()
    await expect(page.get_by_text("soul.md is the plugin's now").first).to_be_visible()


async def test_what_is_broken_out_of_scope_or_gone_is_said(
    server: RunningServer, visit: Visit
) -> None:
    broken = server.project / ".bottega" / "plugins" / "half-done"
    await asyncio.to_thread(write_a_broken_plugin, broken)
    visitor = await visit(server.url)
    trusted = await visitor.page.request.post(f"{server.url}/api/trust/plugins/half-done")
    assert trusted.ok, await trusted.text()
    page = await visitor.go("/assistant")
    await expect(page.get_by_text("commands/shorten.md").first).to_be_visible()
    await start(visitor, "book me a flight to Rome and a hotel")
    await expect(
        page.get_by_text("This is not something that lesson-planning").first
    ).to_be_visible()
    await visitor.look("assistant-scope")
    await page.get_by_role("button", name="Delete", exact=True).click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page).to_have_url(f"{server.url}/assistant")
    visitor.expected_refusals.append("/api/assistant/sessions/none")
    await visitor.go("/assistant/sessions/none")
    await expect(page.get_by_role("alert")).to_contain_text("There is no assistant session")
    visitor.expected_refusals.append("/api/assistant/sessions/")
    await start(visitor, "a lesson on lists for 2C")
    await gate(page, "Before it begins").wait_for()
    await page.get_by_role("button", name="Stop this turn").click()
    await expect(page.get_by_text("You stopped it.").first).to_be_visible()


def write_a_broken_plugin(folder: Path) -> None:
    for name, text in (
        ("agents/editor.md", "---\nmodel: m\nprovider: anthropic\n---\nShorten.\n"),
        ("commands/shorten.md", "---\nagent: nobody\n---\nShorten it.\n"),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


async def test_cases_are_played_and_turns_exported(server: RunningServer, visit: Visit) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/assistant/evals")
    await expect(page.get_by_text("No cases have been run yet.").first).to_be_visible()
    await page.get_by_label("Only cases whose name contains").fill("computing-iteration")
    await page.get_by_role("checkbox", name="skills").check()
    await page.get_by_role("button", name="Play", exact=True).click()
    await expect(page.get_by_role("table")).to_contain_text("baseline")
    await visitor.look_everywhere("assistant-evals")
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Download").click()
    assert (await download.value).suggested_filename == "turns.csv"


async def test_text_streams_in_and_a_tool_asks_first(start_server: Start, visit: Visit) -> None:
    async with LoopbackApi() as api:
        for key, answer in QUICK.items():
            api.reply(json=answer, when=expecting(key), times=20)
        note = {"path": "lessons/idea.md", "content": "# An idea\n\nLoops with cards.\n"}
        held = asyncio.Event()
        api.reply(tool=("write_file", note), when=is_turn(REQUEST, 0))
        api.reply(text=lesson("8 minutes") + NOTES, when=is_turn(REQUEST, 1), hold=held)
        server = start_server(
            BOTTEGA_MODEL="anthropic",
            ANTHROPIC_API_KEY="sk-ant-loopback",
            ANTHROPIC_BASE_URL=api.url,
        )
        visitor = await visit(server.url, viewport=PHONE)
        page = await start(visitor, REQUEST)
        await gate(page, "Before it begins").get_by_role("button", name="Yes, go on").click()
        permission = gate(page, "May it do this?")
        await expect(permission).to_contain_text("Loops with cards.")
        await visitor.look("assistant-permission-phone")
        await page.evaluate(WATCH_THE_WRITING)
        await permission.get_by_role("button", name="Allow once").click()
        held.set()
        await expect(page.locator("html")).to_have_attribute("data-was-writing", "yes")
        await gate(page, "Before you judge the draft").get_by_role("button").last.click()
        await gate(page, "Is the draft right?").get_by_role("button", name="Accept all").click()
        await expect(page.get_by_text("Done", exact=True).first).to_be_visible()
        await page.get_by_role("link", name="Document", exact=True).click()
        await expect(page.get_by_text("Predict, run, change one thing.").first).to_be_visible()
        await visitor.look("assistant-document-phone")
        await page.get_by_role("link", name="Files", exact=True).click()
        await page.get_by_role("link", name="idea.md").click()
        await expect(page.get_by_role("textbox", name="Text of lessons/idea.md")).to_contain_text(
            "Loops with cards."
        )


QUICK = {
    "in_scope": {"in_scope": True, "reason": ""},
    "sentences": {"sentences": []},
    "dismissed": {"findings": [], "dismissed": []},
    "questions": {"questions": [{"question": "Does it fit 3B?", "about": "the class"}]},
    "proposals": {"proposals": []},
}

#: Long enough to be seen while it comes in.
NOTES = "\n## Notes\n\n" + "Take your time with it. " * 200

#: Remembers whether text was on the page before it was finished.
WATCH_THE_WRITING = """
() => {
  const look = () => {
    if (document.querySelector('[aria-label="Being written"]')) {
      document.documentElement.dataset.wasWriting = "yes";
    }
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}
"""
