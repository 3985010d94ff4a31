"""Models behind a server: a real llama_cpp.server on this machine, and one that misbehaves as servers do."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import ModelError
from memcli.models import wire
from memcli.models.check import try_model
from memcli.models.grammar import conforms
from memcli.models.language import Prompt, load_language_model
from memcli.models.llama import LlamaModel
from memcli.models.server import ServerModel

KEY = "sk-this-is-the-secret-key"
GOAT = Prompt(
    "You read messages of a chat. Write down what each speaker states, in short sentences of their own.",
    "1. Ottilie: I adopted a three-legged goat named Brunhilde yesterday.\n2. Bram: Where will she sleep?",
)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"speaker": {"type": "string", "maxLength": 30}, "says": {"type": "string", "maxLength": 80}},
    "required": ["speaker", "says"],
}
GOOD = '{"speaker": "Bram", "says": "Where?"}'


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_FIRST_WAIT", 0.01)
    for key in ("MEM_LLM_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(key, raising=False)


@pytest.fixture(scope="session")
def address(smollm: Path) -> Iterator[str]:
    """A real server of the same model, which also tells likelihoods."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Its way with requests at once is one after another.
    settings = {"model": smollm, "model_alias": "smol", "n_ctx": 1024, "n_threads": 1, "n_threads_batch": 1, "logits_all": "true"}
    options = [text for key, value in settings.items() for text in (f"--{key}", str(value))]
    command = [sys.executable, "-m", "llama_cpp.server", "--host", "127.0.0.1", "--port", str(port), *options]
    environment = {key: value for key, value in os.environ.items() if key != "MODEL"}
    child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and child.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        child.terminate()
        child.wait(10)


@pytest.fixture
def real(address: str) -> Iterator[ServerModel]:
    model = ServerModel(f"{address}#smol")
    yield model
    model.close()


def test_a_real_server_answers_in_text_and_in_json(real: ServerModel) -> None:
    text = real.complete(GOAT, max_tokens=50)
    assert "goat" in text.text
    answer = real.complete(GOAT, max_tokens=120, schema=SCHEMA)
    assert answer.finished
    assert conforms(json.loads(answer.text), SCHEMA)
    cut = real.complete(GOAT, max_tokens=5, schema=SCHEMA)
    assert (cut.finished, cut.answer_tokens) == (False, 5)


def test_a_real_server_counts_as_the_model_in_this_process_does(real: ServerModel, llama: LlamaModel) -> None:
    for text in ("", "The goat sleeps.", "我们的期中报告下周五交。"):
        assert real.count_tokens(text) == llama.count_tokens(text)
    assert real.complete(GOAT, max_tokens=1).prompt_tokens == llama.complete(GOAT, max_tokens=1).prompt_tokens


def test_a_real_server_is_as_unsure_as_the_model_in_this_process(real: ServerModel, llama: LlamaModel) -> None:
    there, here = real.uncertainty(GOAT, tokens=3), llama.uncertainty(GOAT, tokens=3)
    assert there.answer_tokens == here.answer_tokens == 3
    # How many tokens are computed at once moves a quantised model's figures.
    assert there.mean_nll == pytest.approx(here.mean_nll, abs=0.3)


def test_figures_of_the_wrong_tokens_are_refused(real: ServerModel) -> None:
    # This server, given a model without a token for beginnings, tells each token's likelihood a place too early.
    with pytest.raises(ModelError, match="does not tell how likely a given text is"):
        real.likelihood(Prompt("Say yes.", "Yes?"), "Yes.")


def test_a_real_server_takes_several_requests_at_once(real: ServerModel) -> None:
    assert real.parallel == 4
    prompts = [Prompt("Repeat the word.", word) for word in ("ferry", "kettle", "kiln", "tent")]
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda prompt: real.complete(prompt, max_tokens=6), prompts))
    assert all(answer.prompt_tokens > 5 for answer in answers)


def test_a_server_is_tried_like_a_file(real: ServerModel) -> None:
    found = try_model(real)
    assert (found.chat, found.json_valid, found.context) == (None, True, 4096)
    assert found.prompt_tokens > 150
    assert found.to_dict()["answer_tokens_per_second"] > 0


def test_the_first_model_of_the_list_is_taken_when_none_is_named(address: str) -> None:
    unnamed, named = ServerModel(address), ServerModel(f"{address}#smol")
    assert unnamed.fingerprint == named.fingerprint
    assert (unnamed.name, named.name) == (address, f"{address}#smol")
    unnamed.close()


# A server that misbehaves --------------------------------------------------------------------------------------------------


@dataclass
class Script:
    """What the server answers, one after another, the last for ever; and what it was asked."""

    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    asked: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    url: str = ""
    delay: float = 0.0

    def then(self, status: int, body: object = b"", **headers: str) -> Script:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers.append((status, {key.replace("_", "-"): value for key, value in headers.items()}, data))
        return self

    def says(self, text: str, finish: str = "stop", **more: object) -> Script:
        return self.then(200, {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}], **more})


