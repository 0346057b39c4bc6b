"""Generated files of task 16: a knowledge base whose links have rotted, its redirects, and later renames."""

import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

# Each anchor document begins with `=== path`; what a link shows is said in its text.
ANCHORS = """\
=== overview.md
Words ahead, with a title further down.
## Ahead of the title
# Knowledge base
# Second title
[day one](docs/day one.md) [encoded](docs/day%20one.md) [case](docs/Start.md) [query](docs/start.md?plain=1)
[folder](guides) [above](../redirects.json) [back in](../kb/docs/start.md) [missing](lost.md)
[web](https://example.test/docs/start.md#An API) [mail](mailto:desk@example.test) ![site](/docs/start.md)
[caps](TEL:+49-30-1) [host](//example.test/logo.bin) [round](<https://example.test/a (b).md>) [plus](git+ssh2.x-y://example.test/kb.git)
[colon](talks/10:30 stand-up.md), from the root [redirected](old/guide.md)
[new path](manuals/team/moved-guide.md) [drive](c:/x.md) [underscore](a_b:c.md) [not A–Z](é:c.md)
[decomposed](e\u0301lan.md)
=== .notes/hidden.md
# Hidden
[hidden](../old/guide.md)
=== talks/plan.md
# Plan
No scheme begins with a digit: [today](10:30 stand-up.md) [again](10:30 stand-up.md#Agenda!)
=== talks/10:30 stand-up.md
## Agenda
=== docs/start.md
# Start
[](day one.md) [logo](../assets/old-logo.bin) ![logo](../assets/logo.bin)
[quiet](../assets/.keep) [x](./start.md)
Use ``` within a line, ``two`` at
``two`` the beginning, > none opens anything. [../old/guide.md](../old/guide.md) and ../old/guide.md
[label]: ../old/guide.md
[text][label] <../old/guide.md> [gap] (../old/guide.md) (../old/guide.md)
\x85```no line end [x](../old/guide.md) CR\r``` [x](../old/guide.md)
`[code](../old/guide.md)` <!-- [comment](../old/guide.md) --> \\[backslash](../old/guide.md)
[twice](../old/guide.md)[twice](../old/guide.md) [U+2028\u2028```](../old/guide.md)
[exists](../overview.md) [moved](../guides/move-me.md#Know How) [moved](../guides/move-me.md)
[chain 1](../chain/one.md) [chain 2](../chain/two.md) [chain 3](../chain/three.md) [left](../swap/left.md)
[to the root](../deep/a/b/c/leaf.md#leaf) [found](../guides/found.md) [comma](../notes/a, b.md)
=== docs/day one.md
Only lower levels here: the title is empty.
## One
[up](#ONE) [own](#one) [nowhere](#two) [punctuation only](#!?)
=== docs-old/start.md
# Old start
[api](../reference/api.md#An API) is sorted before docs/start.md
=== Zebra.md
# Zebra
[api](reference/api.md#api)
=== élan.md
# É
[api](reference/api.md)
=== reference/api.md
```text
# In a fence
```
# API
##  Café  Setup!\x20
## Straße & Weg
## snake_case – notes
## Support ℡
## Step ⑴
## C++ and C#
## Closed ##
## Draft –
## Re-use -- twice
## Repeat
## repeat!
### Repeat
## Repeat 1
   ### Ｗｉｄｅ\u00a0Name
#tag no heading
####### Seven hashes
###### Six ###\x20
##\tTabbed
## Re\u0301sume\u0301 `now` **bold**
text # no heading
     ## Five spaces
\t## A tab before
##\u00a0No-break space
## \u00a0No-break spaces\u00a0
## Tab before the run\t##
## A tab\tand U+2028\u2028inside
## One of two # #
Underlined
===
Underlined too
---
=== docs/anchors.md
# Top of Page
[e](../reference/api.md#café-setup) [n](../reference/api.md#CAFÉ SETUP!) [e](../reference/api.md#strasse-weg)
[n](../reference/api.md#STRASSE & weg) [e](../reference/api.md#snakecase-notes)
[n](../reference/api.md#snake_case-notes) [e](../reference/api.md#support-tel) [e](../reference/api.md#step-1)
[e](../reference/api.md#c++-and-c) [second hash](../reference/api.md#C++ and C#)
[e](../reference/api.md#closed)
[e](../reference/api.md#draft-) [n](../reference/api.md#Draft –) [trimmed](../reference/api.md#draft)
[e](../reference/api.md#re-use-twice) [n](../reference/api.md#re use--twice) [e](../reference/api.md#repeat)
[e](../reference/api.md#repeat-1) [e](../reference/api.md#repeat-2) [no](../reference/api.md#repeat-3)
[two](../reference/api.md#Repeat 1) [n](../reference/api.md#Repeat) [n](../reference/api.md#REPEAT-2)
[e](../reference/api.md#wide-name) [e](../reference/api.md#six) [e](../reference/api.md#tabbed)
[no](../reference/api.md#tag-no-heading) [no](../reference/api.md#seven-hashes)
[no](../reference/api.md#in-a-fence)
[e](../reference/api.md#résumé-`now`-bold) [no](../reference/api.md#no-heading)
[n](./../reference/./api.md#API!)
[asset](../assets/plan.svg#Layer One!) [asset](../assets/NOTES.MD#No Check)
[self](#Top Of Page) [no](#API)
=== docs/moved.md
# Moved
[one](../old/guide.md) [two](../old/either.md) [one left](../old/one-left.md) [none left](../old/none-left.md)
[no second step](../old/chain.md) [empty](../old/nothing.md) [exists](start.md) [folder](../old/folder.md)
[self](../old/self.md) [not by its name](guide.md) [leaf](../old/leaf.md) [no entry](../old/unlisted.md)
[kept](../old/one-left.md#api) [both](../old/one-left.md#An API) [wrong](../old/one-left.md#CAFÉ SETUP!)
[unresolved](../old/one-left.md#gone) [asset](../old/plan.svg#Layer One!) [dots](.././old/../old/guide.md)
[to the mover](../old/mover.md#know-how) [old and new](../old/both.md) [new](../old/new-name.md)
[old left](../old/left.md) [above](../../old/guide.md)
[angle](<../assets/floor plan (2).svg>) [angle](<../old/name (1).md#CAFÉ SETUP!>)
=== docs/fences.md
# Fences
```md
[link](../old/fenced.md) ![image](../old/fenced.md)
# No heading
```
````
```
[shorter does not close](../old/fenced.md)
````
[real](../old/guide.md)
```
`````
[longer closes](../old/guide.md)
```
``` js
[text follows](../old/fenced.md)
```  \n[blanks follow](../old/guide.md)
     ```
[indented](../old/fenced.md)
       ```
[closed](../old/guide.md)
```
~~~
[another character](../old/fenced.md)
```
\t```
[a tab opens nothing](../old/guide.md)
```
\t```
```\t
[and closes nothing](../old/fenced.md)
```
    [blanks ahead protect nothing](../old/guide.md)
text ```
[no fence](../old/guide.md)
```
[to the end](../old/fenced.md)
``
# No heading either
=== docs/windows.md
# From Windows ##
[one](../old/guide.md)  \n```
[fenced](../old/fenced.md)
```
[two](../reference/api.md#From Windows) [three](#FROM WINDOWS)
=== guides/consumer.md
# Consumer
No LF at the end of [this](../assets/a, "b".txt) [line](../old/guide.md#Consumer)
=== guides/move-me.md
# Know how
[start](../docs/start.md) [asset](../assets/logo.bin) [self](move-me.md) [own](#KNOW HOW)
[redirect](../old/guide.md)
[near](consumer.md#CONSUMER) [lost](lost.md) [wrong](../reference/api.md#gone)
[angle](<../assets/floor plan (2).svg>)
[web](https://example.test/move-me.md) [new path](../manuals/team/moved-guide.md) [lure](hints.md)
=== manuals/team/hints.md
# Hints
[team](moved-guide.md) [old](../../guides/move-me.md#KNOW HOW) [same](../../Zebra.md)
=== swap/left.md
# Left
[right](right.md#right) [self](left.md) [swapped words](#Right)
=== swap/right.md
# Right
[left](./left.md#left)
=== chain/one.md
# One
[two](two.md) [three](three.md)
=== chain/two.md
# Two
[one](one.md#one)
=== pair/inner/a.md
# A
[b](./b.md) [top](../top.md) [c](c.md)
=== pair/inner/b.md
# B
[a](a.md)
=== pair/inner/c.md
# C
[a](a.md)
=== pair/top.md
# Top
[a](inner/a.md)
=== deep/a/b/c/leaf.md
# Leaf
[old guide](../../../../old/guide.md) [start](../../../../docs/start.md) [there by chance](./overview.md)
=== notes/a, b.md
# Comma
[start](../docs/start.md)
"""
GUIDE = "guides/consumer.md"
REDIRECTS = {
    "assets/old-logo.bin": ["assets/logo.bin"],
    "old/guide.md": [GUIDE],
    "old/either.md": [GUIDE, "reference/api.md"],
    "old/one-left.md": ["old/gone.md", "reference/api.md"],
    "old/none-left.md": ["old/gone.md"],
    "old/chain.md": ["old/guide.md"],
    "old/nothing.md": [],
    "old/folder.md": ["guides"],
    "old/self.md": ["docs/moved.md"],
    "old/fenced.md": ["reference/api.md"],
    "old/leaf.md": ["deep/a/b/c/leaf.md"],
    "deep/a/b/c/overview.md": ["overview.md"],
    "old/plan.svg": ["assets/plan.svg"],
    "old/name (1).md": ["reference/api.md"],
    "old/mover.md": ["guides/move-me.md"],
    "old/both.md": ["guides/move-me.md", "manuals/team/moved-guide.md"],
    "old/new-name.md": ["manuals/team/moved-guide.md"],
    "old/left.md": ["swap/left.md"],
    "guides": ["reference/api.md"],
    "overview.md": ["reference/api.md"],
    "guides/move-me.md": ["reference/api.md"],
    "manuals/team/moved-guide.md": ["reference/api.md"],
}
RENAMES = [
    ("guides/move-me.md", "manuals/team/moved-guide.md"),
    ("swap/left.md", "swap/right.md"),
    ("swap/right.md", "swap/left.md"),
    ("chain/one.md", "chain/two.md"),
    ("chain/two.md", "chain/three.md"),
    ("pair/inner/a.md", "pair/moved/a.md"),
    ("pair/inner/b.md", "pair/moved/b.md"),
    ("deep/a/b/c/leaf.md", "leaf.md"),
    ("notes/a, b.md", "notes/c, d.md"),
    ("old/guide.md", "guides/found.md"),  # no such document
]
ASSETS = {
    "logo.bin": bytes(range(256)),
    ".keep": b"",
    "plan.svg": b"<svg/>\r\n",
    "floor plan (2).svg": b"<svg>[x](../old/guide.md)</svg>\n",
    'a, "b".txt': b"[x](../old/guide.md)",
    "NOTES.MD": b"# Latin-1 \xe9\n[x](../old/guide.md)\n",
    "plan.md.bak": b"[x](../old/guide.md)\n",
}
EDGE = """\
=== docs/edge.md
# Edge
~~~~
[fenced](../old/api.md) ![fenced](../old/api.md#API!)
~~~
[a shorter run](../old/api.md)
````
[another character](../old/api.md)
~~~~
[real](../old/api.md#API!)
=== reference/api.md
# API
"""
TOPICS = ("Access", "Backups", "Billing", "Contacts", "Deploys", "Holidays", "Licences", "Onboarding")


