"""The write path, in the order data flows: spans, pages, cues, claims. Pure functions; `memcli.memory` stores what they return."""
