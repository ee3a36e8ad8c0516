"""Projects, sync, lifecycle and changes. The board's specification gives no ids: these are ours."""

REQUIREMENTS = {
    # The life of a change (goal 5, decision 9)
    "BD-301": "Into approved and into applied only a person lets a change.",
    "BD-302": "A change has seven states and can get from proposing to archived through all.",
    "BD-303": "An illegal transition is refused, and the refusal names the legal ones.",
    "BD-304": "Every transition is kept with from, to, who, when and why, and is published.",
    "BD-305": "Work that comes back to the queue keeps its age; a taken-back approval does not.",
    "BD-306": "Of concurrent transitions of one change the second sees where the first left it.",
    # Projects (decision 5, risk 3, open question 2)
    "BD-310": "Sub-folders of PROJECTS_DIR and the coach's project are projects if they use "
    "OpenSpec; hidden folders and links that lead out are not.",
    "BD-311": "A project has a name, a path, its OpenSpec path, active changes and a spec count.",
    "BD-312": "A project that vanishes is marked and comes back with its id; a renamed folder is "
    "another project.",
    "BD-313": "An unknown project is a clear error.",
    "BD-314": "A missing projects folder stops nothing.",
    "BD-315": "Projects are scanned on start and every five minutes.",
    "BD-316": "Servers that scan at the same moment find a project once.",
    # Sync (goal 2, decision 1, open question 1)
    "BD-320": "Texts, tasks, touched requirements and title of a change on disk are in the "
    "database.",
    "BD-321": "A look at files that did not change writes nothing and tells nothing.",
    "BD-322": "A file edited on disk is taken, by its hash, whatever its time says; the text it "
    "replaced is a revision.",
    "BD-323": "An edit that is only in the database is written to its file.",
    "BD-324": "If both sides were edited the file wins, the other text is a revision, and the "
    "person is told until they have seen it.",
    "BD-325": "A broken or half-saved file leaves the last good text and the state as they are, "
    "and the problem is shown with file and line.",
    "BD-326": "A person's edit repairs a broken file, whose words are kept.",
    "BD-327": "The last task ticked in tasks.md sends work under way to review.",
    "BD-328": "A change deleted on disk while queued is marked, its lease released, its texts "
    "kept; it may come back.",
    "BD-329": "A renamed change is followed with its history and its lease; a copy is another.",
    "BD-330": "A move into or out of the archive on disk wins and is logged as the system's.",
    "BD-331": "Files that a change can do without may be removed; their texts are revisions.",
    "BD-332": "Which changes name each other does not depend on which came first.",
    "BD-333": "An edit whose file cannot be written is kept, told once, and written later.",
    "BD-334": "The same id in two projects is two changes.",
    "BD-335": "Several processes may look at one project; a change is found and told once.",
    "BD-336": "Everything is synced on start, what is saved at once, new projects as they come.",
    "BD-337": "Everything is looked at again every 30 seconds, whatever the watcher told.",
    # Edits (goal 4)
    "BD-338": "An edit in the app is in the database and at once, atomically, in the file.",
    "BD-339": "An edit made from an outdated text returns both texts and overwrites nothing.",
    "BD-340": "Of concurrent edits from one text one is saved and every other is kept.",
    "BD-341": "Issues are told with a saved draft and never block it; approval demands validity, "
    "by our rules and the CLI's where it is installed.",
    "BD-342": "Every overwritten text is listed and can be restored.",
    "BD-343": "A deleted change can be brought back with all its texts.",
    # Gates and what follows from them
    "BD-344": "A person approves, takes back and sends back with a note.",
    "BD-345": "A gate opens only from the state before it.",
    "BD-346": "Reject archives with a reason, leaves the main specs alone, and the fingerprint "
    "counts as rejected.",
    "BD-347": "Specs that a person applied are listed per project (goal 6).",
    "BD-348": "Archiving runs the OpenSpec CLI; without it the error says how to install it.",
    "BD-349": "A change archived elsewhere counts as applied if the main specs have it.",
    "BD-350": "A proposal is written to disk as a valid change with a free id.",
    "BD-351": "Overlaps with open changes are shown when a change is proposed.",
    "BD-352": "Tasks are ticked by id or number, and nothing else in the file changes.",
    "BD-353": "Work sent back with all tasks ticked does not bounce into review by itself.",
    "BD-354": "An id that two projects share is refused without its project.",
    "BD-355": "Changes are listed by project, state and words, mistyped ones too.",
    "BD-356": "Nothing is done in a project whose directory is gone.",
    # Doors and speed (risk 1)
    "BD-357": "Projects, their specs and what was applied are shown over HTTP.",
    "BD-358": "A change lives its whole life over HTTP.",
    "BD-359": "Listing 500 changes takes at most 100 ms.",
}
