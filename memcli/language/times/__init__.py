"""Time expressions in running text: find them, resolve them, say them.

What the expressions mean, wherever usage leaves a choice (`anchor` is the moment of the message):

- Counted in days, weeks, months or years, an expression stands for that calendar day, Monday-to-Sunday week, month or
  year: "two weeks ago" is the week holding the day 14 days back. "a decade ago" is that calendar decade.
- "last", "this" and "next" with a week, weekend, month, quarter or year count calendar units. "last Friday" is the
  latest Friday before the anchor's day, "next Friday" the first after it, "this Friday" today or the coming one (the
  one just past in a sentence in the past tense).
- A bare weekday, "the weekend" and the like follow the tense of the nearest verb (the present looks ahead); without one
  they stay unresolved. A bare month follows the tense too, but falls back on the latest one not after the anchor's month;
  a date without a year is the nearest such date, and follows the tense only if that is more than 100 days away. In a
  sentence about what recurs ("usually", "every") none is.
- "in two weeks" is ahead of the anchor unless the sentence tells how long something takes ("I read it in two days").
- "a week from Friday" is a day, seven days after that Friday; "two weeks before 9 June" is a week, like "two weeks ago".
- "the last week", "past seven days", "the next month" with a preposition, run from or to the anchor (`range`),
  as does "for two years now".
- "a few" is 2 to 5 and "several" 3 to 7: such an expression covers the whole spread (`range`). "a couple" is two.
- Parts of a day ("yesterday evening") stand for their day. A clock time to the hour is an hour, to the minute a minute.
- Seasons are northern and meteorological (summer = June to August); "winter 2022" could be either and is unresolved.
- Early, mid and late (beginning, middle and end) are the thirds of a month, year, season, week, quarter or decade.
- "until X" and "by X" reach to the end of X, "before X" to its start, "since X" starts with it, "after X" at its end;
  the granularity of such an open interval is that of X.
- Frequencies ("every Friday", "twice a week"), ages, bare durations and steps from an unnamed point ("two days later")
  are cues without an interval; a duration carries its length in days (a year is 365.25 days, a month a twelfth of it).
- Where day and month could be swapped ("03/04/2024") the date is unresolved; with dots it is day.month.year.

The expression leaves out a plain preposition ("on", "in", "at", "for") and keeps one that changes the meaning.
"""

from memcli.language.times.describe import describe_cue, describe_interval
from memcli.language.times.finder import find_time_cues

__all__ = ["describe_cue", "describe_interval", "find_time_cues"]
