"""`mem search`: the facts only."""

from __future__ import annotations

from memcli import config
from memcli.cli import options
from memcli.cli.batch import answer_batch
from memcli.cli.questions import batch_lines, one_question
from memcli.cli.render.screen import Screen
from memcli.results import Filters

EXAMPLE = """
mem search "marathon training" -k 3
mem search "marathon training" --since 2023-05 --speaker Mara
mem search --batch questions.jsonl > facts.jsonl
"""


def search(
    question: options.Question = None,
    *,
    k: options.Limit = 10,
    explain: options.Explain = False,
    as_of: options.AsOf = None,
    since: options.Since = None,
    until: options.Until = None,
    speaker: options.Speaker = None,
    conversation: options.Conversation = None,
    session: options.Session = None,
    batch: options.Batch = False,
    db: options.Db = None,
    embedder: options.Embedder = None,
    rerank: options.Rerank = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Find facts, best first: no selection, no answer.

    A fact is a claim, [claim 7], with the messages it was read from below it: who, when, the message's id, and the words.
    `mem show` takes both: mem show 7, mem show message:ID.

    Exit status 0 if there are any, 1 if nothing is found; a batch ends with 0 when every line of it was a question. A batch
    line is {"id": ..., "question": "..."}, or a question as it is.
    """
    screen = Screen(json, quiet)
    path = config.resolve_db(db)
    model = config.resolve_embedder(embedder, path)
    filters = Filters(as_of, since, until, speaker, conversation, session)
    if batch:
        with batch_lines(question) as (source, lines):
            from memcli.memory import Memory

            with Memory.open(path, embedder=model, reranker=rerank or None, create=False, read_only=True, notify=screen.note) as memory:
                return answer_batch(
                    screen, source, lines, lambda each: memory.search(each.text, k=k, explain=explain, id=each.id, filters=filters)
                )
    text = one_question(question)
    from memcli.memory import Memory

    with Memory.open(path, embedder=model, reranker=rerank or None, create=False, read_only=True, notify=screen.note) as memory:
        found = memory.search(text, k=k, explain=explain, filters=filters)
    if screen.as_json:
        screen.json(found.to_dict())
    else:
        from memcli.cli.render.facts import print_found

        print_found(screen, found)
        if not found.facts:
            screen.note("nothing found")
    return 0 if found.facts else 1
