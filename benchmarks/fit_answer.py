"""Fit the weights of answers on labelled conversations: `LOCOMO=... python -m benchmarks.fit_answer [--write] [--keep DIR]`.

Two models, both over features that know no topic, person or data set. Phrases: a linear score, fitted to the token F1 that a
softmax over each question's phrases expects, against the phrases the last round scored best (two rounds of hard negatives).
Evidence: a logistic model of whether the facts hold what was asked, each class counting the same within a data set, its bias then
shifted to the share of answerable questions. Both are fitted once without each conversation, to say how they do on one never seen,
and once on all, to write memcli/read/answer_weights.py.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.data import datasets, scratch_folder
from memcli import Memory
from memcli.evaluation import token_f1
from memcli.models import load_embedder
from memcli.read.choose import choose_scored
from memcli.read.phrases import FEATURES, Phrases, phrase_features, wants_several
from memcli.read.query import Query
from memcli.read.sufficiency import Evidence, enough, weigh
from memcli.recall import Recall
from memcli.store.connection import connect
from memcli.store.facts import ClaimRecord

WEIGHTS = Path(__file__).resolve().parents[1] / "memcli" / "read" / "answer_weights.py"
TYPED = ("when", "how_long", "how_many", "yes_no")
"""Slots whose values are computed or read, not chosen among phrases."""

PENALTY = 0.003
"""L2 on weights of standardised features (phrases)."""

EVIDENCE_PENALTY = 0.01
"""L2 on weights of standardised features (evidence)."""

SET_WEIGHT = {"locomo": 1.0, "beam": 0.1, "examples": 0.2}
"""How much a data set's questions count for the evidence model: by their number, roughly."""

ANSWERABLE = 0.76
"""The share of answerable questions that confidence is calibrated to, LoCoMo's; not the threshold."""

ENOUGH = {"people": 0.66, "assistant": 0.80}
"""The confidence from which on an answer is given, in talk among people and with an assistant: what balances errors best on LoCoMo and
on BEAM. Talk with an assistant touches every word of a question that it does not answer, so more is asked of it."""

Floats = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Case:
    """A question with what was found for it."""

    dataset: str
    conversation: str
    category: str
    gold: str
    answerable: bool
    query: Query
    facts: list[ClaimRecord]
    scores: list[float]
    positions: list[int]


def phrase_f1(phrases: Phrases, gold: str) -> Floats:
    return np.array([token_f1(phrases.text(row), gold) for row in range(len(phrases.first))])


def cases(keep: Path | None) -> list[Case]:
    """Every question of every data set on this machine, with its best facts; the memories are kept in a folder if one is given."""
    out = []
    embedder = load_embedder()
    with scratch_folder() as scratch:
        for dataset, conversations in datasets(Path(scratch)):
            for conversation in conversations:
                path = (keep or Path(scratch)) / f"{dataset}-{conversation.name}.memdb"
                with Memory.open(path) as memory:
                    memory.ingest([conversation.path], format=conversation.format)
                with closing(connect(path, read_only=True)) as connection:
                    recall = Recall(connection, lambda: embedder)
                    for q in conversation.questions:
                        found = recall.candidates(q.question)
                        kind = (dataset, conversation.name, q.category, q.answer, q.answerable)
                        out.append(Case(*kind, found.query, found.facts, found.scores, found.positions))
    return out


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A case with its phrases and their F1."""

    case: Case
    phrases: Phrases
    f1: Floats


def prepare(all_cases: list[Case]) -> list[Prepared]:
    """The answerable questions that are answered with a phrase."""
    out = []
    for case in all_cases:
        if case.answerable and case.gold and case.query.slot not in TYPED and case.dataset != "beam":
            phrases = phrase_features(case.query, case.facts, case.scores, case.positions)
            if len(phrases.first):
                out.append(Prepared(case, phrases, phrase_f1(phrases, case.gold)))
    return out


def fit_phrases(prepared: list[Prepared]) -> Floats:
    """The weight of each feature of phrases."""
    weights: Floats | None = None
    for steps, mix in ((50, 0.0), (40, 0.3), (40, 1.0)):
        weights = _descend([_sample(p, weights) for p in prepared], weights, steps, mix)
    assert weights is not None
    return weights


def _sample(prepared: Prepared, weights: Floats | None) -> tuple[Floats, Floats]:
    """A question's best phrases, those that the weights so far take for the best, and some others."""
    f1, features = prepared.f1, prepared.phrases.features
    kept = set(np.argsort(-f1, kind="stable")[:60].tolist())
    if weights is not None:
        kept |= set(np.argsort(-(features @ weights), kind="stable")[:160].tolist())
    kept |= set(np.random.default_rng(0).choice(len(f1), min(len(f1), 80), replace=False).tolist())
    rows = np.array(sorted(kept))
    return features[rows], f1[rows]


