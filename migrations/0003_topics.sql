-- Topics are refreshed where their keywords have changed. Which keywords those are is written down here, by whatever changes a
-- claim's keywords, and wiped by the refresh.

CREATE TABLE touched_keywords (
    keyword_id INTEGER PRIMARY KEY
) STRICT;

INSERT INTO touched_keywords SELECT id FROM keywords;

CREATE TRIGGER keywords_are_touched_by_a_claim
AFTER INSERT ON claim_keywords
BEGIN
    INSERT OR IGNORE INTO touched_keywords VALUES (new.keyword_id);
END;

CREATE TRIGGER keywords_are_touched_by_a_lost_claim
AFTER DELETE ON claim_keywords
BEGIN
    INSERT OR IGNORE INTO touched_keywords VALUES (old.keyword_id);
END;

CREATE TRIGGER keywords_are_touched_by_a_claims_status
AFTER UPDATE OF status ON claims
WHEN new.status <> old.status
BEGIN
    INSERT OR IGNORE INTO touched_keywords SELECT keyword_id FROM claim_keywords WHERE claim_id = new.id;
END;

-- A claim's vector is the mean of its supports', so a topic's centroid moves with them.
CREATE TRIGGER keywords_are_touched_by_a_support
AFTER INSERT ON claim_supports
BEGIN
    INSERT OR IGNORE INTO touched_keywords SELECT keyword_id FROM claim_keywords WHERE claim_id = new.claim_id;
END;

-- Those that stay behind in the topic of a keyword that goes.
CREATE TRIGGER keywords_are_touched_by_a_lost_keyword
BEFORE DELETE ON keywords
BEGIN
    INSERT OR IGNORE INTO touched_keywords
    SELECT keyword_id FROM topic_keywords WHERE topic_id = (SELECT topic_id FROM topic_keywords WHERE keyword_id = old.id);
END;

CREATE TRIGGER topics_hold_fifteen
BEFORE INSERT ON topic_keywords
WHEN (SELECT count(*) FROM topic_keywords WHERE topic_id = new.topic_id) >= 15
BEGIN
    SELECT RAISE(ABORT, 'a topic holds at most 15 keywords');
END;

CREATE TRIGGER topics_stay_at_fifteen
BEFORE UPDATE OF topic_id ON topic_keywords
WHEN new.topic_id <> old.topic_id AND (SELECT count(*) FROM topic_keywords WHERE topic_id = new.topic_id) >= 15
BEGIN
    SELECT RAISE(ABORT, 'a topic holds at most 15 keywords');
END;
