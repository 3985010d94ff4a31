"""`mem compress`: fewer claims, the same evidence."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from memcli import config
from memcli.cli import options
from memcli.cli.hiring import hiring
from memcli.cli.questions import batch_lines
from memcli.cli.render.progress import progress
from memcli.cli.render.screen import Screen
from memcli.cli.render.words import counted
from memcli.errors import UsageError

if TYPE_CHECKING:
    from memcli.atoms import ClaimKind
    from memcli.compression import Limits
    from memcli.curve import Curve
    from memcli.labelled import LabelledQuestion
    from memcli.results import Compression, Extent

EXAMPLE = """
mem compress --ratio 0.5
mem compress --ratio 0.5 --dry-run | less
mem compress --ratio 0.7 --keep-recent 90d --protect instruction --protect preference
mem compress --ratio 0.3 --only-before 2024-01-01 --json
mem compress --curve curve.svg
"""

_KINDS = ("fact", "event", "preference", "relation", "constraint", "state", "instruction")
_UNITS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "y": 365}
_RECENT = re.compile(r"(\d{1,9})([hdwmy]?)")

Ratio = Annotated[
    float | None, typer.Option("--ratio", metavar="R", show_default=False, help="Share of the active claims to remove, such as 0.5.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be merged, and change nothing.")]
KeepRecent = Annotated[
    str | None,
    typer.Option(
        "--keep-recent",
        metavar="N|AGE",
        show_default=False,
        help="Leave each conversation's last N messages alone; or what was said in the last 12h, 90d, 6w, 3m or 1y.",
    ),
]
OnlyBefore = Annotated[
    str | None,
    typer.Option(
        "--only-before", metavar="DATE", show_default=False, help="Leave alone what was said on that date or later, or at no known time."
    ),
]
Protect = Annotated[
    list[str] | None,
    typer.Option(
        "--protect", metavar="KIND", show_default=False, help=f"Leave this kind of claim alone; may be repeated: {', '.join(_KINDS)}."
    ),
]
CurveFile = Annotated[
    str | None,
    typer.Option(
        "--curve",
        metavar="FILE.svg",
        show_default=False,
        help="Change nothing: draw what the memory would still find at ratios from 0.1 to 0.9.",
    ),
]
Questions = Annotated[
    str | None,
    typer.Option(
        "--questions",
        metavar="FILE",
        show_default=False,
        help="With --curve: labelled questions, as for mem eval; without, some are made of the claims.",
    ),
]


def compress(
    *,
    ratio: Ratio = None,
    dry_run: DryRun = False,
    keep_recent: KeepRecent = None,
    only_before: OnlyBefore = None,
    protect: Protect = None,
    curve: CurveFile = None,
    questions: Questions = None,
    db: options.Db = None,
    llm: options.Llm = None,
    no_llm: options.NoLlm = False,
    llm_uses: options.LlmUses = None,
    budget: options.Budget = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Merge claims of the same event until a share of them is gone. Nothing is lost: merged claims keep all their evidence.

    The claims that were merged are archived and the messages behind them packed. mem restore brings everything back as it was.
    """
    screen = Screen(json, quiet)
    if curve is not None:
        if ratio is not None or dry_run:
            raise UsageError("--curve tries ratios from 0.1 to 0.9 and changes nothing: leave --ratio and --dry-run out")
        return _curve(screen, curve, questions, _limits(keep_recent, only_before, protect or []), config.resolve_db(db))
    if questions is not None:
        raise UsageError("--questions goes with --curve; mem eval measures the memory as it is")
    if ratio is None:
        raise UsageError("--ratio is missing: give the share of claims to remove, such as --ratio 0.5")
    if not 0 < ratio < 1:
        raise UsageError(f"--ratio {ratio:g}: give the share of claims to remove, more than 0 and less than 1, such as 0.5")
    limits = _limits(keep_recent, only_before, protect or [])
    from memcli.memory import Memory

    with (
        Memory.open(
            config.resolve_db(db),
            llm=None if dry_run else hiring(llm, no_llm, llm_uses, budget),
            create=False,
            read_only=dry_run,
            notify=screen.note,
        ) as memory,
        progress(screen, "merge", lambda: None) as report,
    ):
        outcome = memory.compress(ratio, limits=limits, dry_run=dry_run, progress=report)
    if screen.as_json:
        screen.json(outcome.to_dict())
    else:
        _print(screen, outcome)
    return 0


