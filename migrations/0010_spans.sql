-- REPLACE makes room by deleting what stands in the way without a word; a span that begins where another does would so take away the one
-- that a claim rests on, and with foreign keys deferred another could be put under its number.
DROP TRIGGER spans_are_not_replaced;
CREATE TRIGGER spans_are_not_replaced
BEFORE INSERT ON spans
WHEN EXISTS (SELECT 1 FROM spans WHERE id = new.id)
    OR EXISTS (SELECT 1 FROM spans WHERE message_id = new.message_id AND start_offset = new.start_offset)
BEGIN
    SELECT RAISE(ABORT, 'a span is immutable');
END;
