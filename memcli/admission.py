"""Letting claims into the memory, through the gate: merged into what says the same, else stored, linked and grouped.

draft -> nearest claims (groups) and claims that share telling words -> judge -> merge | store + edges -> group
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.atoms import DraftClaim
from memcli.store import claims as claim_rows
from memcli.store import gate as gate_rows
from memcli.store import vectors
from memcli.store.gate import StoredClaim
from memcli.write.gate import SIMILARITY_FLOOR, Existing, Verdict, conflict_terms, judge, sign_draft, sign_stored
from memcli.write.groups import Groups

REMEMBERED = 8192
"""Claims whose signs are remembered, those signed last: some 5 kB each. Three in four that a new claim is judged beside were met before."""

CANDIDATES = 10
"""Nearest claims that a new one is judged beside (MemCoRe's gate; all duplicates of ten development memories were among them)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim that asks to be let in.

    `supports` are span ids, the anchor first; `support_vectors` (supports, dimension) float32 are their unit vectors; `handles` the
    texts of their handles; `extent` the anchor's length in characters.
    """

    draft: DraftClaim
    supports: tuple[int, ...]
    support_vectors: NDArray[np.float32]
    handles: tuple[str, ...]
    extent: int
    page: int
    said_at: float | None
    time_cue: int | None


@dataclass(frozen=True, slots=True)
class Admitted:
    """What became of a candidate: the claim that holds it now, whether it joined an existing one, and how many edges it brought."""

    claim_id: int
    merged: bool
    edges: int


class Admission:
    """The door of one open memory. Drop it after a rollback and make a new one."""

    def __init__(self, connection: apsw.Connection) -> None:
        """Take up the groups of the memory."""
        self._connection = connection
        self._groups = Groups(connection)
        self._signed: dict[int, tuple[StoredClaim, Existing]] = {}

    def admit(self, candidate: Candidate) -> Admitted:
        """Judge a claim and store what follows from it, within the caller's transaction."""
        vector = mean_vector(candidate.support_vectors)
        verdict = self._judge(candidate, vector)
        if verdict.merge_id is not None:
            self._merge(candidate, verdict.merge_id, replaces=verdict.replaces_text)
            return Admitted(verdict.merge_id, merged=True, edges=0)
        claim_id = claim_rows.insert_claim(
            self._connection,
            candidate.draft,
            page=candidate.page,
            said_at=candidate.said_at,
            supports=candidate.supports,
            time_cue=candidate.time_cue,
        )
        vectors.insert_vectors(self._connection, "claim", [(claim_id, vector)])
        self._groups.add(claim_id, vector)
        edges = gate_rows.insert_edges(
            self._connection,
            (
                (claim_id, link.target_id, link.relation, link.strength)
                if link.new_is_source
                else (link.target_id, claim_id, link.relation, link.strength)
                for link in verdict.links
            ),
        )
        return Admitted(claim_id, merged=False, edges=edges)

    def flush(self) -> None:
        """Write the groups that have changed, within the caller's transaction."""
        self._groups.flush()

    def _judge(self, candidate: Candidate, vector: NDArray[np.float32]) -> Verdict:
        new = sign_draft(candidate.draft, vector, said_at=candidate.said_at, handles=candidate.handles, extent=candidate.extent)
        near = [claim for claim, cosine in self._groups.nearest_claims(vector, CANDIDATES) if cosine >= SIMILARITY_FLOOR]
        for terms in conflict_terms(new.signature):
            near += gate_rows.claims_with(self._connection, candidate.draft.speaker, terms)
        return judge(new, self._existing(list(dict.fromkeys(near))))

    def _existing(self, claim_ids: Sequence[int]) -> list[Existing]:
        """These claims, signed: as remembered, where the file says of them what it said then."""
        if not claim_ids:
            return []
        stored = gate_rows.load_existing(self._connection, claim_ids)
        unknown = [claim for claim in stored if claim.id not in self._signed or self._signed[claim.id][0] != claim]
        matrix = vectors.fetch_vectors(self._connection, "claim", [claim.id for claim in unknown])
        for claim, row in zip(unknown, matrix, strict=True):
            self._signed[claim.id] = claim, sign_stored(claim, row)
        found = [self._signed[claim.id][1] for claim in stored]
        for claim_id in list(itertools.islice(self._signed, max(0, len(self._signed) - REMEMBERED))):
            del self._signed[claim_id]
        return found

    def _merge(self, candidate: Candidate, claim_id: int, *, replaces: bool) -> None:
        self._signed.pop(claim_id, None)
        merged = gate_rows.apply_merge(
            self._connection,
            claim_id,
            candidate.draft,
            supports=candidate.supports,
            replaces=replaces,
            page=candidate.page,
            said_at=candidate.said_at,
            time_cue=candidate.time_cue,
        )
        if merged.stale_vector:
            vector = mean_vector(vectors.fetch_vectors(self._connection, "span", merged.supports))
            vectors.delete_vectors(self._connection, "claim", [claim_id])
            vectors.insert_vectors(self._connection, "claim", [(claim_id, vector)])
            self._groups.replace(claim_id, vector)
        else:
            self._groups.touch(claim_id)


def mean_vector(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """The L2-normalised mean of unit rows: (n, dimension) -> (dimension,), float32; n is at least 1."""
    total = matrix.sum(axis=0, dtype=np.float32)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), np.float32)
