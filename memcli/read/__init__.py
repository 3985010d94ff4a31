"""The read path, in the order data flows: query, routes, fuse, facts, answer. Pure functions over a `Snapshot`."""
