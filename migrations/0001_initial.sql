-- The whole memory in one file. Bottom to top: messages -> pages -> spans -> cues -> claims -> groups and topics.
-- Offsets count Unicode code points and are half-open, [start, end). Times are ISO 8601 text as the transcript gave
-- them; columns named *_at are seconds since 1970 (wall clock where the zone is unknown), used only for order.
--
-- Two laws are kept here, so that no code path can break them:
--   grounding: a claim names a supporting span that exists (deferred foreign key: checked at commit); every cue hangs on a
--              span and is a verbatim slice of its message;
--   authority: only claims carry words of their own. Search keys of every other atom lead to claims through `projections`,
--              and everything an answer may use is read from `facts`.

-- What the file knows about itself ---------------------------------------------------------------------------------

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE models (
    id          INTEGER PRIMARY KEY,
    role        TEXT NOT NULL CHECK (role IN ('embedder', 'llm', 'reranker')),
    name        TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    dimension   INTEGER CHECK (dimension > 0),
    added_at    REAL NOT NULL,
    UNIQUE (role, fingerprint),
    CHECK (role <> 'embedder' OR dimension IS NOT NULL)
) STRICT;

CREATE TABLE ingests (
    id                 INTEGER PRIMARY KEY,
    source             TEXT NOT NULL,
    format             TEXT NOT NULL,
    started_at         REAL NOT NULL,
    finished_at        REAL,
    messages_read      INTEGER NOT NULL DEFAULT 0,
    messages_new       INTEGER NOT NULL DEFAULT 0,
    messages_unchanged INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Transcripts ------------------------------------------------------------------------------------------------------

CREATE TABLE conversations (
    id          INTEGER PRIMARY KEY,
    external_id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE sessions (
    id              INTEGER PRIMARY KEY,
    conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
    external_id     TEXT NOT NULL,
    UNIQUE (conversation_id, external_id)
) STRICT;

CREATE TABLE pages (
    id              INTEGER PRIMARY KEY,
    conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
    session_id      INTEGER REFERENCES sessions ON DELETE CASCADE
) STRICT;
CREATE INDEX pages_conversation ON pages (conversation_id);
CREATE INDEX pages_session ON pages (session_id);

-- Packed text: the zstd-compressed text of several messages, one after another (written by compression).
CREATE TABLE packs (
    id    INTEGER PRIMARY KEY,
    codec TEXT NOT NULL CHECK (codec IN ('zstd')),
    data  BLOB NOT NULL
) STRICT;

CREATE TRIGGER packs_are_immutable
BEFORE UPDATE ON packs
BEGIN
    SELECT RAISE(ABORT, 'a pack is immutable');
END;

-- REPLACE would put other words under the messages that point here, and fires no trigger for the row it deletes.
CREATE TRIGGER packs_are_not_replaced
BEFORE INSERT ON packs
WHEN EXISTS (SELECT 1 FROM packs WHERE id = new.id)
BEGIN
    SELECT RAISE(ABORT, 'a pack is immutable');
END;

CREATE TABLE messages (
    id              INTEGER PRIMARY KEY,
    conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
    session_id      INTEGER REFERENCES sessions ON DELETE CASCADE,
    page_id         INTEGER NOT NULL REFERENCES pages DEFERRABLE INITIALLY DEFERRED,
    position        INTEGER NOT NULL CHECK (position >= 0),
    external_id     TEXT NOT NULL,
    speaker         TEXT NOT NULL CHECK (speaker <> ''),
    role            TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    timestamp       TEXT,
    said_at         REAL,
    text            TEXT,
    length          INTEGER NOT NULL CHECK (length > 0),
    pack_id         INTEGER REFERENCES packs,
    pack_start      INTEGER,
    digest          BLOB NOT NULL UNIQUE CHECK (length(digest) = 16),
    ingest_id       INTEGER REFERENCES ingests,
    locator         TEXT NOT NULL DEFAULT '',
    metadata        TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata)),
    occurrence      INTEGER CHECK (occurrence > 0), -- NULL where the transcript gave an id; see memcli.atoms.Message
    UNIQUE (conversation_id, position),
    UNIQUE (conversation_id, external_id),
    CHECK ((text IS NULL) = (pack_id IS NOT NULL)),
    CHECK (text IS NULL OR length(text) = length),
    CHECK ((pack_id IS NULL) = (pack_start IS NULL))
) STRICT;
CREATE INDEX messages_page ON messages (page_id);
CREATE INDEX messages_session ON messages (session_id);
CREATE INDEX messages_pack ON messages (pack_id) WHERE pack_id IS NOT NULL;

