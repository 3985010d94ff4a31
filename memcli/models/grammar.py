"""JSON schemas as grammars in llama.cpp's notation (GBNF), and what to do with JSON that was cut off.

The grammar is narrower than JSON where that keeps a weak model from harm: one space at most between tokens and no line breaks to run away
in, properties in the schema's order, strings without control characters or halves of surrogate pairs, numbers of a size that a program
can hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

_LONGEST_RUN: Final = 1000
"""Repetitions in one grammar rule; llama.cpp refuses some thousands."""

_CHARACTER: Final = r'[^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u" ([0-9a-cA-Ce-fE-F] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2}))'
_INTEGER: Final = '"-"? ("0" | [1-9] [0-9]{0,14})'
_PRIMITIVES: Final = {
    "string": '"\\"" char* "\\""',
    "integer": _INTEGER,
    "number": f'{_INTEGER} ("." [0-9]{{1,15}})?',
    "boolean": '"true" | "false"',
    "null": '"null"',
}
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def to_grammar(schema: Mapping[str, Any]) -> str:
    """The grammar of the JSON texts that a schema allows; its first rule is `root`.

    Of JSON Schema it knows type (or several), properties with required, items with minItems and maxItems, minLength and maxLength, enum,
    const and anyOf; what else a schema says is not enforced.

    Raises:
        ValueError: the schema has a part without any of these.
    """
    rules = {"char": _CHARACTER, "comma": '"," " "?', "colon": '":" " "?'}

    def rule(body: str) -> str:
        known = next((name for name, other in rules.items() if other == body), None)
        name = known or f"r{len(rules)}"
        rules[name] = body
        return name

    def visit(part: Mapping[str, Any]) -> str:
        if "const" in part:
            return _literal(part["const"])
        if "enum" in part:
            return rule(" | ".join(map(_literal, part["enum"])))
        if "anyOf" in part:
            return rule(" | ".join(map(visit, part["anyOf"])))
        kind = part.get("type", "object" if "properties" in part else None)
        if isinstance(kind, list):
            return rule(" | ".join(visit({**part, "type": one}) for one in kind))
        if kind == "object":
            return rule(_object(part, visit, rule))
        if kind == "array" and "items" in part:
            least, most = part.get("minItems", 0), part.get("maxItems")
            item = visit(part["items"])
            if most == 0:
                return rule('"[]"')
            rest = f"(comma {item}){_times(max(0, least - 1), None if most is None else most - 1)}"
            body = f"{item} {rest}" if most != 1 else item
            return rule(f'"[" {body} "]"' if least else f'"[" ({body})? "]"')
        if kind == "string" and ("maxLength" in part or "minLength" in part):
            return rule(f'"\\"" {_repeated("char", part.get("minLength", 0), part.get("maxLength"))} "\\""')
        if kind in _PRIMITIVES:
            return rule(_PRIMITIVES[kind])
        raise ValueError(f"no grammar for this part of a schema: {json.dumps(part)}")

    root = visit(schema)
    return "\n".join(["root ::= " + root, *(f"{name} ::= {body}" for name, body in rules.items())])


def conforms(value: object, schema: Mapping[str, Any]) -> bool:
    """Whether a JSON value is of the form that a schema describes, as far as `to_grammar` knows schemas."""
    if "const" in schema:
        return bool(value == schema["const"])
    if "enum" in schema:
        return any(value == one for one in schema["enum"])
    if "anyOf" in schema:
        return any(conforms(value, one) for one in schema["anyOf"])
    kind = schema.get("type", "object" if "properties" in schema else None)
    kinds = kind if isinstance(kind, list) else [kind]
    if kind is not None and not any(_is(value, one) for one in kinds):
        return False
    if isinstance(value, str):
        return bool(schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)))
    if isinstance(value, list):
        fits = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        return fits and all(conforms(item, schema.get("items", {})) for item in value)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return set(schema.get("required", ())) <= value.keys() and all(
            conforms(item, properties[key]) for key, item in value.items() if key in properties
        )
    return True


def salvage(text: str, schema: Mapping[str, Any]) -> str | None:
    """The longest whole beginning of a JSON text that was cut off: unfinished items of its arrays are left out, the rest is closed.

    Returns a text that is valid by the schema; None if there is no such beginning. Nothing is made up: every string in it was written
    to its end, and an array that was not come to is empty.
    """
    for end, closing in reversed(_ends(text)):
        try:
            value = json.loads(text[:end] + closing)
        except ValueError:
            continue
        if isinstance(value, dict):
            value |= {name: [] for name in schema.get("required", ()) if name not in value and _may_be_empty(schema, name)}
        if conforms(value, schema):
            return json.dumps(value, ensure_ascii=False)
    return None


def _may_be_empty(schema: Mapping[str, Any], name: str) -> bool:
    part = schema.get("properties", {}).get(name, {})
    return part.get("type") == "array" and not part.get("minItems")


def _ends(text: str) -> Sequence[tuple[int, str]]:
    """Where a text could be cut between values, each with the brackets that close it there."""
    found: list[tuple[int, str]] = []
    closing: list[str] = []
    quoted = escaped = False
    for place, character in enumerate(text):
        if quoted:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                quoted = False
        elif character == '"':
            quoted = True
        elif character in "[{":
            closing.append("]" if character == "[" else "}")
            found.append((place + 1, "".join(reversed(closing))))
        elif character in "]}" and closing:
            closing.pop()
            found.append((place + 1, "".join(reversed(closing))))
        elif character == ",":
            found.append((place, "".join(reversed(closing))))
    return found


def _object(part: Mapping[str, Any], visit: Callable[[Mapping[str, Any]], str], rule: Callable[[str], str]) -> str:
    properties, required = part.get("properties", {}), set(part.get("required", ()))
    if not properties:
        return '"{}"'
    pairs = [(name in required, f"{_literal(name)} colon {visit(child)}") for name, child in properties.items()]
    # From the last property backwards: what may follow when something stands before it, and when nothing does.
    after, first = "", ""
    for needed, pair in reversed(pairs):
        tail = rule(after) if after else ""
        with_comma, alone = f"comma {pair} {tail}".strip(), f"{pair} {tail}".strip()
        if needed:
            after, first = with_comma, alone
        else:
            first = f"({alone} | {first})" if first else f"({alone})?"
            after = f"({with_comma} | {after})" if after else f"({with_comma})?"
    return f'"{{" {first} "}}"'


def _literal(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _times(least: int, most: int | None) -> str:
    return f"{{{least},{'' if most is None else most}}}"


def _repeated(item: str, least: int, most: int | None) -> str:
    """`item` so many times, in runs of which each is short enough."""
    runs = []
    while most is not None and most > _LONGEST_RUN:
        runs.append(item + _times(min(least, _LONGEST_RUN), _LONGEST_RUN))
        least, most = max(0, least - _LONGEST_RUN), most - _LONGEST_RUN
    return " ".join([*runs, item + _times(least, most)])


def _is(value: object, kind: str) -> bool:
    return isinstance(value, _TYPES.get(kind, (object,))) and (kind == "boolean" or not isinstance(value, bool))
