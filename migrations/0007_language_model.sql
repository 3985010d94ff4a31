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
