-- What finding the nearest groups needs beside the groups themselves. Derived, like groups: it can be rebuilt, but a run that goes on where
-- another stopped must find it exactly as it was, or it would decide otherwise than one that never stopped.

-- One row once there are groups. `basis` is the projection that cells live in (float32, dimension x 128; NULL: no projection yet),
-- `histogram` counts the groups by the cosine to their nearest neighbour (int64), `next_group` is an id that was never used.
CREATE TABLE group_index (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    next_group INTEGER NOT NULL CHECK (next_group > 0),
    histogram  BLOB NOT NULL,
    basis      BLOB
) STRICT;

-- A cell is a stretch of vector space with the groups that were begun in it: `group_ids` (int64) in the order they are searched in.
CREATE TABLE group_cells (
    id        INTEGER PRIMARY KEY,
    centroid  BLOB NOT NULL,
    group_ids BLOB NOT NULL
) STRICT;