def _descend(samples: list[tuple[Floats, Floats]], start: Floats | None, steps: int, mix: float) -> Floats:
    """Adam on (1 - mix) x cross entropy to a softmax of F1, less mix x 8 x the F1 a softmax of the scores expects."""
    x = torch.tensor(np.concatenate([features for features, _ in samples]), dtype=torch.float32)
    deviation = x.std(0)
    deviation[deviation < 1e-6] = torch.inf
    x = (x - x.mean(0)) / deviation
    y = torch.tensor(np.concatenate([f1 for _, f1 in samples]), dtype=torch.float32)
    owner = torch.tensor(np.repeat(np.arange(len(samples)), [len(f1) for _, f1 in samples]))
    n = len(samples)
    best = torch.zeros(n).scatter_reduce(0, owner, y, "amax")
    target = torch.exp(10 * (y - best[owner])) * (y > 0)
    target = target / (torch.zeros(n).index_add(0, owner, target)[owner] + 1e-9)
    known = torch.zeros(x.shape[1]) if start is None else torch.tensor(start, dtype=torch.float32) * deviation.nan_to_num(posinf=0.0)
    w = known.requires_grad_()
    adam = torch.optim.Adam([w], lr=0.06 if start is None else 0.03)
    for _ in range(steps):
        s = x @ w
        top = torch.full((n,), -1e9).scatter_reduce(0, owner, s, "amax")
        total = torch.zeros(n).index_add(0, owner, torch.exp(s - top[owner]))
        log_p = s - top[owner] - torch.log(total)[owner]
        entropy = -(target * log_p).sum() / (best > 0).sum()
        expected = (torch.exp(log_p) * y).sum() / n
        loss = (1 - mix) * entropy - mix * 8 * expected + PENALTY * (w**2).sum()
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
    return (w.detach() / deviation).numpy().astype(np.float64)


def evidence_table(all_cases: list[Case]) -> Floats:
    return np.array([dataclasses.astuple(weigh(c.query, c.facts, c.scores)) for c in all_cases], np.float64)


