"""Fit the weights of ranking on labelled conversations: `LOCOMO=... BEAM=... python -m benchmarks.fit_ranking [--write] [--keep DIR]`.

A logistic model of whether a message is evidence, over the features of `memcli.read.features`, which know no topic, person or data
set. All messages of a conversation take part; a question's evidence weighs `EVIDENCE_WEIGHT` together, however many messages it
is, and the data sets as in `SET_WEIGHT`. It is fitted once without each conversation, to say how it does on one never seen, and once
on all, to write memcli/read/rank_weights.py. Recall here is of messages by their scores; `python -m benchmarks retrieval` walks the facts.
"""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from benchmarks.data import datasets, scratch_folder
from memcli import Memory
from memcli.models import load_embedder
from memcli.read.features import KINDS, NAMES
from memcli.recall import Recall
from memcli.store.connection import connect

WEIGHTS = Path(__file__).resolve().parents[1] / "memcli" / "read" / "rank_weights.py"

CUTS = (20, 10, 5)

EVIDENCE_WEIGHT = 10.0
"""Against 1 for each message that is no evidence."""

STRENGTH = 0.05
"""Inverse of the L2 penalty; the result is flat from 0.01 to 0.3."""

SET_WEIGHT = {"locomo": 1.0, "beam": 0.5, "examples": 0.5}

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A question with the features of every message of its conversation; `evidence` is 1 for those that answer it."""

    dataset: str
    conversation: str
    category: str
    features: Floats
    kinds: NDArray[np.int64]
    evidence: Floats


def cases(keep: Path | None) -> list[Case]:
    """Every question with evidence, of every data set on this machine."""
    out = []
    embedder = load_embedder()
    with scratch_folder() as scratch:
        folder = keep or Path(scratch)
        for dataset, conversations in datasets(Path(scratch)):
            for conversation in conversations:
                path = folder / f"{dataset}-{conversation.name}.memdb"
                with Memory.open(path) as memory:
                    memory.ingest([conversation.path], format=conversation.format)
                with closing(connect(path, read_only=True)) as connection:
                    recall = Recall(connection, lambda: embedder)
                    order = "SELECT external_id FROM messages ORDER BY conversation_id, position"
                    ids = [row[0] for row in connection.execute(order)]
                    for q in conversation.questions:
                        evidence = np.array([i in q.evidence for i in ids], np.float64)
                        if evidence.any():
                            features, kinds = recall.features(q.question)
                            out.append(Case(dataset, conversation.name, q.category, features.astype(np.float32), kinds, evidence))
    return out


def fit(some: list[Case]) -> Floats:
    """The weight of each feature, for features as they come, and the bias: (len(KINDS), features + 1)."""
    return np.stack([_fit_kind(some, kind) for kind in range(len(KINDS))])


def _fit_kind(some: list[Case], kind: int) -> Floats:
    rows = [c.kinds == kind for c in some]
    x = np.concatenate([c.features[own] for c, own in zip(some, rows, strict=True)])
    y = np.concatenate([c.evidence[own] for c, own in zip(some, rows, strict=True)])
    share = np.concatenate(
        [
            np.where(c.evidence > 0, EVIDENCE_WEIGHT / c.evidence.sum(), 1.0)[own] * SET_WEIGHT[c.dataset]
            for c, own in zip(some, rows, strict=True)
        ]
    )
    mean, deviation = x.mean(0), x.std(0)
    deviation[deviation < 1e-6] = np.inf
    model = LogisticRegression(C=STRENGTH, max_iter=2000).fit((x - mean) / deviation, y, sample_weight=share)
    weights = model.coef_[0] / deviation
    return np.append(weights, model.intercept_[0] - weights @ mean)


def recalls(case: Case, weights: Floats) -> list[float]:
    """Recall of the case's evidence at each of `CUTS`."""
    own = weights[case.kinds]
    order = np.argsort(-((case.features * own[:, :-1]).sum(1) + own[:, -1]), kind="stable")
    return [float(case.evidence[order[:cut]].sum() / case.evidence.sum()) for cut in CUTS]


def report(label: str, some: list[Case], values: list[list[float]]) -> None:
    """Print means by data set and category."""
    for dataset in dict.fromkeys(c.dataset for c in some):
        rows = [(c, v) for c, v in zip(some, values, strict=True) if c.dataset == dataset]
        means = " / ".join(f"{np.mean([v[i] for _, v in rows]):.4f}" for i in range(len(CUTS)))
        kinds = sorted({c.category for c, _ in rows})
        by = "  ".join(f"{kind} {np.mean([v[0] for c, v in rows if c.category == kind]):.3f}" for kind in kinds)
        print(f"{label} {dataset}: recall@20 / @10 / @5 {means}; @20: {by}", flush=True)


def write_weights(weights: Floats) -> None:
    """Write the module of constants."""
    lines = [
        '"""What each feature of a message is worth, fitted on labelled development conversations by benchmarks/fit_ranking.py."""',
        "",
        "from __future__ import annotations",
        "",
        "RANK: dict[str, dict[str, float]] = {",
    ]
    for kind, row in zip(KINDS, weights, strict=True):
        lines += [
            f'    "{kind}": {{',
            *(f'        "{name}": {value:.4f},' for name, value in zip((*NAMES, "bias"), row, strict=True)),
            "    },",
        ]
    lines += ["}", '"""The linear weights of `features.NAMES` by `features.KINDS`."""', ""]
    WEIGHTS.write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    """Fit, report, and write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the weights into the program")
    parser.add_argument("--keep", type=Path, help="a folder for the memories, so that the next run finds them")
    options = parser.parse_args()
    every = cases(options.keep)
    unseen: list[list[float]] = [[] for _ in every]
    for name in dict.fromkeys((c.dataset, c.conversation) for c in every):
        weights = fit([c for c in every if (c.dataset, c.conversation) != name])
        for i, case in enumerate(every):
            if (case.dataset, case.conversation) == name:
                unseen[i] = recalls(case, weights)
    report("conversation left out,", every, unseen)
    weights = fit(every)
    report("in sample,", every, [recalls(case, weights) for case in every])
    if options.write:
        write_weights(weights)


if __name__ == "__main__":
    main()
