"""A memory of as many claims as one likes, made without an embedding model: for measures of scale.

Invented people talk in invented words about subjects that come, go and return. A text's vector is the mean of its words', each a direction
of its own, and these are near to one another within a subject: sayings of one subject are alike, as real ones are, and a question
has a vector that fits what it asks for. Everything is written through the store's own functions, and groups are kept as an ingest does.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.atoms import DraftClaim, Message, Span, SpanRef
from memcli.store import claims, settings, transcripts, vectors
from memcli.store.connection import connect, tidy_close, transaction
from memcli.store.search import insert_views, tokenize
from memcli.write.groups import Groups

DIMENSION = 384
BATCH = 500
PEOPLE_A_CHAT = 3
CLAIMS_A_CHAT = 25_000
SESSION_MESSAGES = 40

_SYLLABLES = "ba ko ri ten mal su vi dor pel na gra lo mi sta fen qui zo har ley bin".split()  # noqa: SIM905 - reads better
_DEEDS = ("bought", "painted", "sold", "repaired", "lost", "found", "visited", "borrowed", "planned", "finished")
_FRAMES = (
    "{who} {deed} the {thing} and the {other} in {place}",
    "{who} {deed} the {other} with {number} {thing} from {place}",
    "{who} prefers the {thing} of {place} to any {other}",
    "{who} told everybody about the {thing} beside the {other}",
    "{who} {deed} {number} of the {thing} for the {other}",
)


class WordVectors:
    """An embedder without a model: the mean of the vectors of words, each drawn from a generator that the word itself seeds."""

    name = "invented-words"
    fingerprint = "0" * 64
    dimension = DIMENSION

    def __init__(self) -> None:
        """Start without a word."""
        self._words: dict[str, NDArray[np.float32]] = {}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; shape (len(texts), dimension), float32, unit rows."""
        rows = np.stack([np.sum([self._word(word) for word in text.split()], axis=0) for text in texts])
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), np.float32)

    def encode_in_context(self, blocks: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """Embed each text as if it stood alone."""
        return [self.encode(block) for block in blocks]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The words of each text."""
        return [len(text.split()) for text in texts]

    def _word(self, word: str) -> NDArray[np.float32]:
        word = word.strip(".,?").casefold()
        if word not in self._words:
            self._words[word] = np.random.default_rng(zlib.crc32(word.encode())).normal(size=DIMENSION).astype(np.float32)
        return self._words[word]


class World:
    """People, places and subjects, the same for the same size."""

    def __init__(self, claims_in_all: int) -> None:
        """Invent what `claims_in_all` claims can be about: a subject for about sixty of them."""
        rng = self._rng = random.Random(20)
        subjects = max(20, claims_in_all // 60)
        words = [*{"".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(6 * subjects + 800)}]
        words.sort(key=lambda word: zlib.crc32(word.encode()))
        self.people = [word.capitalize() for word in words[:200]]
        self.places = [word.capitalize() for word in words[200:500]]
        things = words[500:]
        self.subjects = [[things[(4 * n + i) % len(things)] for i in range(6)] for n in range(subjects)]

    def sentence(self, who: str, subject: Sequence[str]) -> tuple[str, str]:
        """What somebody does, and the place in it."""
        rng = self._rng
        thing, other = rng.sample(subject, 2)
        place = rng.choice(self.places)
        said = rng.choice(_FRAMES).format(
            who=who, deed=rng.choice(_DEEDS), thing=thing, other=other, place=place, number=rng.randint(2, 99)
        )
        return said, place if place in said else ""

    def messages(self, claims_in_all: int) -> Iterator[tuple[Message, list[tuple[str, str, str]]]]:
        """Messages, each with its sentences as (who it is about, the sentence, a place in it), until there are so many sentences."""
        rng = self._rng
        made = 0
        moment = datetime(2010, 1, 3, 9, 0)
        number = 0
        while made < claims_in_all:
            chat = made // CLAIMS_A_CHAT
            speakers = self.people[PEOPLE_A_CHAT * chat : PEOPLE_A_CHAT * (chat + 1)]
            if number % 5 == 0:
                subject = rng.choice(self.subjects)
            speaker = rng.choice(speakers)
            moment += timedelta(minutes=rng.randint(2, 90))
            sentences = []
            for _ in range(min(rng.randint(1, 3), claims_in_all - made)):
                who = speaker if rng.random() < 0.8 else rng.choice(self.people)
                sentences.append((who, *self.sentence(who, subject)))
            made += len(sentences)
            text = ". ".join(sentence for _, sentence, _ in sentences) + "."
            session = f"{chat}-{number // SESSION_MESSAGES}"
            yield Message(f"chat {chat}", str(number), speaker, "user", text, moment.isoformat(), session), sentences
            number += 1

    def questions(self, count: int) -> list[str]:
        """Questions that sayings answer."""
        rng = random.Random(21)
        out = []
        for _ in range(count):
            thing, other = rng.sample(rng.choice(self.subjects), 2)
            out.append(f"Who {rng.choice(_DEEDS)} the {thing} and the {other}?")
        return out


def make_memory(path: Path, claims_in_all: int) -> World:
    """Write a memory of so many claims to a new file; returns what they are about."""
    world, embedder = World(claims_in_all), WordVectors()
    connection = connect(path)
    with transaction(connection):
        vectors.create_vector_tables(connection, DIMENSION)
        settings.record_embedder(connection, embedder.name, embedder.fingerprint, DIMENSION)
    groups = Groups(connection)
    batch: list[tuple[Message, list[tuple[str, str, str]]]] = []
    for one in world.messages(claims_in_all):
        batch.append(one)
        if len(batch) == BATCH:
            _write(connection, groups, embedder, batch)
            batch = []
    _write(connection, groups, embedder, batch)
    tidy_close(connection)
    return world


def _write(
    connection: apsw.Connection, groups: Groups, embedder: WordVectors, batch: Sequence[tuple[Message, list[tuple[str, str, str]]]]
) -> None:
    with transaction(connection):
        for message, sentences in batch:
            conversation = transcripts.conversation_id(connection, message.conversation_id)
            session = transcripts.session_id(connection, conversation, message.session_id)
            position = transcripts.next_position(connection, conversation)
            page = transcripts.insert_page(connection, conversation, session)
            digest = transcripts.message_digest(message)
            row = transcripts.insert_message(
                connection,
                message,
                digest,
                external_id=message.message_id,
                conversation=conversation,
                session=session,
                page=page,
                position=position,
                ingest=None,
            )
            bounds, start = [], 0
            for _, sentence, _ in sentences:
                bounds.append((Span(start, start + len(sentence) + 1, f"{sentence}."), len(tokenize(sentence))))
                start += len(sentence) + 2
            spans = transcripts.insert_spans(connection, row, bounds)
            rows = vectors.rounded(embedder.encode([sentence for _, sentence, _ in sentences]))
            vectors.insert_vectors(connection, "span", zip(spans, rows, strict=True))
            insert_views(connection, "span", [(span, f"{sentence}.") for span, (_, sentence, _) in zip(spans, sentences, strict=True)])
            vectors.put_vectors(connection, "message", [(row, embedder.encode([message.text])[0])])
            connection.execute(
                "UPDATE message_contexts SET block_id = ?1, tokens = ?2 WHERE message_id = ?1", (row, len(message.text) // 4)
            )
            for span, (who, sentence, place), (bound, _), vector in zip(spans, sentences, bounds, rows, strict=True):
                if place:
                    referent = claims.referent_id(connection, place, "place")
                    connection.execute(
                        "INSERT INTO handles (referent_id, span_id, start_offset, text) VALUES (?, ?, ?, ?)",
                        (referent, span, bound.start + sentence.index(place), place),
                    )
                claim = claims.insert_claim(
                    connection,
                    DraftClaim(
                        text=f"{sentence}.",
                        supports=(SpanRef(0, spans.index(span)),),
                        subject=who,
                        speaker=message.speaker,
                        kind="event",
                        modality="did",
                        polarity="positive",
                        time=None,
                        keywords=(),
                    ),
                    page=page,
                    said_at=transcripts.said_at(message.timestamp),
                    supports=[span],
                    time_cue=None,
                )
                vectors.insert_vectors(connection, "claim", [(claim, vector)])
                groups.add(claim, vector)
        groups.flush()
