"""Where what a memory says came from: exports of it, whole or for one claim, one module a format."""
