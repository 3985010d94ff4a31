-- Claims as they were told: what compression has put into one claim is still read, and judged, as each of its parts was told, in the name
-- of the active claim that stands for it. The columns are those of the view `facts`, which has the active claims only.
CREATE VIEW told AS
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
WHERE c.status = 'active' OR EXISTS (SELECT 1 FROM lineage l WHERE l.archived_id = c.id);
