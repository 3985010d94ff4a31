-- The words of packed messages stay in the index, which is small: compression takes only the vectors of their spans out.
-- Earlier versions took the words out as well. `search_text(text)` is a function of memcli's own connections (memcli.store.search).
INSERT INTO span_views (rowid, text)
SELECT s.id, search_text(substr(t.text, s.start_offset + 1, s.end_offset - s.start_offset))
FROM spans s JOIN messages m ON m.id = s.message_id AND m.pack_id IS NOT NULL JOIN message_texts t ON t.id = m.id
WHERE t.text IS NOT NULL AND NOT EXISTS (SELECT 1 FROM span_views_docsize d WHERE d.id = s.id);
