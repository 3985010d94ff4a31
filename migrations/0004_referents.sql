-- How mentions find their referents: the keys by which each is known, and what tells namesakes apart. Both are derived
-- from handles and the messages around them, in the order of the file.

-- One key of a referent within a conversation; conversation 0 holds the keys that mean the same thing everywhere.
-- `short` keys are those of shorter mentions that may mean it ("Ada" of "Ada Quill"). `last_position` and `last_handle` are
-- the message's position and the handle's id of the last mention by that key; 0 where nothing was mentioned yet.
CREATE TABLE referent_keys (
    conversation_id INTEGER NOT NULL,
    key             TEXT NOT NULL CHECK (key <> ''),
    referent_id     INTEGER NOT NULL REFERENCES referents ON DELETE CASCADE,
    short           INTEGER NOT NULL DEFAULT 0 CHECK (short IN (0, 1)),
    last_position   INTEGER NOT NULL,
    last_handle     INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, key, referent_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX referent_keys_referent ON referent_keys (referent_id);

CREATE TABLE referent_qualifiers (
    referent_id INTEGER NOT NULL REFERENCES referents ON DELETE CASCADE,
    qualifier   TEXT NOT NULL CHECK (qualifier <> ''),
    PRIMARY KEY (referent_id, qualifier)
) STRICT, WITHOUT ROWID;

-- Words that a conversation has shown to be names, each with the span that showed it first.
CREATE TABLE name_words (
    conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
    word            TEXT NOT NULL CHECK (word <> ''),
    span_id         INTEGER NOT NULL REFERENCES spans ON DELETE CASCADE,
    PRIMARY KEY (conversation_id, word)
) STRICT, WITHOUT ROWID;
CREATE INDEX name_words_span ON name_words (span_id);

-- What earlier versions of the program stored: its referents were one for each name in the whole file.
INSERT INTO referent_keys (conversation_id, key, referent_id, short, last_position, last_handle)
SELECT m.conversation_id, lower(r.name), r.id, 0, max(m.position), max(h.id)
FROM referents r JOIN handles h ON h.referent_id = r.id JOIN spans s ON s.id = h.span_id JOIN messages m ON m.id = s.message_id
GROUP BY m.conversation_id, r.id;
INSERT OR IGNORE INTO referent_keys (conversation_id, key, referent_id, short, last_position, last_handle)
SELECT 0, lower(name), id, 0, 0, 0 FROM referents WHERE kind = 'person';
