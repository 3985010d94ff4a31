-- Vectors of messages in context, in `message_vectors` (memcli.store.vectors): a block of consecutive messages of a session is embedded as
-- one text, and each of its messages has the mean of its own tokens' states.

-- Which block each message is in, by the id of the block's first message, and how many tokens of the embedder it has. Both are NULL of a
-- message that is not embedded in context yet.
CREATE TABLE message_contexts (
    message_id INTEGER PRIMARY KEY REFERENCES messages ON DELETE CASCADE,
    block_id   INTEGER CHECK (block_id <= message_id),
    tokens     INTEGER CHECK (tokens >= 0),
    CHECK ((block_id IS NULL) = (tokens IS NULL))
) STRICT;
CREATE INDEX message_contexts_block ON message_contexts (block_id);

INSERT INTO message_contexts (message_id) SELECT id FROM messages;

CREATE TRIGGER messages_come_without_a_context
AFTER INSERT ON messages
BEGIN
    INSERT INTO message_contexts (message_id) VALUES (new.id);
END;

-- What was said beside a message that goes must not keep a trace of it: its block is embedded again without it.
CREATE TRIGGER blocks_lose_a_message
BEFORE DELETE ON messages
BEGIN
    UPDATE message_contexts SET block_id = NULL, tokens = NULL
    WHERE block_id = (SELECT block_id FROM message_contexts WHERE message_id = old.id);
END;
