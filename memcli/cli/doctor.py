"""`mem doctor`: is everything there that the program needs?"""

from __future__ import annotations

from typing import Final

from memcli import config
from memcli.cli import options
from memcli.cli.render.screen import Screen
from memcli.errors import InputError

EXAMPLE = """
mem doctor
mem doctor --db notes.memdb --json
"""

_MARKS: Final = {"ok": ("ok     ", "green"), "note": ("note   ", "yellow"), "wrong": ("wrong  ", "red")}


def doctor(
    *,
    db: options.Db = None,
    embedder: options.Embedder = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Check Python, SQLite, settings, models, the memory file and its permissions; each finding says what to do next.

    Exit status 0 if nothing is wrong; else that of the first thing that is: 3 settings, 4 memory file, 5 model.
    """
    screen = Screen(json, quiet)
    from memcli.doctor import examine

    try:
        path = config.resolve_db(db)
    except InputError:  # of which the settings' own finding tells
        path = config.data_file()
    findings = []
    for finding in examine(path, config.named_embedder(embedder), notify=screen.note):
        findings.append(finding)
        if not screen.as_json:
            screen.line(f"{finding.check}: {finding.message}", lead=_MARKS[finding.state])
            if finding.next:
                screen.line(finding.next, lead="         → ")
    wrong = [finding for finding in findings if finding.state == "wrong"]
    if screen.as_json:
        screen.json({"well": not wrong, "checks": [finding.to_dict() for finding in findings]})
    return wrong[0].exit_code if wrong else 0
