"""A curve on the screen, and as a chart."""

from __future__ import annotations

from memcli.cli.render.chart import Line, line_chart
from memcli.cli.render.screen import Screen
from memcli.cli.render.words import counted
from memcli.curve import Curve, kept
from memcli.evaluation import Scores

DRAWN = (20, 5)
"""The k of the recalls that are drawn: three lines that lie near each other would hide one another."""


def chart_of(curve: Curve, name: str) -> str:
    """The curve of the memory `name`, as an SVG document."""
    lines = []
    for label, shares in _shares(curve, DRAWN).items():
        points = [(0.0, 1.0), *((p.removed, share) for p, share in zip(curve.points, shares, strict=True))]
        lines.append(Line(label, points))
    sizes = [(0.0, 1.0), *((p.removed, p.extent.bytes / curve.extent.bytes) for p in curve.points)]
    lines.append(Line("bytes of the file", sizes, plain=True))
    about = f"{name}: {counted(curve.extent.claims, 'claim')}, {_asked(curve)}"
    return line_chart("What compression keeps", about, "share of claims removed", "share of what it was before", lines)


def print_curve(screen: Screen, curve: Curve, chart: str) -> None:
    """A table, and where the chart is."""
    shares = _shares(curve, tuple(sorted(curve.before.recall, reverse=True)))
    heads = ["removed", *shares, "claims", "bytes of the file"]
    rows = [["0%", *_first(curve.before, shares), f"{curve.extent.claims:,}", f"{curve.extent.bytes:,}"]]
    for number, point in enumerate(curve.points):
        cells = [f"{share[number]:.1%} kept" for share in shares.values()]
        rows.append([f"{point.removed:.0%}", *cells, f"{point.extent.claims:,}", f"{point.extent.bytes:,}"])
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]
    screen.line(_asked(curve), style="bold")
    for number, row in enumerate((heads, *rows)):
        screen.line("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)), style="dim" if number == 0 else "")
    screen.line(f"chart in {chart}")


def _asked(curve: Curve) -> str:
    return f"{counted(curve.questions, 'question')} made of its claims" if curve.made else counted(curve.questions, "labelled question")


def _shares(curve: Curve, cuts: tuple[int, ...]) -> dict[str, list[float]]:
    """What is kept at each point, by the measure's name, of those measures that were above 0 before."""
    named = {
        f"recall@{k}": [_share(p.scores.recall[k], curve.before.recall[k]) for p in curve.points] for k in cuts if curve.before.recall[k]
    }
    if curve.before.f1:
        named["F1 of answers"] = [_share(p.scores.f1, curve.before.f1) for p in curve.points]
    return named


def _share(after: float | None, before: float | None) -> float:
    return kept(after, before) or 0.0


def _first(before: Scores, names: dict[str, list[float]]) -> list[str]:
    """The measures themselves, before."""
    values = {**{f"recall@{k}": value for k, value in before.recall.items()}, "F1 of answers": before.f1}
    return [f"{values[name]:.3f}" for name in names]
