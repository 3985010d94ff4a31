-- What compression puts by: which run made a pack, the vectors of packed messages and their spans, and how what is derived stood before a run.

ALTER TABLE packs ADD COLUMN run_id INTEGER REFERENCES runs;
CREATE INDEX packs_run ON packs (run_id) WHERE run_id IS NOT NULL;

-- The vectors of a pack's messages and of their spans, which are in no index any more: float32, exactly as they were
-- (memcli.store.packed_vectors). `ids` are int64.
CREATE TABLE packed_vectors (
    pack_id INTEGER NOT NULL REFERENCES packs ON DELETE CASCADE,
    family  TEXT NOT NULL CHECK (family IN ('span', 'message')),
    ids     BLOB NOT NULL,
    data    BLOB NOT NULL,
    PRIMARY KEY (pack_id, family)
) STRICT;

-- Groups, links and whatever else a run changes but does not archive, as it stood before (memcli.store.archive).
CREATE TABLE run_states (
    run_id INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    after  TEXT NOT NULL CHECK (json_valid(after)),
    data   BLOB NOT NULL
) STRICT;
