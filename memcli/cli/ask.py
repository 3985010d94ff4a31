"""`mem ask`: an answer, and the facts and words behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli import config
from memcli.cli import options
from memcli.cli.batch import answer_batch
from memcli.cli.hiring import hiring
from memcli.cli.questions import batch_lines, one_question
from memcli.cli.render.screen import Screen
from memcli.results import Filters

if TYPE_CHECKING:
    from memcli.memory import Memory

EXAMPLE = """
mem ask "When does the support group meet?"
mem ask "Where does Mara live?" --as-of 2023-06-30
mem ask --batch questions.jsonl > answers.jsonl
mem ask "What does Mara plan?" --llm smollm2
"""


def ask(
    question: options.Question = None,
    *,
    k: options.Limit = 6,
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
    llm: options.Llm = None,
    no_llm: options.NoLlm = False,
    llm_uses: options.LlmUses = None,
    budget: options.Budget = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Answer a question, with the facts and words behind the answer.

    A fact is a claim, [claim 7], with the messages it was read from below it: who, when, the message's id, and the words.
    "support" marks a fact that does not answer by itself but helps to read one that does. `mem show` takes the ids: mem
    show 7, mem show message:ID.

    Exit status 0 if the question is answered, 1 if the evidence is insufficient; a batch ends with 0 when every line of it
    was a question. A batch line is {"id": ..., "question": "..."}, or a question as it is.
    """
    screen = Screen(json, quiet)
    path = config.resolve_db(db)
    model = config.resolve_embedder(embedder, path)
    helper = hiring(llm, no_llm, llm_uses, budget)
    filters = Filters(as_of, since, until, speaker, conversation, session)

    def opened() -> Memory:
        from memcli.memory import Memory

        return Memory.open(path, embedder=model, reranker=rerank or None, llm=helper, create=False, read_only=True, notify=screen.note)

    if batch:
        with batch_lines(question) as (source, lines), opened() as memory:
            return answer_batch(
                screen, source, lines, lambda each: memory.ask(each.text, k=k, explain=explain, id=each.id, filters=filters)
            )
    text = one_question(question)
    with opened() as memory:
        answer = memory.ask(text, k=k, explain=explain, filters=filters)
    if screen.as_json:
        screen.json(answer.to_dict())
    else:
        from memcli.cli.render.facts import print_answer

        print_answer(screen, answer)
    return 0 if answer.sufficient else 1