CREATE TRIGGER messages_are_immutable
BEFORE UPDATE OF id, conversation_id, session_id, position, external_id, speaker, role, timestamp, said_at, length, digest ON messages
BEGIN
    SELECT RAISE(ABORT, 'a message is immutable');
END;

-- Words may move into a pack, out of it, or to another pack, if they stay the same words.
CREATE TRIGGER messages_keep_their_words
BEFORE UPDATE OF text, pack_id, pack_start ON messages
WHEN coalesce(new.text, unpack((SELECT data FROM packs WHERE id = new.pack_id), new.pack_start, new.length))
    IS NOT coalesce(old.text, unpack((SELECT data FROM packs WHERE id = old.pack_id), old.pack_start, old.length))
BEGIN
    SELECT RAISE(ABORT, 'a message is immutable');
END;

-- The words of every message, packed or not. `unpack(data, start, length)` is a function of memcli's own connections
-- (memcli.store.packs); other programs read messages.text, which holds every message that compression has not packed.
CREATE VIEW message_texts AS
SELECT m.id, coalesce(m.text, unpack((SELECT data FROM packs WHERE id = m.pack_id), m.pack_start, m.length)) AS text
FROM messages m;

CREATE TABLE spans (
    id           INTEGER PRIMARY KEY,
    message_id   INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
    start_offset INTEGER NOT NULL CHECK (start_offset >= 0),
    end_offset   INTEGER NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('sentence', 'code', 'image', 'quote')),
    words        INTEGER NOT NULL CHECK (words >= 0),
    UNIQUE (message_id, start_offset),
    CHECK (end_offset > start_offset)
) STRICT;

CREATE TRIGGER spans_lie_in_their_message
BEFORE INSERT ON spans
WHEN NOT EXISTS (SELECT 1 FROM messages WHERE id = new.message_id AND length >= new.end_offset)
BEGIN
    SELECT RAISE(ABORT, 'a span must lie within its message');
END;

-- REPLACE, or deferred foreign keys, could otherwise put another span under a claim.
CREATE TRIGGER spans_are_not_replaced
BEFORE INSERT ON spans
WHEN EXISTS (SELECT 1 FROM spans WHERE id = new.id)
BEGIN
    SELECT RAISE(ABORT, 'a span is immutable');
END;

CREATE TRIGGER spans_are_immutable
BEFORE UPDATE ON spans
BEGIN
    SELECT RAISE(ABORT, 'a span is immutable');
END;

-- Cues: they help to find; they never state a truth ----------------------------------------------------------------

-- A concrete thing that is talked about, or a speaker.
CREATE TABLE referents (
    id   INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL CHECK (name <> '')
) STRICT;
CREATE INDEX referents_name ON referents (name COLLATE NOCASE);

-- One mention of a referent: an exact slice of a span.
CREATE TABLE handles (
    id           INTEGER PRIMARY KEY,
    referent_id  INTEGER NOT NULL REFERENCES referents ON DELETE CASCADE,
    span_id      INTEGER NOT NULL REFERENCES spans ON DELETE CASCADE,
    start_offset INTEGER NOT NULL,
    text         TEXT NOT NULL CHECK (text <> ''),
    UNIQUE (span_id, start_offset, text)
) STRICT;
CREATE INDEX handles_referent ON handles (referent_id);

CREATE TABLE time_cues (
    id            INTEGER PRIMARY KEY,
    span_id       INTEGER NOT NULL REFERENCES spans ON DELETE CASCADE,
    start_offset  INTEGER NOT NULL,
    text          TEXT NOT NULL CHECK (text <> ''),
    start_time    TEXT,
    end_time      TEXT,
    granularity   TEXT,
    anchor        TEXT,
    duration_days REAL,
    UNIQUE (span_id, start_offset, text),
    CHECK (start_time IS NULL OR end_time IS NULL OR start_time < end_time),
    CHECK ((granularity IS NULL) = (start_time IS NULL AND end_time IS NULL))
) STRICT;
CREATE INDEX time_cues_start ON time_cues (start_time) WHERE start_time IS NOT NULL;

CREATE TABLE pivots (
    id           INTEGER PRIMARY KEY,
    span_id      INTEGER NOT NULL REFERENCES spans ON DELETE CASCADE,
    start_offset INTEGER NOT NULL,
    text         TEXT NOT NULL CHECK (text <> ''),
    kind         TEXT NOT NULL,
    UNIQUE (span_id, start_offset)
) STRICT;