def _limits(keep_recent: str | None, only_before: str | None, protect: list[str]) -> Limits:
    from memcli.compression import Limits
    from memcli.store.transcripts import said_at

    messages, days, before = None, None, None
    if keep_recent is not None:
        match = _RECENT.fullmatch(keep_recent.strip().lower())
        if match is None:
            raise UsageError(f"--keep-recent {keep_recent}: give a number of messages, such as 200, or an age: 12h, 90d, 6w, 3m, 1y")
        number, unit = int(match[1]), match[2]
        messages, days = (None, number * _UNITS[unit]) if unit else (number, None)
    if only_before is not None:
        before = said_at(only_before)
        if before is None:
            raise UsageError(f"--only-before {only_before}: give a date such as 2024-01-31, or a time such as 2024-01-31T12:00")
    for kind in protect:
        if kind not in _KINDS:
            raise UsageError(f"--protect {kind}: no such kind of claim; choose from {', '.join(_KINDS)}")
    return Limits(messages, days, before, frozenset(cast("list[ClaimKind]", protect)))


def _curve(screen: Screen, name: str, questions: str | None, limits: Limits, db: Path) -> int:
    """Measure, draw and print a curve."""
    from memcli.cli.render.curve import chart_of, print_curve
    from memcli.curve import RATIOS, measure_curve
    from memcli.labelled import parse_labelled

    target = Path(name)
    if target.suffix.lower() != ".svg":
        raise UsageError(f"--curve {name}: the chart is an SVG picture; name it {target.with_suffix('.svg')}")
    labels: list[LabelledQuestion] | None = None
    if questions is not None:
        with batch_lines(questions) as (source, lines):
            labels = parse_labelled(lines, source)
    with ExitStack() as undo:
        _claim_place(target, name, undo)
        model = config.resolve_embedder(None, db)
        with progress(screen, "questions", lambda: None if labels is None else len(labels) * (1 + len(RATIOS))) as report:
            found: Curve = measure_curve(db, labels, limits=limits, embedder=model, notify=screen.note, progress=report)
        target.write_text(chart_of(found, db.name), encoding="utf-8")
        undo.pop_all()
    if found.absent:
        screen.note(f"{counted(len(found.absent), 'labelled message')} not in {db}, which no search can find")
    if screen.as_json:
        screen.json({"chart": str(target), **found.to_dict()})
    else:
        print_curve(screen, found, str(target))
    return 0


def _claim_place(target: Path, name: str, undo: ExitStack) -> None:
    """Make sure that the chart can be written before the work is done; `undo` removes a file that was made only for this."""
    there = target.exists()
    try:
        target.open("a").close()
    except OSError as error:
        raise UsageError(f"--curve {name}: cannot be written: {error.strerror}") from error
    if not there:
        undo.callback(target.unlink, missing_ok=True)


def _print(screen: Screen, outcome: Compression) -> None:
    if outcome.after is None:
        for merged in outcome.merged:
            screen.line((str(merged["text"]), "bold"))
            for claim in merged["claims"]:
                screen.line(str(claim["text"]), lead=f"  {claim['id']:>6}  ")
        screen.line(f"{counted(outcome.merges, 'claim')} of {outcome.before.claims:,} would go ({outcome.achieved:.0%})")
    elif outcome.run is None:
        screen.line("nothing could be merged")
    else:
        screen.line((f"run {outcome.run}", "bold"), f": {counted(outcome.merges, 'claim')} merged away ({outcome.achieved:.0%})")
        print_extents(screen, outcome.before, outcome.after)
        screen.line(f"mem restore {outcome.run} brings them back", lead="  undo      ")
    for note in outcome.notes:
        screen.line(note, lead="  note      ", style="yellow")


def print_extents(screen: Screen, before: Extent, after: Extent) -> None:
    """Lines with what there was and what there is."""
    for name, old, new in (
        ("claims", before.claims, after.claims),
        ("tokens", before.tokens, after.tokens),
        ("indexes", before.index_bytes, after.index_bytes),
        ("file", before.bytes, after.bytes),
    ):
        unit = " bytes" if name in ("indexes", "file") else ""
        change = f" ({new / old - 1:+.0%})" if old else ""
        screen.line(f"{old:,} → {new:,}{unit}{change}", lead=f"  {name:<10}")