def fit_evidence(table: Floats, all_cases: list[Case]) -> tuple[Floats, float]:
    """The weights and the bias of the evidence model."""
    answerable = np.array([c.answerable for c in all_cases], np.float64)
    share = np.zeros(len(all_cases))
    for dataset, weight in SET_WEIGHT.items():
        for side in (0.0, 1.0):
            rows = np.array([c.dataset == dataset for c in all_cases]) & (answerable == side)
            share[rows] = weight / max(1, rows.sum())
    share /= share.sum()
    mean, deviation = table.mean(0), table.std(0) + 1e-9
    x = torch.tensor((table - mean) / deviation)
    w = torch.zeros(x.shape[1] + 1, dtype=torch.float64, requires_grad=True)
    y, parts = torch.tensor(answerable), torch.tensor(share)
    lbfgs = torch.optim.LBFGS([w], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        lbfgs.zero_grad()
        losses = torch.nn.functional.binary_cross_entropy_with_logits(x @ w[:-1] + w[-1], y, reduction="none")
        loss = (losses * parts).sum() + EVIDENCE_PENALTY * (w[:-1] ** 2).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    lbfgs.step(closure)  # type: ignore[no-untyped-call]
    found = w.detach().numpy()
    weights = found[:-1] / deviation
    return weights, float(found[-1] - weights @ mean + np.log(ANSWERABLE / (1 - ANSWERABLE)))


def said(prepared: Prepared, weights: Floats) -> str:
    rows = choose_scored(prepared.phrases, prepared.phrases.features @ weights, several=wants_several(prepared.case.query))
    return ", ".join(prepared.phrases.text(row) for row in rows)


def report_phrases(label: str, rows: list[tuple[Prepared, str]]) -> None:
    by: defaultdict[str, list[float]] = defaultdict(list)
    for prepared, text in rows:
        by[f"{prepared.case.dataset} {prepared.case.category}"].append(token_f1(text, prepared.case.gold))
    print(label, "  ".join(f"{name} {np.mean(values):.3f} ({len(values)})" for name, values in sorted(by.items())))


def report_evidence(all_cases: list[Case], confidence: Floats) -> None:
    for dataset in sorted({c.dataset for c in all_cases}):
        rows = np.array([c.dataset == dataset for c in all_cases])
        p, y = confidence[rows], np.array([c.answerable for c in all_cases])[rows]
        given = p >= np.array([enough(c.facts) for c in all_cases])[rows]
        rank = np.argsort(np.argsort(p)) + 1
        auc = (rank[y].sum() - y.sum() * (y.sum() + 1) / 2) / max(1, y.sum() * (~y).sum())
        print(
            f"{dataset}: AUC {auc:.3f}  answered when answerable {given[y].mean():.3f}  abstained when not {(~given[~y]).mean():.3f}"
            f"  balanced {(given[y].mean() + (~given[~y]).mean()) / 2:.3f}"
        )
        for low in range(10):
            inside = (p >= low / 10) & (p < (low + 1) / 10 + (low == 9))
            if inside.any():
                print(f"  from {low / 10:.1f}  n {inside.sum():4d}  confidence {p[inside].mean():.2f}  answerable {y[inside].mean():.2f}")


def run(all_cases: list[Case], *, write: bool) -> None:
    """Fit, report, and write the weights if asked to."""
    names = list(dict.fromkeys((c.dataset, c.conversation) for c in all_cases))
    prepared = prepare(all_cases)
    unseen: list[tuple[Prepared, str]] = []
    for name in names:
        rest = [p for p in prepared if (p.case.dataset, p.case.conversation) == name]
        if rest:
            weights = fit_phrases([p for p in prepared if (p.case.dataset, p.case.conversation) != name])
            unseen += [(p, said(p, weights)) for p in rest]
    report_phrases("phrases, conversation left out:", unseen)
    weights = fit_phrases(prepared)
    report_phrases("phrases, in sample:", [(p, said(p, weights)) for p in prepared])
    table = evidence_table(all_cases)
    confidence = np.zeros(len(all_cases))
    for name in names:
        rest_rows = np.array([(c.dataset, c.conversation) == name for c in all_cases])
        part, bias = fit_evidence(table[~rest_rows], [c for c, out in zip(all_cases, rest_rows, strict=True) if not out])
        confidence[rest_rows] = 1 / (1 + np.exp(-bias - table[rest_rows] @ part))
    print("evidence, conversation left out:")
    report_evidence(all_cases, confidence)
    evidence_weights, bias = fit_evidence(table, all_cases)
    if write:
        write_weights(weights, evidence_weights, bias)


def write_weights(phrase: Floats, evidence: Floats, bias: float) -> None:
    """Write the module of constants; a weight that rounds to nothing is left out."""
    lines = [
        '"""What each feature of an answer is worth, fitted on labelled development conversations by benchmarks/fit_answer.py."""',
        "",
        "from __future__ import annotations",
        "",
        f"ENOUGH = {{{', '.join(f'{json.dumps(kind)}: {value}' for kind, value in ENOUGH.items())}}}",
        '"""The confidence from which on an answer is given, in talk among people and with an assistant: see the benchmark."""',
        "",
        f"EVIDENCE_BIAS = {bias:.3f}",
        "EVIDENCE: dict[str, float] = {",
        *(f'    "{field.name}": {value:.3f},' for field, value in zip(dataclasses.fields(Evidence), evidence, strict=True)),
        "}",
        '"""The logistic weights of `sufficiency.Evidence`."""',
        "",
        "PHRASE: dict[str, float] = {",
        *(f'    "{name}": {value:.3f},' for name, value in zip(FEATURES, phrase, strict=True) if abs(value) >= 0.0005),
        "}",
        '"""The linear weights of `phrases.FEATURES`; those not named weigh nothing."""',
        "",
    ]
    WEIGHTS.write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the weights into the program")
    parser.add_argument("--keep", type=Path, help="a folder for the memories, so that the next run finds them")
    options = parser.parse_args()
    run(cases(options.keep), write=options.write)


if __name__ == "__main__":
    main()
