"""Export a sentence-transformers model to ONNX: `python -m memcli.models.export FOLDER DESTINATION FINGERPRINT NAME`.

Runs in a process of its own, so that torch's memory and import time stay out of the one that uses the model. What can be run by
onnxruntime with the same vectors is written as graph, weights, tokenizer and manifest; for what cannot, the manifest says so.
The graph returns finished unit vectors: `input_ids`, `attention_mask` (b, s) int64 -> `embedding` (b, d) float32; and, where they are
means of token states, those: `token_states` (b, s, d) float32. For the latter a copy of the graph with 8-bit weights is written too.
"""

from __future__ import annotations

import importlib.util
import logging
import sys
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memcli.errors import ModelError
from memcli.models.manifest import CONTEXT_FILE, GRAPH_FILE, PROBE_TEXT, TOKENIZER_FILE, WEIGHTS_FILE, Manifest, write_manifest
from memcli.models.onnx_embedder import CONTEXT_COSINE, OnnxEmbedder
from memcli.models.source import ModelSource
from memcli.models.torch_embedder import load_sentence_transformer

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer
    from torch import Tensor

PARITY = 0.9999
"""The least cosine between a text's two vectors at which the export counts as the same model."""

OPSET = 17
"""The first with LayerNormalization as one operator."""

PARITY_TEXTS = (
    "",
    "ok",
    "My sister moved to Porto in March and already speaks better Portuguese than I do!",
    "Wann fährt der letzte Zug? Ich glaube, um zehn nach elf.",
    "昨日、古い時計を直してもらいました。",
    "Вчера мы весь день собирали яблоки в саду.",
    "متى نلتقي غداً؟",
    "🎉🎂 see you at 7 👍🏽",
    "def area(r: float) -> float:\n    return 3.14159 * r ** 2  # cm²",
    "Error 0x80070005: access denied (C:\\Temp\\log.txt), retried 3x at 12:45:07",
    "We planted tomatoes, beans and two rows of carrots behind the shed. " * 9,
    PROBE_TEXT,
)


class NotExportable(Exception):  # noqa: N818 - an outcome, not a failure
    """The model works, but not through onnxruntime; the text says why."""


def export(source: ModelSource, destination: Path, fingerprint: str) -> Manifest:
    """Load the model in `source` and write an entry for it into the empty folder `destination`.

    Raises:
        ModelError: the model cannot even be loaded, or a package that the export needs is missing.
        OSError: the entry cannot be written.
    """
    model = load_sentence_transformer(source)
    try:
        manifest = _export_onnx(model, source, destination, fingerprint)
    except NotExportable as reason:
        manifest = Manifest(fingerprint, "sentence-transformers", str(reason))
    write_manifest(destination, manifest)
    return manifest


def _export_onnx(model: SentenceTransformer, source: ModelSource, destination: Path, fingerprint: str) -> Manifest:
    pooling = _pooling(model)
    tokenizer = _save_tokenizer(model, destination)
    special = _special_tokens(tokenizer)
    _trace(model, pooling, destination)
    manifest = Manifest(
        fingerprint,
        "onnx",
        "",
        dimension=int(model.encode([""], show_progress_bar=False).shape[1]),
        max_tokens=_window(model),
        prefix=special[0],
        suffix=special[1],
        pad=int(model.tokenizer.pad_token_id),
        token_states=pooling == "mean",
        sizes={name: (destination / name).stat().st_size for name in (GRAPH_FILE, WEIGHTS_FILE, TOKENIZER_FILE)},
    )
    try:
        exported = OnnxEmbedder(destination, manifest, source.name).encode(PARITY_TEXTS)
    except Exception as error:
        raise NotExportable(f"onnxruntime cannot run it: {error}") from error
    reference = np.asarray(model.encode(list(PARITY_TEXTS), normalize_embeddings=True, show_progress_bar=False))
    worst = float((exported * reference).sum(axis=1).min())
    if not worst >= PARITY:
        raise NotExportable(f"its exported vectors differ (cosine {worst:.6f})")
    probe = tuple(float(value) for value in exported[PARITY_TEXTS.index(PROBE_TEXT)])
    return _with_8_bits(replace(manifest, probe=probe), destination, source.name)


