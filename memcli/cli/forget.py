"""`mem forget`: delete for good."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from memcli import config
from memcli.cli import options
from memcli.cli.questions import utf8
from memcli.cli.render import times
from memcli.cli.render.clean import one_line
from memcli.cli.render.progress import progress
from memcli.cli.render.screen import Screen, is_terminal
from memcli.cli.render.words import counted
from memcli.errors import UsageError

if TYPE_CHECKING:
    from memcli.memory import Memory
    from memcli.results import Forgotten

EXAMPLE = r"""
mem forget --message D1:3 --dry-run
mem forget --speaker "Ottilie Brandt" --before 2024-01-01
mem forget --conversation work --matching '(?i)\bkiln\b' --yes
"""

_NAMES = (
    ("messages", "message"),
    ("spans", "span"),
    ("handles", "mention"),
    ("time_cues", "time"),
    ("pivots", "event"),
    ("keywords", "keyword"),
)

Claim = Annotated[
    int | None, typer.Option("--claim", metavar="ID", min=1, show_default=False, help="The messages that this claim rests on.")
]
Message = Annotated[
    str | None, typer.Option("--message", metavar="ID", show_default=False, help="This message, by its id or CONVERSATION/ID.")
]
Conversation = Annotated[
    str | None, typer.Option("--conversation", metavar="ID", show_default=False, help="What was said in this conversation.")
]
Session = Annotated[str | None, typer.Option("--session", metavar="ID", show_default=False, help="What was said in this session.")]
Speaker = Annotated[
    str | None,
    typer.Option("--speaker", metavar="NAME", show_default=False, help="What this person said; a first name will do if it is one's."),
]
Matching = Annotated[
    str | None,
    typer.Option(
        "--matching",
        metavar="PATTERN",
        show_default=False,
        help="Messages in whose words this regular expression is found; (?i) at its start for any case.",
    ),
]
Before = Annotated[
    str | None,
    typer.Option("--before", metavar="DATE", show_default=False, help="What was said before this date; what has no time stays."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would go, and change nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")]


def forget(
    *,
    claim: Claim = None,
    message: Message = None,
    conversation: Conversation = None,
    session: Session = None,
    speaker: Speaker = None,
    matching: Matching = None,
    before: Before = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    db: options.Db = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Delete messages for good, with everything that was made of them, until no byte of their words is left in the file.

    Messages are forgotten of which everything that is given holds. A claim that rests on others as well is said anew from those; a
    compression that stands is undone first. The same transcript ingested again does not bring them back. Without any of it, an earlier
    forgetting is finished whose file another process kept from being scrubbed.
    """
    screen = Screen(json, quiet)
    texts = {"message": message, "conversation": conversation, "session": session, "speaker": speaker, "matching": matching}
    given = {name: utf8(value) for name, value in texts.items() if value is not None}
    for name, value in given.items():
        if not value.strip():
            raise UsageError(f"--{name} is empty")
    asks = not yes and not dry_run and (claim is not None or before is not None or bool(given))
    if asks and (json or not (is_terminal(sys.stdin) and is_terminal(sys.stderr))):
        raise UsageError("there is nobody to ask: look with --dry-run first, then add --yes")
    from memcli.memory import Memory

    with Memory.open(config.resolve_db(db), create=False, read_only=dry_run, notify=screen.note) as memory:

        def run(*, dry: bool) -> Forgotten:
            with progress(screen, "messages", lambda: None) as report:
                return memory.forget(claim=claim, before=before, dry_run=dry, progress=report, **given)

        if asks:
            _print(screen, run(dry=True))
            if not _agreed(memory):
                screen.note("nothing was forgotten")
                return 0
        outcome = run(dry=dry_run)
    if screen.as_json:
        screen.json(outcome.to_dict())
    else:
        _print(screen, outcome)
    return 0


def _agreed(memory: Memory) -> bool:
    """Ask on the terminal, wherever stdout goes."""
    sys.stdout.flush()
    sys.stderr.write(f"Forget this for good, out of {one_line(str(memory.path))}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


def _print(screen: Screen, outcome: Forgotten) -> None:
    counts = outcome.counts
    if outcome.dry_run:
        if outcome.messages:
            screen.line("messages that go", style="bold")
        for message in outcome.messages:
            said = [str(message["speaker"]), f"message {message['message_id']} of {message['conversation_id']}"]
            if message["timestamp"]:
                said.insert(1, times.moment(str(message["timestamp"])))
            screen.line(one_line(" · ".join(said)), lead="  ", style="cyan")
            screen.quote(str(message["text"]), "  ")
        _more(screen, counts["messages"] - len(outcome.messages), "message")
        if outcome.claims:
            screen.line("claims that fall", style="bold")
        for claim in outcome.claims:
            screen.line(str(claim["text"]), lead=f"  {claim['claim_id']:>6}  ")
        _more(screen, counts["claims"] - len(outcome.claims), "claim")
    if counts:
        gone = ", ".join(counted(counts[key], name) for key, name in _NAMES if counts[key])
        screen.line(("would go" if outcome.dry_run else "forgotten", "bold"), f": {gone}")
        stay = f", {counts['claims_weakened']:,} more rest on less" if counts["claims_weakened"] else ""
        screen.line(f"{counts['claims']:,} fall{stay}", lead="  claims    ")
        changed = [counted(counts[key], name) for key, name in (("groups", "group"), ("topics", "topic")) if counts[key]]
        if changed:
            screen.line(" and ".join(changed), lead="  changed   ")
    if not outcome.dry_run and outcome.scrubbed:
        screen.line("scrubbed: nothing of it is left in the file", lead="  file      ")
    for note in outcome.notes:
        screen.line(note, lead="  note      ", style="yellow")


def _more(screen: Screen, count: int, name: str) -> None:
    if count > 0:
        screen.line(f"  and {counted(count, f'more {name}')}")
