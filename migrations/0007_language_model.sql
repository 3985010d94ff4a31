-- What a language model has read and proposed.

-- The prompt by which each page was read last, so that a page that has not grown is not read again.
CREATE TABLE page_readings (
    page_id  INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE,
    stage    TEXT NOT NULL,
    model_id INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
    digest   BLOB NOT NULL CHECK (length(digest) = 16),
    PRIMARY KEY (page_id, stage)
) STRICT, WITHOUT ROWID;
CREATE INDEX page_readings_model ON page_readings (model_id);

-- How many proposals of each stage were accepted, or rejected for which reason.
CREATE TABLE proposal_tallies (
    stage   TEXT NOT NULL,
    outcome TEXT NOT NULL,
    count   INTEGER NOT NULL CHECK (count >= 0),
    PRIMARY KEY (stage, outcome)
) STRICT, WITHOUT ROWID;

-- Of a claim that a language model has put into other words: the words that the rules had written. These are what the gate compares, so
-- that the same thing said again is still the same claim.
CREATE TABLE reworded_claims (
    claim_id  INTEGER PRIMARY KEY REFERENCES claims ON DELETE CASCADE,
    rule_text TEXT NOT NULL
) STRICT;

CREATE TRIGGER claims_get_back_their_words
AFTER UPDATE OF origin ON claims
WHEN new.origin <> 'llm'
BEGIN
    DELETE FROM reworded_claims WHERE claim_id = new.id;
END;

-- The cues that a language model found; the rules found all others.
CREATE TABLE model_handles (
    handle_id INTEGER PRIMARY KEY REFERENCES handles ON DELETE CASCADE,
    model_id  INTEGER NOT NULL REFERENCES models
) STRICT;
CREATE INDEX model_handles_model ON model_handles (model_id);

CREATE TABLE model_pivots (
    pivot_id INTEGER PRIMARY KEY REFERENCES pivots ON DELETE CASCADE,
    model_id INTEGER NOT NULL REFERENCES models
) STRICT;
CREATE INDEX model_pivots_model ON model_pivots (model_id);

-- A line, by a language model, that says what a topic is about; it goes when the topic's keywords change.
CREATE TABLE topic_descriptions (
    topic_id INTEGER PRIMARY KEY REFERENCES topics ON DELETE CASCADE,
    model_id INTEGER NOT NULL REFERENCES models,
    text     TEXT NOT NULL
) STRICT;
CREATE INDEX topic_descriptions_model ON topic_descriptions (model_id);

CREATE TRIGGER topics_gain_keywords AFTER INSERT ON topic_keywords
BEGIN
    DELETE FROM topic_descriptions WHERE topic_id = new.topic_id;
END;

CREATE TRIGGER topics_lose_keywords AFTER DELETE ON topic_keywords
BEGIN
    DELETE FROM topic_descriptions WHERE topic_id = old.topic_id;
END;