@pytest.fixture
def serve() -> Iterator[Callable[[], Script]]:
    running: list[ThreadingHTTPServer] = []

    def start() -> Script:
        script = Script()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {key.lower(): value for key, value in self.headers.items()}
                script.asked.append((self.path, headers, json.loads(body or b"{}")))
                status, more, data = script.answers.pop(0) if len(script.answers) > 1 else script.answers[0]
                time.sleep(script.delay)
                if status == 0:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response(status)
                for key, value in more.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        running.append(server)
        script.url = f"http://127.0.0.1:{server.server_port}/v1#m"
        return script

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


Serve = Callable[[], Script]


def test_failures_that_pass_are_tried_again(serve: Serve) -> None:
    script = serve().then(503).then(429, {"error": {"message": "slow down"}}, Retry_After="0").then(0).then(502, b"<html>").says("Yes.")
    told: list[str] = []
    model = ServerModel(script.url, notify=told.append)
    assert model.complete(GOAT, max_tokens=9).text == "Yes."
    assert len(script.asked) == 5
    assert len(told) == 3  # what becomes of a connection that was kept open is nobody's concern
    assert "slow down" in told[1]
    model.close()


def test_failures_that_stay_end_in_one_line(serve: Serve) -> None:
    script = serve().then(503, {"error": {"message": "loading\nmodel"}})
    model = ServerModel(script.url)
    with pytest.raises(ModelError, match=r"answers 503 \(loading model\), 5 times in a row") as failed:
        model.complete(GOAT, max_tokens=9)
    assert "\n" not in str(failed.value)
    assert len(script.asked) == 5
    model.close()


def test_nobody_listening_is_said_so() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        model = ServerModel(f"http://127.0.0.1:{taken.getsockname()[1]}#m")
        with pytest.raises(ModelError, match=r"cannot be reached \(nothing listens there\)"):
            model.complete(GOAT, max_tokens=9)


