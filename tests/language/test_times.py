"""Time expressions: what is found, what it stands for, and what is left alone."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.atoms import TimeCue
from memcli.language.times import describe_cue, describe_interval, find_time_cues

ANCHORS = {
    "mon": "2023-05-08T09:05:00",
    "fri": "2023-06-09T20:10:00",
    "wed": "2023-06-14T12:00:00",
    "aug": "2023-08-14T16:45:00",  # a Monday
    "leap": "2024-02-29T10:00:00",  # a Thursday
    "new": "2024-01-01T09:30:00",  # a Monday
    "eve": "2023-12-31T23:10:00",  # a Sunday
    "mar": "2024-03-31T08:15:00",  # a Sunday
    "sat": "2022-10-15T18:45:00",
    "day": "2023-05-08",
    "zone": "2023-05-08T00:30:00+02:00",
    "spring": "2024-03-24T18:00:00",
    "june": "2024-06-10T09:00:00",
    "first": "2024-06-01T10:00:00",
    "july": "2024-07-15T10:00:00",
    "none": None,
}

# anchor | text with the expected [expression]s | interval and granularity of each: START..END granularity, ? if unresolved.
TABLE = """
mon | I planted the tomatoes [yesterday]. | 2023-05-07..2023-05-08 day
mon | [Today] I fixed the bike. | 2023-05-08..2023-05-09 day
mon | We are cooking [tonight]! | 2023-05-08..2023-05-09 day
mon | I ran [this morning] and felt great. | 2023-05-08..2023-05-09 day
mon | [Last night] the power went out. | 2023-05-07..2023-05-08 day
mon | See you [tomorrow] | 2023-05-09..2023-05-10 day
mon | He called [the day before yesterday]. | 2023-05-06..2023-05-07 day
mon | I fly out [the day after tomorrow]. | 2023-05-10..2023-05-11 day
mon | [Yesterday evening] we sang. | 2023-05-07..2023-05-08 day
mon | Lunch [tomorrow afternoon]? | 2023-05-09..2023-05-10 day
new | [Yesterday] was loud. | 2023-12-31..2024-01-01 day
eve | [Tomorrow] I start again. | 2024-01-01..2024-01-02 day
leap | [Tomorrow] is the first. | 2024-03-01..2024-03-02 day
zone | I slept badly [yesterday]. | 2023-05-07T00:00:00+02:00..2023-05-08T00:00:00+02:00 day
none | I saw it [yesterday]. | ?
none | We met [two weeks ago]. | ?
none | We met in [June 2023]. | 2023-06-01..2023-07-01 month
none | He left [last Friday]. | ?
mon | I moved [3 days ago]. | 2023-05-05..2023-05-06 day
mon | I moved [ten days ago]. | 2023-04-28..2023-04-29 day
mon | I moved [a couple of days ago]. | 2023-05-06..2023-05-07 day
mon | I moved [a few days ago]. | 2023-05-03..2023-05-07 range
mon | It broke [several days ago]. | 2023-05-01..2023-05-06 range
mon | It arrived [two nights ago]. | 2023-05-06..2023-05-07 day
fri | We adopted a cat [two weeks ago]. | 2023-05-22..2023-05-29 week
fri | We adopted a cat [a week ago]. | 2023-05-29..2023-06-05 week
fri | We adopted a cat [a fortnight ago]. | 2023-05-22..2023-05-29 week
fri | We adopted a cat [a few weeks ago]. | 2023-05-01..2023-05-29 range
fri | We adopted a cat [three months ago]. | 2023-03-01..2023-04-01 month
fri | I quit [a month ago]. | 2023-05-01..2023-06-01 month
mar | I quit [a month ago]. | 2024-02-01..2024-03-01 month
fri | I began [ten years ago]. | 2013-01-01..2014-01-01 year
fri | I began about [five years ago]. | 2018-01-01..2019-01-01 year
fri | I began [twenty-five years ago]. | 1998-01-01..1999-01-01 year
leap | [A year ago] I was lost. | 2023-01-01..2024-01-01 year
fri | It closed [a year and a half ago]. | 2021-12-01..2022-01-01 month
fri | It closed [one and a half years ago]. | 2021-12-01..2022-01-01 month
fri | It closed [half a year ago]. | 2022-12-01..2023-01-01 month
fri | It closed [2 years and 3 months ago]. | 2021-03-01..2021-04-01 month
fri | It closed [two or three weeks ago]. | 2023-05-15..2023-05-29 range
fri | It closed [2-3 days ago]. | 2023-06-06..2023-06-08 range
fri | I began [a decade ago]. | 2010-01-01..2020-01-01 decade
fri | I sent it [half an hour ago]. | 2023-06-09T19:40..2023-06-09T19:41 minute
fri | I sent it [20 minutes ago]. | 2023-06-09T19:50..2023-06-09T19:51 minute
fri | I sent it [three hours ago]. | 2023-06-09T17:00..2023-06-09T18:00 hour
day | I sent it [three hours ago]. | ?
day | I sent it [three days ago]. | 2023-05-05..2023-05-06 day
fri | We camped [two weekends ago]. | 2023-05-27..2023-05-29 weekend
fri | I left [more than two years ago]. | ?
fri | [A year ago today] we met. | 2022-06-09..2022-06-10 day
fri | We talked [a while ago]. | ?
fri | We met [two Fridays ago]. | 2023-05-26..2023-05-27 day
fri | We are moving [in two weeks]. | 2023-06-19..2023-06-26 week
fri | We will move [in three days]. | 2023-06-12..2023-06-13 day
fri | The lease ends [in a month]. | 2023-07-01..2023-08-01 month
fri | We move [two weeks from now]. | 2023-06-19..2023-06-26 week
fri | The baby is due [in two months' time]. | 2023-08-01..2023-09-01 month
fri | It is my first holiday in [three years]. | ?
fri | I finished the puzzle in [two days]. | ?
fri | [Three days later] she called. | ?
fri | [Two weeks earlier] it had rained. | ?
fri | [The next day] we slept in. | ?
fri | [The following week] it snowed. | ?
fri | [The day before] we had argued. | ?
fri | [That summer] we were happy. | ?
fri | We hiked [last week]. | 2023-05-29..2023-06-05 week
fri | We hike [this week]. | 2023-06-05..2023-06-12 week
fri | We hike [next week]. | 2023-06-12..2023-06-19 week
new | We hiked [last week]. | 2023-12-25..2024-01-01 week
eve | We hiked [last week]. | 2023-12-18..2023-12-25 week
eve | We hike [next week]. | 2024-01-01..2024-01-08 week
fri | I got a job [last month]. | 2023-05-01..2023-06-01 month
new | I got a job [last month]. | 2023-12-01..2024-01-01 month
mar | I got a job [last month]. | 2024-02-01..2024-03-01 month
eve | I get paid [next month]. | 2024-01-01..2024-02-01 month
fri | I turn forty [this month]. | 2023-06-01..2023-07-01 month
fri | I graduated [last year]. | 2022-01-01..2023-01-01 year
fri | I will graduate [next year]. | 2024-01-01..2025-01-01 year
fri | I hope to graduate [this year]. | 2023-01-01..2024-01-01 year
fri | We camped [last weekend]. | 2023-06-03..2023-06-05 weekend
mon | We camped [last weekend]. | 2023-05-06..2023-05-08 weekend
sat | We camped [last weekend]. | 2022-10-08..2022-10-10 weekend
fri | We camp [this weekend]. | 2023-06-10..2023-06-12 weekend
fri | We camp [next weekend]. | 2023-06-17..2023-06-19 weekend
fri | We went out over [the weekend]. | 2023-06-03..2023-06-05 weekend
fri | We'll paint the fence over [the weekend]. | 2023-06-10..2023-06-12 weekend
fri | Sales rose [last quarter]. | 2023-01-01..2023-04-01 quarter
fri | We camped [this past weekend]. | 2023-06-03..2023-06-05 weekend
fri | We went [the week before last]. | 2023-05-22..2023-05-29 week
fri | We go [the month after next]. | 2023-08-01..2023-09-01 month
fri | It was [the year before last]. | 2021-01-01..2022-01-01 year
fri | We met [the Friday before last]. | 2023-05-26..2023-05-27 day
aug | She sang [last Friday]. | 2023-08-11..2023-08-12 day
fri | She sang [last Friday]. | 2023-06-02..2023-06-03 day
fri | She sings [next Friday]. | 2023-06-16..2023-06-17 day
wed | She sings [next Friday]. | 2023-06-16..2023-06-17 day
wed | She sings [this Friday]. | 2023-06-16..2023-06-17 day
fri | She sings [this Friday]. | 2023-06-09..2023-06-10 day
wed | She sang [this past Tuesday]. | 2023-06-13..2023-06-14 day
wed | We met [this Monday] and talked. | 2023-06-12..2023-06-13 day
wed | We met on [Friday]. | 2023-06-09..2023-06-10 day
wed | We will meet on [Friday]. | 2023-06-16..2023-06-17 day
wed | I'm seeing my dentist on [Monday]. | 2023-06-19..2023-06-20 day
wed | The concert is on [Saturday]. | 2023-06-17..2023-06-18 day
wed | On [Sunday] I baked bread. | 2023-06-11..2023-06-12 day
wed | Are you free on [Friday]? | 2023-06-16..2023-06-17 day
wed | Concert [Friday]! | ?
wed | I painted a mural [last Sat]. | 2023-06-10..2023-06-11 day
new | She left [last Monday]. | 2023-12-25..2023-12-26 day
eve | She comes [next Sunday]. | 2024-01-07..2024-01-08 day
fri | We met [Tuesday of last week]. | 2023-05-30..2023-05-31 day
fri | Let's meet [Friday next week]. | 2023-06-16..2023-06-17 day
fri | Let's meet [next week on Tuesday]. | 2023-06-13..2023-06-14 day
wed | We talked [last Friday night]. | 2023-06-09..2023-06-10 day
wed | She left [that Friday]. | ?
wed | It was [a Friday]. | ?
fri | It rained [last June]. | 2022-06-01..2022-07-01 month
aug | It rained [last June]. | 2023-06-01..2023-07-01 month
fri | It rains [next June]. | 2024-06-01..2024-07-01 month
fri | We marry [this June]. | 2023-06-01..2023-07-01 month
fri | It rained [last December]. | 2022-12-01..2023-01-01 month
fri | We went in [March]. | 2023-03-01..2023-04-01 month
fri | We went in [September]. | 2022-09-01..2022-10-01 month
fri | We are going to Porto in [September]. | 2023-09-01..2023-10-01 month
fri | We will go in [March]. | 2024-03-01..2024-04-01 month
fri | We married in [june 2019]. | 2019-06-01..2019-07-01 month
fri | We married in [May of 2019]. | 2019-05-01..2019-06-01 month
fri | We married in [June of last year]. | 2022-06-01..2022-07-01 month
fri | We marry in [June next year]. | 2024-06-01..2024-07-01 month
fri | We moved [last year in June]. | 2022-06-01..2022-07-01 month
none | It opened in [2022]. | 2022-01-01..2023-01-01 year
fri | I have lived here [since 2016]. | 2016-01-01..- year
fri | I have lived here [since March]. | 2023-03-01..- month
aug | I have lived here [since September]. | 2022-09-01..- month
fri | I have felt ill [since last Friday]. | 2023-06-02..- day
fri | I will stay [until March]. | -..2024-04-01 month
wed | The report is due [by Friday]. | -..2023-06-17 day
fri | It must be done [by April 19]. | -..2023-04-20 day
mon | It was done [by April 19]. | -..2023-04-20 day
fri | It happened [before 2020]. | -..2020-01-01 year
fri | It happened [after May 2020]. | 2020-06-01..- month
fri | The fair ran [between March 3 and 5]. | 2023-03-03..2023-03-06 range
fri | The fair ran [from 5 to 8 May]. | 2023-05-05..2023-05-09 range
none | The fair ran [May 5-8, 2023]. | 2023-05-05..2023-05-09 range
none | The fair ran [from 28 February 2024 to 2 March 2024]. | 2024-02-28..2024-03-03 range
none | I lived there [from 2016 to 2019]. | 2016-01-01..2020-01-01 range
none | I lived there [between 2016 and 2019]. | 2016-01-01..2020-01-01 range
fri | We travelled [from March to May]. | 2023-03-01..2023-06-01 range
mar | We travelled [between November and January]. | 2023-11-01..2024-02-01 range
none | Born on [15 March 2024]. | 2024-03-15..2024-03-16 day
none | Born on [March 15, 2024]. | 2024-03-15..2024-03-16 day
none | Born on [March 15th, 2024]. | 2024-03-15..2024-03-16 day
none | Born on [the 15th of March 2024]. | 2024-03-15..2024-03-16 day
none | Born on [Friday, March 15, 2024]. | 2024-03-15..2024-03-16 day
none | Born on [Monday, March 15, 2024]. | ?
none | Born on [29 February 2024]. | 2024-02-29..2024-03-01 day
none | Born on [29 February 2023]. | ?
none | Born on [30 February 2024]. | ?
none | Born on [3 Sept 2021]. | 2021-09-03..2021-09-04 day
none | Born on [Dec. 3, 2021]. | 2021-12-03..2021-12-04 day
mon | The party was on [March 15th]. | 2023-03-15..2023-03-16 day
mon | The party will be on [March 15th]. | 2023-03-15..2023-03-16 day
new | The party was on [December 30]. | 2023-12-30..2023-12-31 day
eve | [January 3], dentist | 2024-01-03..2024-01-04 day
none | [March 15th] is a holiday. | ?
none | It was on [15/03/2024]. | 2024-03-15..2024-03-16 day
none | It was on [03/15/2024]. | 2024-03-15..2024-03-16 day
none | It was on [03/04/2024]. | ?
none | It was on [04/04/2024]. | 2024-04-04..2024-04-05 day
none | It was on [2024-03-15]. | 2024-03-15..2024-03-16 day
none | Logged at [2024-03-15T10:30]. | 2024-03-15T10:30..2024-03-15T10:31 minute
none | Logged at [2024-03-15T10:30:05Z]. | 2024-03-15T10:30:05+00:00..2024-03-15T10:30:06+00:00 instant
zone | Logged at [2024-03-15 10:30]. | 2024-03-15T10:30:00+02:00..2024-03-15T10:31:00+02:00 minute
none | Logged on [2024-02-30]. | ?
none | Logged on [2024/03/15]. | 2024-03-15..2024-03-16 day
mon | We meet [tomorrow at 7 pm]. | 2023-05-09T19:00..2023-05-09T20:00 hour
mon | We meet [tomorrow at 3:30pm]. | 2023-05-09T15:30..2023-05-09T15:31 minute
mon | We met [yesterday at noon]. | 2023-05-07T12:00..2023-05-07T13:00 hour
mon | We meet at [7pm tomorrow]. | 2023-05-09T19:00..2023-05-09T20:00 hour
mon | We meet [tonight at 8]. | 2023-05-08T20:00..2023-05-08T21:00 hour
mon | We meet [tomorrow at 15:30]. | 2023-05-09T15:30..2023-05-09T15:31 minute
mon | We meet [tomorrow morning at 8:15]. | 2023-05-09T08:15..2023-05-09T08:16 minute
none | It began on [May 5, 2023 at 12 am]. | 2023-05-05T00:00..2023-05-05T01:00 hour
mon | We meet at [7 pm]. | ?
mon | [Today] we ate out, and at [9:15 pm] it hailed. | 2023-05-08..2023-05-09 day; 2023-05-08T21:15..2023-05-08T21:16 minute
mon | It starts at [7 pm] EST. | ?
fri | We sailed [last summer]. | 2022-06-01..2022-09-01 season
aug | We sailed [last summer]. | 2022-06-01..2022-09-01 season
aug | We sail [this summer]. | 2023-06-01..2023-09-01 season
fri | We will ski [next winter]. | 2023-12-01..2024-03-01 season
none | We sailed in [summer 2022]. | 2022-06-01..2022-09-01 season
none | We sailed in [the summer of 2022]. | 2022-06-01..2022-09-01 season
none | We skied in [winter 2022]. | ?
fri | We sailed in [the fall of last year]. | 2022-09-01..2022-12-01 season
none | Revenue in [Q2 2024] rose. | 2024-04-01..2024-07-01 quarter
none | Revenue in [Q2] rose. | ?
fri | Revenue in [the first quarter of 2024] rose. | 2024-01-01..2024-04-01 quarter
none | Music of [the 90s]! | 1990-01-01..2000-01-01 decade
none | Music of [the 1980s]! | 1980-01-01..1990-01-01 decade
none | Fashion in [the 20s] | ?
none | He is in his 90s. |
fri | We dated for [three years]. | ?
fri | We stayed for [5 days]. | ?
fri | I have slept badly [the past seven days]. | 2023-06-02..2023-06-09T20:10 range
fri | I have slept badly over [the last two months]. | 2023-04-09..2023-06-09T20:10 range
fri | I have slept badly for [the past year]. | 2022-06-09..2023-06-09T20:10 range
fri | I have slept badly [the past few weeks]. | 2023-05-05..2023-06-09T20:10 range
day | I have slept badly [the past seven days]. | 2023-05-01..2023-05-09 range
fri | We will be busy over [the next two weeks]. | 2023-06-09..2023-06-24 range
fri | I have danced [since I was 12]. | ?
fri | She is [18 years old]. | ?
fri | He learned it [at the age of 9]. | ?
fri | It was [the week before 9 June 2023]. | 2023-05-29..2023-06-05 week
none | It was [two days after March 3, 2023]. | 2023-03-05..2023-03-06 day
fri | It was [two days after March 3]. | 2023-03-05..2023-03-06 day
none | It was [the Friday before 14 August 2023]. | 2023-08-11..2023-08-12 day
none | It was [the weekend before 17 July 2023]. | 2023-07-15..2023-07-17 weekend
none | It was [the day after 29 February 2024]. | 2024-03-01..2024-03-02 day
none | It was [a year before 29 February 2024]. | 2023-01-01..2024-01-01 year
fri | It was at the [end of May]. | 2023-05-21..2023-06-01 range
fri | It was in [early June]. | 2023-06-01..2023-06-11 range
fri | It was in [mid-March]. | 2023-03-11..2023-03-21 range
fri | It was in [late 2021]. | 2021-09-01..2022-01-01 range
fri | It was at the [beginning of the year]. | 2023-01-01..2023-05-01 range
fri | I was ill [earlier this week]. | 2023-06-05..2023-06-09 range
fri | We will meet [early next week]. | 2023-06-12..2023-06-14 range
fri | We will meet on [the 3rd]. | 2023-07-03..2023-07-04 day
fri | We met on [the 3rd]. | 2023-06-03..2023-06-04 day
fri | Our flat is on the 3rd floor. |
none | It is [the first Monday of September 2024]. | 2024-09-02..2024-09-03 day
none | It is [the last Friday of May 2023]. | 2023-05-26..2023-05-27 day
none | It was [the last day of 2023]. | 2023-12-31..2024-01-01 day
fri | We play [every Friday]. | ?
fri | We play on [Mondays]. | ?
fri | We play [twice a week]. | ?
fri | We travel [once or twice a year]. | ?
fri | It is open [Monday to Friday]. | ?
fri | I run [every morning]. | ?
wed | Sleep is better than a second coffee. |
fri | I may go, or I may not. |
fri | They march forward in the sun. |
fri | Run the second script and then wait a second. |
fri | We sat in the sun and wed our ideas. |
fri | Fall in, spring forward. |
fri | Upgrade from 1.0.21 to 3.11 costs $20. |
fri | Ping 192.168.10.24 and 10.0.0.1 for me. |
fri | He owes me 2022 dollars. |
fri | It scored 7/10, then 24/7 support. |
fri | Call 555-2020-11 or room 1999. |
fri | [Last Christmas] we sang. | 2022-12-25..2022-12-26 day
none | We sang on [Christmas 2021]. | 2021-12-25..2021-12-26 day
fri | Black Friday deals are silly. |
fri | At the end of the day it is fine. |
fri | My last week at the mill was sad. |
fri | I can't wait to see June and April again. |
fri | The movie will last [two hours]. | ?
fri | I ate in 2000 steps. |
fri | I will see her [a week from Monday]. | 2023-06-19..2023-06-20 day
fri | We sailed on [the weekend of 3 June]. | 2023-06-03..2023-06-05 weekend
fri | It is due on [the 21st of next month]. | 2023-07-21..2023-07-22 day
fri | It broke [last month on the 3rd]. | 2023-05-03..2023-05-04 day
fri | [December 15, 2022]: release | 2022-12-15..2022-12-16 day
fri | [May 30 - June 2]: holidays | 2023-05-30..2023-06-03 range
fri | You will feel prepared for the exam on [November 25]. | 2023-11-25..2023-11-26 day
fri | The role starting [June 1] pays well. | 2023-06-01..2023-06-02 day
fri | We can camp [this coming weekend]. | 2023-06-10..2023-06-12 weekend
fri | I have had the flat for [two years now]. | 2021-06-09..2023-06-09T20:10 range
fri | I can read that book in [two days]. | ?
fri | I will get [two weeks] back. | ?
fri | We always meet on [Tuesday]. | ?
fri | We usually travel in [June]. | ?
fri | It's [Friday]! | 2023-06-09..2023-06-10 day
wed | It's [Friday]! | ?
wed | [Sunday] is my favourite day. | ?
wed | After April left we cried. |
wed | A crowd of 2000 cheered, and prices rose by 1500. |
wed | Call run(2024) in 1800 cases. |
wed | Version 2023.1.2 is out. |
wed | Music of the [late 90s] | 1997-01-01..2000-01-01 range
wed | I dream of it, one day. |
wed | It was [not too long ago]. | ?
wed | It was [a week] before we knew. | ?
wed | Wir lebten [von 2016 bis 2019] dort. | 2016-01-01..2020-01-01 range
wed | On [Monday] I started, on [Friday] I'll stop. | 2023-06-12..2023-06-13 day; 2023-06-16..2023-06-17 day
wed | My mother visits in [August]. | 2023-08-01..2023-09-01 month
wed | We married [five years ago on June 3]. | 2018-06-03..2018-06-04 day
wed | I worked there [from 2019 until now]. | 2019-01-01..- year
wed | It came [3 wks ago]. | 2023-05-22..2023-05-29 week
wed | Das war [letztes Jahr im Juni]. | 2022-06-01..2022-07-01 month
wed | Llegó [dos años atrás]. | 2021-01-01..2022-01-01 year
wed | [Gestern] war ich im Kino. | 2023-06-13..2023-06-14 day
wed | [Vor zwei Wochen] sind wir umgezogen. | 2023-05-29..2023-06-05 week
wed | Wir sind [letzte Woche] umgezogen. | 2023-06-05..2023-06-12 week
wed | Wir fahren [nächsten Freitag]. | 2023-06-16..2023-06-17 day
wed | Ich wohne [seit 2016] hier. | 2016-01-01..- year
wed | Am [3. März 2021] kam er. | 2021-03-03..2021-03-04 day
wed | Ich komme [morgen]. | 2023-06-15..2023-06-16 day
wed | Guten Morgen, bist du hier? |
wed | [Ayer] fui al cine. | 2023-06-13..2023-06-14 day
wed | Llegó [hace tres días]. | 2023-06-11..2023-06-12 day
wed | Llegó [la semana pasada]. | 2023-06-05..2023-06-12 week
wed | Nació [el próximo viernes]? | 2023-06-16..2023-06-17 day
wed | Vivo aquí [desde 2016]. | 2016-01-01..- year
wed | Nació el [7 de mayo de 2023]. | 2023-05-07..2023-05-08 day
wed | Corro por la mañana. |
wed | Je suis venu [hier]. | 2023-06-13..2023-06-14 day
wed | Ich bin hier. |
wed | Je suis venu [il y a deux semaines]. | 2023-05-29..2023-06-05 week
wed | On part [la semaine prochaine]. | 2023-06-19..2023-06-26 week
wed | Il vit ici [depuis 2016]. | 2016-01-01..- year
wed | Né le [7 mai 2023]. | 2023-05-07..2023-05-08 day
wed | 我[昨天]去了公园。 | 2023-06-13..2023-06-14 day
wed | 他[上周五]来了。 | 2023-06-09..2023-06-10 day
wed | 我们[两周前]搬家了。 | 2023-05-29..2023-06-05 week
wed | [2023年6月9日]开会。 | 2023-06-09..2023-06-10 day
wed | 她[去年]毕业。 | 2022-01-01..2023-01-01 year
wed | [明天]见, [下个月]再说。 | 2023-06-15..2023-06-16 day; 2023-07-01..2023-08-01 month
wed | [自2016年]住在这里。 | 2016-01-01..- year
wed | [Ontem] choveu. | 2023-06-13..2023-06-14 day
spring | Regatta at Faro, on [the 6th of October] | 2024-10-06..2024-10-07 day
spring | [October 6]: regatta | 2024-10-06..2024-10-07 day
spring | The regatta is on [October 6]. | 2024-10-06..2024-10-07 day
spring | Regatta on [October 6]? | 2024-10-06..2024-10-07 day
spring | We sailed on [October 6]. | 2023-10-06..2023-10-07 day
spring | [December 20]: the regatta | 2023-12-20..2023-12-21 day
spring | [March 2]: new mast | 2024-03-02..2024-03-03 day
june | I got a job at the rope works, starting [July 1]. | 2024-07-01..2024-07-02 day
june | I accepted the post as of [July 1]. | 2024-07-01..2024-07-02 day
june | We booked the boathouse from [July 1]. | 2024-07-01..2024-07-02 day
june | I signed the lease, beginning on [the 1st of August]. | 2024-08-01..2024-08-02 day
june | I got the post, starting in [September]. | 2024-09-01..2024-10-01 month
june | I got a job, starting [June 3]. | 2024-06-03..2024-06-04 day
june | The lease has been extended through [July 24]. | 2024-07-24..2024-07-25 day
june | I'm feeling proud of my talk on [April 1]. | 2024-04-01..2024-04-02 day
june | I'm sailing to Faro on [April 1]. | 2024-04-01..2024-04-02 day
june | The fair was moved to [August 3]. | 2024-08-03..2024-08-04 day
june | The ferry stopped, starting [July 1]. | 2024-07-01..2024-07-02 day
first | I've got a mooring inspection on [June 2]. | 2024-06-02..2024-06-03 day
first | We had agreed on the revised deadline of [July 5]. | 2024-07-05..2024-07-06 day
first | We met the pilot, and the regatta ran into [June 8-10]. | 2024-06-08..2024-06-11 range
july | I'll write it up [after the July 8] workshop. | 2024-07-09..- day
july | I will mend the nets torn on [July 8]. | 2024-07-08..2024-07-09 day
july | We launched it on [January 30]. | 2024-01-30..2024-01-31 day
july | We will launch it on [January 30]. | 2025-01-30..2025-01-31 day
july | We launched it on [January 10]. | 2024-01-10..2024-01-11 day
june | Llegamos el [6 de enero]. | 2024-01-06..2024-01-07 day
june | Wir segelten am [1. Dezember]. | 2024-12-01..2024-12-02 day
wed | È arrivato [due settimane fa]. | 2023-05-29..2023-06-05 week
july | My birthday is on [September 3]. | ?
july | [May 20th] is our wedding anniversary. | ?
july | Her nephew was born on [March 9]. | ?
july | She was born on [March 9, 1990]. | 1990-03-09..1990-03-10 day
july | Their anniversary falls on [2 August]. | ?
july | We sang at his birthday on [June 30]. | 2024-06-30..2024-07-01 day
july | Our anniversary is coming up on [August 2]! | 2024-08-02..2024-08-03 day
mon | The parcel comes [one week from today]. | 2023-05-15..2023-05-16 day
mon | The lease ends [a month from today]. | 2023-06-08..2023-06-09 day
mon | The parcel comes [a week from now]. | 2023-05-15..2023-05-22 week
mon | There are [365 days] in a year. | ?
mon | Four rehearsals in a week is too many. |
mon | There are never enough hours in a day. |
mon | Baking forty loaves in [six hours] is hard. | ?
mon | The choir leaves [in a week]. | 2023-05-15..2023-05-22 week
mon | Sweep up, and lay out the tools for [the next day]. | ?
mon | At the close, plan for [the upcoming week]. | ?
mon | The hall is shut for [the next week]. | 2023-05-08..2023-05-16 range
mon | Set the targets for [the next quarter]. | 2023-07-01..2023-10-01 quarter
mon | It feels like just [yesterday] that the mill burned. | ?
mon | He told it as if it were [yesterday]. | ?
mon | That lullaby is still popular [today]. | ?
mon | It made me who I am [today]. | ?
mon | I am still at the quay [today]. | 2023-05-08..2023-05-09 day
mon | In [today]'s noisy world a bell is lost. | ?
mon | [Today] is [June 1, 2023], says the form. | ? ; 2023-06-01..2023-06-02 day
mon | [Today] is [May 8], says the form. | 2023-05-08..2023-05-09 day ; 2023-05-08..2023-05-09 day
mon | The note said "I sail [tomorrow]" and lay there [yesterday]. | ? ; 2023-05-07..2023-05-08 day
mon | Write “Thank you for coming [last week]” on it. | ?
mon | The shelf is 5" deep, I measured it [today]. | 2023-05-08..2023-05-09 day
mon | The mill is from [the 1800s]. | 1800-01-01..1900-01-01 range
"""


class Row(NamedTuple):
    """One line of the table."""

    anchor: str | None
    text: str
    expected: list[tuple[str, int, str | None, str | None, str | None]]


def _moment(written: str) -> str | None:
    if written == "-":
        return None
    return datetime.fromisoformat(written).isoformat()


def _row(line: str) -> Row:
    name, marked, results = (part.strip() for part in line.split(" |"))
    places: list[tuple[str, int]] = []
    text = ""
    for number, piece in enumerate(marked.replace("]", "[").split("[")):
        if number % 2:
            places.append((piece, len(text)))
        text += piece
    expected: list[tuple[str, int, str | None, str | None, str | None]] = []
    for (expression, offset), result in zip(places, results.split(";"), strict=bool(places)):
        if result.strip() == "?":
            expected.append((expression, offset, None, None, None))
            continue
        interval, granularity = result.split()
        start, end = interval.split("..")
        expected.append((expression, offset, _moment(start), _moment(end), granularity))
    return Row(ANCHORS[name], text, expected)


LINES = [line for line in TABLE.splitlines() if line]


def test_the_table_is_large() -> None:
    assert len(LINES) >= 220
    assert len(set(LINES)) == len(LINES)


@pytest.mark.parametrize("line", LINES)
def test_expressions_are_found_and_resolved(line: str) -> None:
    row = _row(line)
    found = [(c.expression, c.offset, c.start, c.end, c.granularity) for c in find_time_cues(row.text, row.anchor)]
    assert found == row.expected


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("We dated for three years.", 1095.75),
        ("It took two weeks.", 14),
        ("We stayed for a day.", 1),
        ("We stayed for a few days.", None),
        ("The film runs two hours.", 2 / 24),
        ("a three-week trip", 21),
        ("I slept badly for the past seven days.", 7),
    ],
)
def test_durations_carry_their_length(text: str, days: float | None) -> None:
    (cue,) = find_time_cues(text, ANCHORS["fri"])
    assert cue.duration_days == (None if days is None else pytest.approx(days))


def test_the_anchor_is_kept_only_where_it_was_needed() -> None:
    relative, absolute, unresolved = find_time_cues("Last week, or on 3 May 2021, or every Friday.", ANCHORS["fri"])
    assert relative.anchor == ANCHORS["fri"]
    assert absolute.anchor is None
    assert unresolved.anchor is None


def test_an_unreadable_anchor_resolves_nothing_relative() -> None:
    assert not find_time_cues("yesterday", "some day")[0].resolved


@pytest.mark.parametrize(
    ("anchor", "text", "words"),
    [
        ("mon", "I went yesterday", "7 May 2023"),
        ("fri", "I went last week", "The week before 9 June 2023"),
        ("fri", "I went two weeks ago", "Two weeks before 9 June 2023"),
        ("fri", "I will go next week", "The week after 9 June 2023"),
        ("fri", "I go this week", "The week of 9 June 2023"),
        ("aug", "I went last Friday", "The Friday before 14 August 2023"),
        ("aug", "I will go on Friday", "The Friday after 14 August 2023"),
        ("fri", "I went last weekend", "The weekend before 9 June 2023"),
        ("fri", "I went two weekends ago", "Two weekends before 9 June 2023"),
        ("fri", "I went last June", "June 2022"),
        ("fri", "I went last year", "2022"),
        ("fri", "I lived there since 2016", "Since 2016"),
        ("fri", "I stay until March", "Until March 2024"),
        ("fri", "It was before June 2020", "Before June 2020"),
        ("fri", "It was after June 2020", "After June 2020"),
        ("fri", "We dated for three years", "three years"),
        ("fri", "We met a few days ago", "A few days before 9 June 2023"),
        ("none", "the week before 9 June 2023", "The week before 9 June 2023"),
        ("none", "I sailed in summer 2022", "Summer 2022"),
        ("none", "It rose in Q2 2024", "Q2 2024"),
        ("none", "music of the 90s", "the 1990s"),
        ("none", "the fair from 3 May 2023 to 5 May 2023", "From 3 May 2023 to 5 May 2023"),
        ("none", "I worked there from 2016 to 2019", "From 2016 to 2019"),
        ("none", "It was in early June 2023", "Early June 2023"),
        ("mon", "We meet tomorrow at 7 pm", "9 May 2023 at 7 pm"),
        ("mon", "We meet tomorrow at 15:30", "9 May 2023 at 15:30"),
        ("none", "We meet yesterday", "yesterday"),
        ("fri", "last summer", "Summer 2022"),
        ("wed", "上周", "The week before 14 June 2023"),
    ],
)
def test_cues_are_told_as_people_tell_them(anchor: str, text: str, words: str) -> None:
    (cue,) = find_time_cues(text, ANCHORS[anchor])
    assert describe_cue(cue) == words


def test_intervals_are_told_without_their_words() -> None:
    assert describe_interval("2023-05-07T00:00:00", "2023-05-08T00:00:00", "day") == "7 May 2023"
    assert describe_interval("2023-05-01T00:00:00", "2023-06-01T00:00:00", "month") == "May 2023"
    assert describe_interval("2023-05-29T00:00:00", "2023-06-05T00:00:00", "week", "2023-06-09T20:10:00") == "The week before 9 June 2023"
    assert describe_interval("2023-05-29T00:00:00", "2023-06-05T00:00:00", "week") == "The week of 29 May 2023"
    assert describe_interval(None, None, None) == ""


_WORDS = st.sampled_from(
    [
        "last",
        "next",
        "this",
        "the",
        "of",
        "in",
        "on",
        "at",
        "since",
        "until",
        "before",
        "after",
        "between",
        "from",
        "to",
        "and",
        "two",
        "3",
        "15",
        "31",
        "29",
        "30",
        "2023",
        "2016",
        "0001",
        "9999",
        "week",
        "weeks",
        "day",
        "days",
        "year",
        "years",
        "month",
        "Friday",
        "Monday",
        "June",
        "February",
        "May",
        "march",
        "Sun",
        "yesterday",
        "tomorrow",
        "tonight",
        "ago",
        "later",
        "every",
        "a",
        "few",
        "couple",
        "and-a-half",
        "end",
        "early",
        "mid",
        "7",
        "pm",
        "15:30",
        "noon",
        "03/04/2024",
        "2024-03-15",
        "Q2",
        "90s",
        "the-90s",
        "winter",
        "Christmas",
        "vor",
        "Wochen",
        "hier",
        "demain",
        "上周五",
        "两周前",
        "自2016年",
        "for",
        "past",
        "half",
        "hour",
        "century",
        "weekend",
        "decade",
        "İstanbul",
        "ſunday",
    ]
)
_PHRASES = st.one_of(st.text(max_size=60), st.lists(_WORDS, max_size=9).map(" ".join))
_ANCHORS = st.one_of(
    st.none(),
    st.datetimes().map(datetime.isoformat),
    st.datetimes(timezones=st.timezones()).map(lambda d: d.isoformat()),
    st.sampled_from(
        ["0001-01-01T00:00:00", "9999-12-31T23:59:59", "0001-01-01", "9999-12-31", "9999-12-31T23:59:59+14:00", "2024-02-29", "x"]
    ),
)


@settings(max_examples=600, deadline=None)
@given(_PHRASES, _ANCHORS)
@example("two and a half years ago last week next week in two decades the past year", "0001-01-01T00:00:00")
@example("tomorrow at 7 pm, next week, the weekend before last, in 30 years", "9999-12-31T23:59:59")
def test_any_text_gives_verbatim_ordered_intervals(text: str, anchor: str | None) -> None:
    end = 0
    for cue in find_time_cues(text, anchor):
        assert text[cue.offset : cue.offset + len(cue.expression)] == cue.expression != ""
        assert cue.offset >= end
        end = cue.offset + len(cue.expression)
        assert (cue.granularity is not None) == cue.resolved
        if cue.start is not None and cue.end is not None:
            assert datetime.fromisoformat(cue.start) < datetime.fromisoformat(cue.end)
        assert describe_cue(cue)


def _only(text: str, anchor: str) -> TimeCue:
    (cue,) = find_time_cues(text, anchor)
    return cue


def _start(cue: TimeCue) -> date:
    assert cue.start is not None
    return datetime.fromisoformat(cue.start).date()


@settings(max_examples=200, deadline=None)
@given(st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)), st.integers(1, 400), st.sampled_from(["days", "weeks", "months", "years"]))
def test_counted_units_land_that_far_away(anchor: datetime, count: int, unit: str) -> None:
    length = {"days": 1, "weeks": 7, "months": 30.436875, "years": 365.2425}[unit]
    slack = {"days": 0, "weeks": 6, "months": 32, "years": 367}[unit]
    back = (anchor.date() - _start(_only(f"It was {count} {unit} ago.", anchor.isoformat()))).days
    assert count * length - 3 <= back <= count * length + slack


@settings(max_examples=200, deadline=None)
@given(
    st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)),
    st.sampled_from(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]),
)
def test_weekdays_are_within_a_week(anchor: datetime, weekday: str) -> None:
    last, following = (_start(_only(f"{word} {weekday}", anchor.isoformat())) for word in ("last", "next"))
    assert last.strftime("%A") == following.strftime("%A") == weekday
    assert timedelta(days=1) <= anchor.date() - last <= timedelta(days=7)
    assert timedelta(days=1) <= following - anchor.date() <= timedelta(days=7)


@settings(max_examples=100, deadline=None)
@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_written_dates_are_read_back(day: date) -> None:
    for written in (
        day.isoformat(),
        f"{day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day:%A}, {day.day} {day:%B} {day.year}",
    ):
        cue = _only(f"It was on {written}.", "2023-05-08")
        assert _start(cue) == day
        assert describe_cue(cue) == f"{day.day} {day:%B} {day.year}"


@pytest.mark.parametrize(
    "text",
    [
        "At the end of each week, plan next week.",
        "Review the log every month and set the budget for next month.",
        "Cada semana revisa la lista de la próxima semana.",
        "I'll row for 2 hours on Saturday and Sunday.",
        "You will need 30 minutes each on Monday, Wednesday and Friday.",
        "Use your Saturday 10 AM sessions for drills, and you'll be fit.",
        "- **Friday:** Oil the loom and wind the bobbins.",
        "**Saturday**: Rehearse the second act.",
    ],
)
def test_what_comes_again_is_no_one_date(text: str) -> None:
    assert not [cue.expression for cue in find_time_cues(text, "2024-05-08T10:00:00") if cue.resolved]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("I rowed for 2 hours on Saturday and Sunday.", ["2024-05-04", "2024-05-05"]),
        ("I'll sail on Saturday and Sunday.", ["2024-05-11", "2024-05-12"]),
        ("Our Saturday 10 AM race will be fun.", ["2024-05-11"]),
    ],
)
def test_what_is_told_of_one_time_keeps_its_date(text: str, days: list[str]) -> None:
    starts = [str(cue.start)[:10] for cue in find_time_cues(text, "2024-05-08T10:00:00") if cue.resolved]
    assert starts == days