def _with_8_bits(manifest: Manifest, destination: Path, name: str) -> Manifest:
    """Write the graph with 8-bit weights for texts in context; returns the manifest with it, or as it was if that is no good."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    if not manifest.token_states:
        return manifest
    quantised = destination / CONTEXT_FILE
    try:
        # Seven bits used of eight: CPUs without VNNI would overflow on more. A scale for each channel makes up for it.
        quantize_dynamic(destination / GRAPH_FILE, quantised, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        extended = replace(manifest, sizes={**manifest.sizes, CONTEXT_FILE: quantised.stat().st_size})
        found, expected = (OnnxEmbedder(destination, m, name).encode_in_context([PARITY_TEXTS]) for m in (extended, manifest))
    except Exception:  # onnxruntime raises classes of its own, and any of them means that full weights must do
        quantised.unlink(missing_ok=True)
        return manifest
    if float((found[0] * expected[0]).sum(axis=1).mean()) >= CONTEXT_COSINE:
        return extended
    quantised.unlink()
    return manifest


def _pooling(model: SentenceTransformer) -> str:
    """Return `mean` or `cls` if the model is a transformer, a pooling of one of these modes, and nothing that matters after it."""
    kinds = [type(module).__name__ for module in model]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise NotExportable(f"it is made of {', '.join(kinds)}")
    modes: Any = model[1].pooling_mode
    mode = modes if isinstance(modes, str) else "+".join(modes)
    if mode not in ("mean", "cls"):
        raise NotExportable(f"its pooling is {mode}")
    if model.default_prompt_name is not None:
        raise NotExportable("it puts a prompt before each text")
    return mode


def _window(model: SentenceTransformer) -> int:
    limit = model.max_seq_length
    if limit is None:
        raise NotExportable("its window is not known")
    return int(limit)


def _save_tokenizer(model: SentenceTransformer, destination: Path) -> Tokenizer:
    """Save the tokenizer as loaded, rather than its source file, so that whatever the model's settings change is in it."""
    backend: Tokenizer | None = getattr(model.tokenizer, "backend_tokenizer", None)
    if backend is None or model.tokenizer.pad_token_id is None or getattr(model[0], "do_lower_case", False):
        raise NotExportable("its tokenizer has no portable form")
    backend.no_truncation()
    backend.no_padding()
    backend.save(str(destination / TOKENIZER_FILE))
    return backend


def _special_tokens(tokenizer: Tokenizer) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Ids that the tokenizer puts before and after a text."""
    encoding = tokenizer.encode("a")
    body = [index for index, special in enumerate(encoding.special_tokens_mask) if not special]
    return tuple(encoding.ids[: body[0]]), tuple(encoding.ids[body[-1] + 1 :])


def _trace(model: SentenceTransformer, pooling: str, destination: Path) -> None:
    """Write graph and weights. The weights go into a file of their own, which onnxruntime maps instead of copying it at each start."""
    import onnxruntime
    import torch

    # torch's exporter imports it, and its absence is a fault of the installation, not of the model.
    if importlib.util.find_spec("onnx") is None:
        raise ModelError("the package onnx is needed to prepare an embedding model; pip install onnx")

    first: Any = model[0]
    transformer: Any = first.auto_model if hasattr(first, "auto_model") else first.model

    class Graph(torch.nn.Module):
        """The transformer with pooling and normalisation inside."""

        def __init__(self) -> None:
            super().__init__()
            self.transformer: Any = transformer

        def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, ...]:
            states = self.transformer(input_ids=input_ids, attention_mask=attention_mask, return_dict=False)[0]
            if pooling == "cls":
                vectors = states[:, 0]
            else:
                mask = attention_mask.unsqueeze(-1).to(states.dtype)
                vectors = (states * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            embedding = torch.nn.functional.normalize(vectors, dim=1)
            return (embedding, states) if pooling == "mean" else (embedding,)

    axes = {"input_ids": {0: "b", 1: "s"}, "attention_mask": {0: "b", 1: "s"}, "embedding": {0: "b"}}
    if pooling == "mean":
        axes["token_states"] = {0: "b", 1: "s"}
    ids = torch.full((2, 16), int(model.tokenizer.pad_token_id) + 5)
    mask = torch.ones_like(ids)
    mask[1, 10:] = 0
    with tempfile.TemporaryDirectory(dir=destination) as workshop:
        traced = Path(workshop) / "traced.onnx"
        try:
            # Plain attention traces into standard operators; its speed in torch does not matter here.
            transformer.set_attn_implementation("eager")
            with torch.no_grad():
                # The tracing exporter: the other one needs onnxscript as well and takes several times as long.
                torch.onnx.export(
                    Graph().eval(),
                    (ids, mask),
                    str(traced),
                    input_names=["input_ids", "attention_mask"],
                    output_names=list(axes)[2:],
                    dynamic_axes=axes,
                    opset_version=OPSET,
                    dynamo=False,
                )
        except OSError:
            raise
        except Exception as error:
            raise NotExportable(f"torch cannot export it: {(str(error).strip() or type(error).__name__).splitlines()[0]}") from error
        options = onnxruntime.SessionOptions()
        # Basic optimisation stays within standard operators, so that the entry runs on any CPU and with any onnxruntime;
        # what depends on the CPU is done at each load, in some 10 ms.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(destination / GRAPH_FILE)
        options.add_session_config_entry("session.optimized_model_external_initializers_file_name", WEIGHTS_FILE)
        options.add_session_config_entry("session.optimized_model_external_initializers_min_size_in_bytes", "1024")
        options.log_severity_level = 4
        try:
            onnxruntime.InferenceSession(str(traced), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise NotExportable(f"onnxruntime cannot read it: {(str(error).strip() or type(error).__name__).splitlines()[0]}") from error


def main(arguments: list[str]) -> int:
    """Run the export named by the command line; the last line on stderr is the reason if the result is not 0."""
    folder, destination, fingerprint, name = arguments
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    try:
        export(ModelSource(name, Path(folder)), Path(destination), fingerprint)
    except (ModelError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
