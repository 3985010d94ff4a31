"""A line chart as SVG, written out by hand: a few shapes and words, no drawing library."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 64, 176, 76, 60
"""Room around the lines: the names of the lines stand on the right."""

_LINE_HEIGHT = 18
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Told apart by everybody, in grey as well (Okabe & Ito 2008)."""

_STYLE = """
svg { background: #fff; font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; }
text { fill: #333; paint-order: stroke; stroke: #fff; stroke-width: 4px; }
.title { font-size: 16px; font-weight: 600; fill: #111; } .quiet { fill: #666; }
.grid { stroke: #e4e4e4; } .whole { stroke: #999; } .line { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
"""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart: points (x, y), both shares, ascending by x; `plain` ones are in the background: grey and dashed."""

    name: str
    points: Sequence[tuple[float, float]]
    plain: bool = False


def line_chart(title: str, subtitle: str, across: str, up: str, lines: Sequence[Line]) -> str:
    """A chart as an SVG document.

    Args:
        title: what it shows.
        subtitle: of what.
        across: what the horizontal axis counts, from 0 to 100%.
        up: what the vertical axis counts; it begins at the ten in a hundred below the least point.
        lines: at least one, each with at least one point.
    """
    values = [y for line in lines for _, y in line.points]
    low = max(0.0, math.floor(min(values) * 10 - 1e-9) / 10)
    high = max(1.0, math.ceil(max(values) * 10 - 1e-9) / 10)

    def x_of(x: float) -> float:
        return LEFT + x * (WIDTH - LEFT - RIGHT)

    def y_of(y: float) -> float:
        return TOP + (high - y) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<text class="title" x="{LEFT}" y="30">{escape(title)}</text>',
        f'<text class="quiet" x="{LEFT}" y="50">{escape(subtitle)}</text>',
    ]
    step = 0.1 if high - low <= 0.8 else 0.2
    for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        y = number * step
        kind = "whole" if math.isclose(y, 1.0) else "grid"
        parts.append(f'<path class="{kind}" d="M{LEFT} {y_of(y):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 10}" y="{y_of(y) + 4:.1f}" text-anchor="end">{y:.0%}</text>')
    for number in range(11):
        parts.append(f'<path class="grid" d="M{x_of(number / 10):.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        if number % 2 == 0:
            parts.append(f'<text x="{x_of(number / 10):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{number / 10:.0%}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text class="quiet" x="{middle:.1f}" y="{HEIGHT - BOTTOM + 44}" text-anchor="middle">{escape(across)}</text>')
    turned = f'transform="rotate(-90 18 {(TOP + HEIGHT - BOTTOM) / 2:.1f})"'
    parts.append(f'<text class="quiet" x="18" y="{(TOP + HEIGHT - BOTTOM) / 2:.1f}" text-anchor="middle" {turned}>{escape(up)}</text>')
    colours = iter(_COLOURS)
    colour_of = {line.name: "#777" if line.plain else next(colours) for line in lines}
    # What is plain comes first, and so lies below.
    for line in sorted(lines, key=lambda line: not line.plain):
        parts += _drawn(line, colour_of[line.name], [(x_of(x), y_of(y)) for x, y in line.points])
    names = _apart([y_of(line.points[-1][1]) + 4 for line in lines])
    for line, y in zip(lines, names, strict=True):
        x = x_of(line.points[-1][0]) + 10
        parts.append(f'<text x="{x:.1f}" y="{y:.1f}" style="fill:{colour_of[line.name]}">{escape(line.name)}</text>')
    told = "; ".join(f"{line.name}: " + ", ".join(f"{x:.0%} {y:.1%}" for x, y in line.points) for line in lines)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">'
    return "\n".join(
        [head, f"<title>{escape(title)}</title>", f"<desc>{escape(told)}</desc>", f"<style>{_STYLE}</style>", *parts, "</svg>", ""]
    )


def _drawn(line: Line, colour: str, points: Sequence[tuple[float, float]]) -> list[str]:
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dashes = ' stroke-dasharray="5 4"' if line.plain else ""
    shapes = [f'<path class="line" stroke="{colour}"{dashes} d="{path}"/>']
    if not line.plain:
        shapes += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" fill="{colour}">'
            f"<title>{escape(line.name)}: {share:.1%} at {removed:.0%}</title></circle>"
            for (x, y), (removed, share) in zip(points, line.points, strict=True)
        ]
    return shapes


def _apart(places: Sequence[float]) -> list[float]:
    """Where names stand that would overlap at these heights: each at least a line below the one above it, as near as can be."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    out = list(places)
    for above, below in itertools.pairwise(order):
        out[below] = max(out[below], out[above] + _LINE_HEIGHT)
    # Half of what the lowest was pushed down by is taken back by all, so that none ends far from its line.
    pushed = max((out[i] - places[i] for i in order), default=0.0) / 2
    return [y - pushed for y in out]
