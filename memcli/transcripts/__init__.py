"""Readers of transcripts: one module per format, all yielding `memcli.atoms.Message`.

`read` opens a file, folder or stream and finds out its format. To add a format, write a module with a `READER`
(see `reader.Reader`) and list it in `detect.READERS`.
"""

from memcli.transcripts.detect import formats
from memcli.transcripts.transcript import Transcript, read

__all__ = ["Transcript", "formats", "read"]