def test_a_server_that_does_not_answer_is_not_waited_for_for_ever(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEM_LLM_TIMEOUT", "1")
    script = serve().says("late")
    script.delay = 2.5
    model = ServerModel(script.url)
    with pytest.raises(ModelError, match="no answer within 1 seconds"):
        model.complete(GOAT, max_tokens=9)
    model.close()


def test_the_key_is_sent_to_its_server_and_shown_nowhere(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEM_LLM_API_KEY", KEY)
    elsewhere = serve().says("caught")
    script = serve().then(400, {"error": {"message": f"bad key {KEY}"}})
    script.then(307, b"", Location=elsewhere.url.replace("#m", "/chat/completions")).then(401, {"error": KEY})
    told: list[str] = []
    model = ServerModel(script.url, notify=told.append)
    for says in ("bad key", "it points to http://127.0.0.1", "set MEM_LLM_API_KEY"):
        with pytest.raises(ModelError, match=says) as failed:
            model.complete(GOAT, max_tokens=9)
        assert KEY not in str(failed.value)
    assert [headers["authorization"] for _, headers, _ in script.asked] == [f"Bearer {KEY}"] * 3
    assert elsewhere.asked == []
    assert KEY not in repr([model.name, model.fingerprint, told])
    model.close()


def test_a_proxy_of_the_environment_is_not_given_the_transcript(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, script = serve().says("caught"), serve().says("Yes.")
    monkeypatch.setenv("http_proxy", proxy.url)
    model = ServerModel(script.url)
    assert model.complete(GOAT, max_tokens=9).text == "Yes."
    assert proxy.asked == []
    model.close()


def test_the_key_of_another_service_is_not_sent_unencrypted_to_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.models import server

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert server._key("http", "llm.example.org") is None
    assert server._key("http", "localhost") == server._key("https", "llm.example.org") == KEY


def test_a_server_that_refuses_a_schema_is_told_in_words_from_then_on(serve: Serve) -> None:
    script = serve().then(400, {"error": {"message": "response_format json_schema is not supported"}})
    script.then(422, {"detail": "extra field"}).then(400, {"error": "no response_format"}).says(f"```json\n{GOOD}\n```")
    model = ServerModel(script.url)
    for _ in range(2):
        answer = model.complete(GOAT, max_tokens=50, schema=SCHEMA)
        assert (answer.text, answer.finished) == (GOOD, True)
    assert [body.get("response_format", {}).get("type") for _, _, body in script.asked] == [
        "json_schema", "json_object", "json_object", None, None,
    ]  # fmt: skip
    assert '"maxLength": 30' in script.asked[-1][2]["messages"][0]["content"]
    model.close()


def test_a_server_that_takes_no_notice_of_a_schema_is_told_in_words(serve: Serve) -> None:
    script = serve().then(400, b"{}").says('{"answer": 1}').says(GOOD)
    model = ServerModel(script.url)
    assert model.complete(GOAT, max_tokens=50, schema=SCHEMA).text == GOOD
    assert '"maxLength": 30' in script.asked[-1][2]["messages"][0]["content"]
    model.close()


@pytest.mark.parametrize("text", ["I would rather not.", '{"speaker": 5, "says": ""}', '{"speaker": "Bram"', ""])
def test_an_answer_that_breaks_the_schema_is_not_finished(serve: Serve, text: str) -> None:
    script = serve().says(text)
    model = ServerModel(script.url)
    assert not model.complete(GOAT, max_tokens=50, schema=SCHEMA).finished
    model.close()


def test_thoughts_are_not_the_answer(serve: Serve) -> None:
    script = serve().says("<think>\nA goat.\n</think>\n\nBrunhilde.").says("<think>\nHm", finish="length")
    model = ServerModel(script.url)
    assert model.complete(GOAT, max_tokens=50).text == "Brunhilde."
    cut = model.complete(GOAT, max_tokens=50)
    assert (cut.text, cut.finished) == ("", False)
    model.close()


def test_control_tokens_in_a_message_are_broken_up(serve: Serve) -> None:
    script = serve().says("Yes.")
    model = ServerModel(script.url)
    model.complete(Prompt("Read.", "a<|im_end|>b</s>c[/INST]d<3 e<end_of_turn>"), max_tokens=5)
    assert script.asked[0][2]["messages"][1]["content"] == "a< |im_end|>b< /s>c[ /INST]d<3 e< end_of_turn>"
    model.close()


def test_a_prompt_that_is_too_long_is_no_reason_to_do_without_schemas(serve: Serve) -> None:
    script = serve().then(400, {"error": {"message": "the request exceeds the available context size"}}).says(GOOD)
    model = ServerModel(script.url)
    with pytest.raises(ModelError, match="exceeds the available context"):
        model.complete(GOAT, max_tokens=50, schema=SCHEMA)
    model.complete(GOAT, max_tokens=50, schema=SCHEMA)
    assert script.asked[-1][2]["response_format"]["type"] == "json_schema"
    model.close()


def test_likelihoods_are_taken_from_a_server_that_echoes_them(serve: Serve) -> None:
    before = len(f"{GOAT.instructions}\n\n{GOAT.content}\n\nAnswer: ")
    script = serve().then(200, {"choices": [{"text": "", "logprobs": {
        "text_offset": [0, before, before + 4, before + 5],
        "token_logprobs": [None, -0.5, -1.5, -0.25],
        "top_logprobs": [None, {"Goat": -0.5}, {".": -1.5}, {" ": -0.25, "!": -3.0}],
    }}]})  # fmt: skip
    model = ServerModel(script.url)
    found = model.likelihood(GOAT, "Goat.")
    assert (found.mean_nll, found.answer_tokens) == (1.0, 2)
    model.close()


def test_what_is_not_offered_is_asked_for_once_and_guessed_rather_too_large(serve: Serve) -> None:
    script = serve().then(404, {"error": "no such path"})
    model = ServerModel(script.url)
    for text in ("The goat sleeps in the old boathouse.", "我们的期中报告下周五交。"):
        assert model.count_tokens(text) >= len(text) // 3
    assert [path for path, _, _ in script.asked] == ["/tokenize", "/extras/tokenize/count"]
    with pytest.raises(ModelError, match="does not tell how likely its tokens are"):
        model.uncertainty(GOAT)
    model.close()


def test_what_the_server_tells_of_its_model_is_used(serve: Serve) -> None:
    script = serve().then(200, {"data": [{"id": "other"}, {"id": "m", "meta": {"n_ctx": 32768, "n_params": 4_022_468_096}}]})
    model = ServerModel(script.url)
    assert (model.context, model.parameters) == (32768, 4_022_468_096)
    model.close()


@pytest.mark.parametrize(("named", "parameters"), [("qwen3:4b", 4_000_000_000), ("SmolLM2-135M-Instruct", 135_000_000), ("gpt-x", None)])
def test_a_models_size_is_read_off_its_name(serve: Serve, named: str, parameters: int | None) -> None:
    script = serve().then(404)
    model = ServerModel(script.url.replace("#m", f"#{named}"))
    assert (model.parameters, model.context) == (parameters, 4096)
    model.close()


@pytest.mark.parametrize("body", [b"not json", b"[]", b"{}", b'{"choices": [{"message": {"content": 5}}]}', b"\xff" * 9])
def test_an_answer_that_is_none_is_one_line(serve: Serve, body: bytes) -> None:
    script = serve().then(200, body)
    model = ServerModel(script.url)
    with pytest.raises(ModelError, match="OpenAI-compatible") as failed:
        model.complete(GOAT, max_tokens=5)
    assert "\n" not in str(failed.value)
    model.close()


@pytest.mark.parametrize("url", ["http://", "http://host:port/v1", "https://user:secret@host/v1", "http://host/v1?key=secret"])
def test_an_address_that_is_none_is_refused_without_its_secrets(url: str) -> None:
    with pytest.raises(ModelError) as refused:
        load_language_model(url)
    assert "secret" not in str(refused.value)
