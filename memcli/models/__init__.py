"""Embedding models behind one small protocol.

`load_embedder` is the only door: it turns a name into something that satisfies `Embedder`. Importing this package is cheap;
onnxruntime and tokenizers are imported when a model is loaded, torch and sentence-transformers only while one is exported.
"""

from memcli.models.embedder import DEFAULT_EMBEDDER, Embedder, load_embedder

__all__ = ["DEFAULT_EMBEDDER", "Embedder", "load_embedder"]