CREATE TRIGGER handles_are_verbatim
BEFORE INSERT ON handles
WHEN NOT EXISTS (
    SELECT 1 FROM spans s JOIN message_texts m ON m.id = s.message_id
    WHERE s.id = new.span_id AND new.start_offset >= s.start_offset AND new.start_offset + length(new.text) <= s.end_offset
        AND substr(m.text, new.start_offset + 1, length(new.text)) = new.text)
BEGIN
    SELECT RAISE(ABORT, 'a handle must be an exact slice of its span');
END;

CREATE TRIGGER time_cues_are_verbatim
BEFORE INSERT ON time_cues
WHEN NOT EXISTS (
    SELECT 1 FROM spans s JOIN message_texts m ON m.id = s.message_id
    WHERE s.id = new.span_id AND new.start_offset >= s.start_offset AND new.start_offset + length(new.text) <= s.end_offset
        AND substr(m.text, new.start_offset + 1, length(new.text)) = new.text)
BEGIN
    SELECT RAISE(ABORT, 'a time cue must be an exact slice of its span');
END;

CREATE TRIGGER pivots_are_verbatim
BEFORE INSERT ON pivots
WHEN NOT EXISTS (
    SELECT 1 FROM spans s JOIN message_texts m ON m.id = s.message_id
    WHERE s.id = new.span_id AND new.start_offset >= s.start_offset AND new.start_offset + length(new.text) <= s.end_offset
        AND substr(m.text, new.start_offset + 1, length(new.text)) = new.text)
BEGIN
    SELECT RAISE(ABORT, 'a pivot must be an exact slice of its span');
END;

CREATE TRIGGER handles_stay_verbatim BEFORE UPDATE OF span_id, start_offset, text ON handles
BEGIN
    SELECT RAISE(ABORT, 'a handle is an exact slice and does not change');
END;

CREATE TRIGGER time_cues_stay_verbatim BEFORE UPDATE OF span_id, start_offset, text ON time_cues
BEGIN
    SELECT RAISE(ABORT, 'a time cue is an exact slice and does not change');
END;

CREATE TRIGGER pivots_stay_verbatim BEFORE UPDATE OF span_id, start_offset, text ON pivots
BEGIN
    SELECT RAISE(ABORT, 'a pivot is an exact slice and does not change');
END;

-- Claims: the only atoms that state a truth ------------------------------------------------------------------------