def documents(text: str) -> dict[str, str]:
    """Documents by path; one has CRLF, one lacks its last LF."""
    parts = re.split(r"(?m)^=== (.+)\n", text)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    if "docs/windows.md" in found:
        found["docs/windows.md"] = found["docs/windows.md"].replace("\n", "\r\n")
        found[GUIDE] = found[GUIDE].removesuffix("\n")
    return found


def filler(rng: random.Random, size: int) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Articles that link to one another, and redirects of what they were called before."""
    folders = [f"articles/{rng.choice(TOPICS).lower()}/{year}" for year in range(2019, 2026)]
    folders += ["articles", "articles/archive"]
    paths = [f"{rng.choice(folders)}/note-{number:03}.md" for number in rng.sample(range(1000), size)]
    topics: dict[str, list[str]] = {path: rng.sample(TOPICS, rng.randint(2, 5)) for path in paths}
    redirects = {f"legacy/{rng.randrange(16**6):06x}.md": [path] for path in paths[::3]}
    return {path: article(rng, path, topics, redirects) for path in paths}, redirects


def article(
    rng: random.Random, path: str, topics: dict[str, list[str]], redirects: dict[str, list[str]]
) -> str:
    up = "../" * path.count("/")
    lines = [f"# {path.split('/')[-1]}", ""]
    for topic in topics[path]:
        target = rng.choice(list(topics))
        heading = rng.choice(topics[target])
        choices = [
            f"{up}{target}",
            f"{up}{target}#{heading.lower()}-plan",
            f"{up}{target}#{heading.upper()}-Plan!",
            f"{up}{rng.choice(list(redirects))}",
            f"lost-{rng.randrange(1000):03}.md",
            f"https://example.test/{heading}#Plan",
        ]
        lines += [f"## {topic}: plan", f"See [{heading}]({rng.choice(choices)}) for more.", ""]
    return "\n".join(lines)


def write_initial(build: seeding.Build) -> None:
    """Write anchors and filler; the edge has one fence of tildes, the other fixtures have backticks only."""
    edge = build.fixture == "edge"
    texts, redirects = documents(EDGE if edge else ANCHORS), {"old/api.md": ["reference/api.md"]}
    if not edge:
        articles, legacy = filler(build.rng, build.size(250 - len(texts), 8))
        texts, redirects = articles | texts, legacy | REDIRECTS
        for name, data in ASSETS.items():
            fixtures.write_bytes(build.out / "inputs/kb/assets" / name, data)
    for path, text in texts.items():
        fixtures.write_text(build.out / "inputs/kb" / path, text)
    fixtures.write_json(build.out / "inputs/redirects.json", redirects)


def write_renames(build: seeding.Build) -> None:
    rows: list[tuple[str, str]] = []
    if build.fixture != "edge":
        articles, _ = filler(build.rng_of("initial"), build.size(250 - len(documents(ANCHORS)), 8))
        rows = [(old, f"shelf/{index}.md") for index, old in enumerate(build.rng.sample(list(articles), 3))]
        rows[1:1] = RENAMES
    fixtures.write_csv(build.out / "inputs/renames.csv", ["old_path", "new_path"], rows)


if __name__ == "__main__":
    seeding.main(16, {"initial": write_initial, "renames": write_renames})