CREATE TABLE claims (
    id             INTEGER PRIMARY KEY,
    page_id        INTEGER NOT NULL REFERENCES pages,
    text           TEXT NOT NULL CHECK (trim(text, char(9, 10, 13, 32)) <> ''),
    kind           TEXT NOT NULL CHECK (kind IN ('fact', 'event', 'preference', 'relation', 'constraint', 'state', 'instruction')),
    modality       TEXT NOT NULL DEFAULT 'did' CHECK (modality IN ('did', 'plans', 'wishes', 'asks', 'denies')),
    polarity       TEXT NOT NULL DEFAULT 'positive' CHECK (polarity IN ('positive', 'negative')),
    subject_id     INTEGER REFERENCES referents,
    speaker_id     INTEGER NOT NULL REFERENCES referents,
    said_at        REAL,
    start_time     TEXT,
    end_time       TEXT,
    granularity    TEXT,
    time_cue_id    INTEGER REFERENCES time_cues ON DELETE SET NULL,
    origin         TEXT NOT NULL DEFAULT 'rule' CHECK (origin IN ('rule', 'llm', 'merge')),
    model_id       INTEGER REFERENCES models,
    status         TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
    anchor_span_id INTEGER NOT NULL,
    CHECK (start_time IS NULL OR end_time IS NULL OR start_time < end_time),
    CHECK ((granularity IS NULL) = (start_time IS NULL AND end_time IS NULL)),
    CHECK ((origin = 'rule') OR (origin = 'merge') OR (model_id IS NOT NULL)),
    -- Grounding: the first supporting span must exist as a support of this very claim when the transaction commits.
    FOREIGN KEY (id, anchor_span_id) REFERENCES claim_supports (claim_id, span_id) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX claims_page ON claims (page_id);
CREATE INDEX claims_subject ON claims (subject_id);
CREATE INDEX claims_speaker ON claims (speaker_id);
CREATE INDEX claims_anchor ON claims (anchor_span_id);
CREATE INDEX claims_time_cue ON claims (time_cue_id) WHERE time_cue_id IS NOT NULL;

CREATE TABLE claim_supports (
    claim_id INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE,
    span_id  INTEGER NOT NULL REFERENCES spans,
    position INTEGER NOT NULL CHECK (position >= 0),
    PRIMARY KEY (claim_id, span_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_supports_span ON claim_supports (span_id);

CREATE TRIGGER supporting_spans_stay
BEFORE DELETE ON spans
WHEN EXISTS (SELECT 1 FROM claim_supports WHERE span_id = old.id)
BEGIN
    SELECT RAISE(ABORT, 'a claim rests on this span: delete the claim first');
END;

CREATE TABLE claim_handles (
    claim_id  INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE,
    handle_id INTEGER NOT NULL REFERENCES handles ON DELETE CASCADE,
    PRIMARY KEY (claim_id, handle_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_handles_handle ON claim_handles (handle_id);

-- A keyword exists only as a keyword of a claim, through which spans ground it.
CREATE TABLE keywords (
    id              INTEGER PRIMARY KEY,
    text            TEXT NOT NULL UNIQUE CHECK (text <> ''),
    anchor_claim_id INTEGER NOT NULL,
    FOREIGN KEY (id, anchor_claim_id) REFERENCES claim_keywords (keyword_id, claim_id) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE TABLE claim_keywords (
    keyword_id INTEGER NOT NULL REFERENCES keywords ON DELETE CASCADE,
    claim_id   INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE,
    PRIMARY KEY (keyword_id, claim_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_keywords_claim ON claim_keywords (claim_id);

-- Between two claims. Of a conflict, the source is the later one: it supersedes the target.
CREATE TABLE edges (
    id        INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE,
    target_id INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE,
    relation  TEXT NOT NULL CHECK (relation IN ('supports', 'conflicts', 'related_to')),
    strength  REAL NOT NULL CHECK (strength BETWEEN 0 AND 1),
    UNIQUE (source_id, target_id, relation),
    CHECK (source_id <> target_id)
) STRICT;
CREATE INDEX edges_target ON edges (target_id);

-- Structure over claims: derived, can be rebuilt -------------------------------------------------------------------

CREATE TABLE groups (
    id       INTEGER PRIMARY KEY,
    label    TEXT NOT NULL DEFAULT '',
    centroid BLOB NOT NULL
) STRICT;

CREATE TABLE group_members (
    claim_id INTEGER PRIMARY KEY REFERENCES claims ON DELETE CASCADE,
    group_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE
) STRICT;
CREATE INDEX group_members_group ON group_members (group_id);

CREATE TRIGGER groups_hold_twelve
BEFORE INSERT ON group_members
WHEN (SELECT count(*) FROM group_members WHERE group_id = new.group_id) >= 12
BEGIN
    SELECT RAISE(ABORT, 'a group holds at most 12 claims');
END;

CREATE TRIGGER groups_stay_at_twelve
BEFORE UPDATE OF group_id ON group_members
WHEN new.group_id <> old.group_id AND (SELECT count(*) FROM group_members WHERE group_id = new.group_id) >= 12
BEGIN
    SELECT RAISE(ABORT, 'a group holds at most 12 claims');
END;

CREATE TABLE group_neighbours (
    group_id     INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE,
    neighbour_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE,
    similarity   REAL NOT NULL,
    PRIMARY KEY (group_id, neighbour_id),
    CHECK (group_id <> neighbour_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_neighbours_neighbour ON group_neighbours (neighbour_id);

CREATE TABLE claim_neighbours (
    claim_id     INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE,
    neighbour_id INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE,
    similarity   REAL NOT NULL,
    PRIMARY KEY (claim_id, neighbour_id),
    CHECK (claim_id <> neighbour_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_neighbours_neighbour ON claim_neighbours (neighbour_id);

CREATE TABLE topics (
    id       INTEGER PRIMARY KEY,
    label    TEXT NOT NULL,
    centroid BLOB
) STRICT;

CREATE TABLE topic_keywords (
    keyword_id INTEGER PRIMARY KEY REFERENCES keywords ON DELETE CASCADE,
    topic_id   INTEGER NOT NULL REFERENCES topics ON DELETE CASCADE
) STRICT;
CREATE INDEX topic_keywords_topic ON topic_keywords (topic_id);

-- Compression ------------------------------------------------------------------------------------------------------

CREATE TABLE runs (
    id         INTEGER PRIMARY KEY,
    ratio      REAL NOT NULL CHECK (ratio > 0 AND ratio < 1),
    settings   TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
    started_at REAL NOT NULL,
    undone_at  REAL
) STRICT;

CREATE TABLE event_trees (
    id              INTEGER PRIMARY KEY,
    run_id          INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    center_claim_id INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE
) STRICT;
CREATE INDEX event_trees_run ON event_trees (run_id);
CREATE INDEX event_trees_center ON event_trees (center_claim_id);

CREATE TABLE event_tree_edges (
    event_tree_id INTEGER NOT NULL REFERENCES event_trees ON DELETE CASCADE,
    claim_id      INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE,
    parent_id     INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE,
    similarity    REAL NOT NULL,
    PRIMARY KEY (event_tree_id, claim_id, parent_id),
    CHECK (claim_id <> parent_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_tree_edges_claim ON event_tree_edges (claim_id);
CREATE INDEX event_tree_edges_parent ON event_tree_edges (parent_id);

-- Which claim absorbed which in a run; what `restore` walks back.
CREATE TABLE lineage (
    run_id      INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    archived_id INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE,
    absorber_id INTEGER NOT NULL REFERENCES claims ON DELETE CASCADE,
    PRIMARY KEY (run_id, archived_id),
    CHECK (archived_id <> absorber_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lineage_archived ON lineage (archived_id);
CREATE INDEX lineage_absorber ON lineage (absorber_id);

-- What was forgotten must not come back with the next ingest of the same transcript: digests only, no words.
CREATE TABLE tombstones (
    digest       BLOB PRIMARY KEY CHECK (length(digest) = 16),
    forgotten_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- Answers of a language model, by a hash of model, prompt and settings, so that a killed run resumes.
CREATE TABLE completions (
    digest        BLOB PRIMARY KEY CHECK (length(digest) = 16),
    model_id      INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
    stage         TEXT NOT NULL,
    response      TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL DEFAULT 0,
    answer_tokens INTEGER NOT NULL DEFAULT 0,
    seconds       REAL NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Search: one FTS5 index of views (search keys) for each kind of atom that is searched by words -----------------------
-- Contentless: the words stay where they are (messages, claims); rowid is the atom's id. Text is prepared by
-- memcli.store.search (case, width, CJK, symbols) before it is indexed, so any text can be found again.

CREATE VIRTUAL TABLE span_views USING fts5(
    text, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So'");
CREATE VIRTUAL TABLE claim_views USING fts5(
    text, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So'");
CREATE VIRTUAL TABLE referent_views USING fts5(
    text, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So'");
CREATE VIRTUAL TABLE time_cue_views USING fts5(
    text, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So'");
CREATE VIRTUAL TABLE pivot_views USING fts5(
    text, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So'");
CREATE VIRTUAL TABLE keyword_views USING fts5(
    text, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So'");

-- Authority: the only way from any atom to what an answer may say -----------------------------------------------------

-- Every active claim with one supporting span a row: all that an answer may use.
CREATE VIEW facts AS
SELECT c.id AS claim_id, c.text, c.kind, c.modality, c.polarity, subject.name AS subject, speaker.name AS speaker,
       c.start_time, c.end_time, c.granularity, c.said_at, cs.position AS support_position,
       s.id AS span_id, s.start_offset, s.end_offset, m.id AS message_id, m.external_id AS message_external_id,
       m.speaker AS message_speaker, m.timestamp
FROM claims c
JOIN claim_supports cs ON cs.claim_id = c.id
JOIN spans s ON s.id = cs.span_id
JOIN messages m ON m.id = s.message_id
LEFT JOIN referents subject ON subject.id = c.subject_id
JOIN referents speaker ON speaker.id = c.speaker_id
WHERE c.status = 'active';

-- From a hit on any searchable atom to the active claims that it supports or names.
CREATE VIEW projections AS
SELECT 'claim' AS atom, c.id AS atom_id, c.id AS claim_id FROM claims c WHERE c.status = 'active'
UNION ALL
SELECT 'span', cs.span_id, c.id FROM claim_supports cs JOIN claims c ON c.id = cs.claim_id WHERE c.status = 'active'
UNION ALL
SELECT 'referent', h.referent_id, c.id
FROM handles h JOIN claim_handles ch ON ch.handle_id = h.id JOIN claims c ON c.id = ch.claim_id WHERE c.status = 'active'
UNION ALL
SELECT 'time_cue', t.id, c.id
FROM time_cues t JOIN claim_supports cs ON cs.span_id = t.span_id JOIN claims c ON c.id = cs.claim_id WHERE c.status = 'active'
UNION ALL
SELECT 'pivot', p.id, c.id
FROM pivots p JOIN claim_supports cs ON cs.span_id = p.span_id JOIN claims c ON c.id = cs.claim_id WHERE c.status = 'active'
UNION ALL
SELECT 'keyword', ck.keyword_id, c.id FROM claim_keywords ck JOIN claims c ON c.id = ck.claim_id WHERE c.status = 'active';
