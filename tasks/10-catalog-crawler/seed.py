"""Generated files of task 10: the pages of a supplier's web site, which inputs/catalog_server.py serves."""

import random
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type Answer = dict[str, object]
type Row = tuple[str, str, str, str, str, str]  # sku, name, price, currency, stock, revision

HERE, OTHER = "http://127.0.0.1:{{port}}", "http://127.0.0.1:{{other_port}}"

# The spine is one long list of pages; s1 is "/", and {next} stands for the next page of the spine.
SPINE_LINKS = {
    1: [
        f'<a rel="next" href="{HERE}/clearance">Clearance</a>',  # before the spine: first found, first asked
        '<a rel="next" href="catalog{next}">Next</a>',
        "<a href='/catalog{next}' rel='next'>Next</a>",  # the same page, written otherwise
        '<a href="/imprint">Imprint</a> <a rel="prev" href="/archive">Older list</a>',
        f'<a rel="next" href="{OTHER}/catalog?after=1">Partner shop</a>',
    ],
    2: [
        '<a rel="nofollow next" href="/tools/power">Power tools</a>',
        '<a rel="next" href="{next}">Next</a>',
        '<a rel="nextgroup" href="/groups">Next group</a> <a rel="next" name="top">Next</a>',
        '<a rel="next" href="//127.0.0.1:{{other_port}}/catalog?after=2">Partner shop</a>',
    ],
    3: [
        "<A HREF=/tools/saws/ REL=NEXT>Saws</A>",
        '<a class="button" href="/catalog{next}" title="a &gt; b" rel="next">Next</a>',
        f'<a rel="next" href="{HERE}">Home</a>',
        '<a rel="next" href="http://localhost:{{port}}/mirror">Mirror</a>',
    ],
    4: [
        '<a rel="next" href="HTTP://127.0.0.1:{{port}}/fasteners">Fasteners</a>',
        '<a rel="next" href="{next}">Next</a>',
        '<a rel="next" href="https://127.0.0.1:{{port}}/secure">Secure shop</a>',
    ],
    5: [
        '<a rel="next" href="./garden/../paint">Paint</a>',
        '<a rel="next" href="/catalog{next}">Next</a>',
        "<!-- <a rel='next' href='/commented'>Next</a> -->",
        '<script>document.write(\'<a rel="next" href="/scripted">Next</a>\')</script>',
    ],
    6: [
        '<a rel="next" href="/offers#list">List</a> <a rel="next" href="/offers#grid">Grid</a>',
        '<a rel="next" href="/offers">Offers</a> <a rel="next" href="{next}#rows">Next</a>',
        '<a rel="next" href="/offers/">These are</a> <a rel="list\nnext" href="/Offers">other pages</a>',
    ],
}
LEAF_LINKS = {
    "/clearance": ['<a rel="next" href="/clearance/last">Last</a>'],
    "/clearance/last": ['<a rel="next" href="/clearance">Clearance</a>'],
    "/tools/power": ['<a rel="next" href="hand">Hand tools</a>'],
    "/tools/hand": ['<a rel="next" href="power">Power tools</a>'],
    "/tools/saws/": ['<a rel="next" href="blades">Blades</a>'],
    "/tools/saws/blades": ['<a rel="next" href="/">Start</a>'],
    "/fasteners": [f'<a rel="next" href="{HERE}/catalog{{second}}">Catalogue</a>'],
    "/paint": ['<a rel="next" href="paint#top">Top</a>'],
    "/offers": ['<a rel="next" href="">Again</a>'],
    **dict.fromkeys(["/offers/", "/Offers", "/tools/notes"], []),
}
BUSY = "/tools/saws/blades"


def plain(*row: str) -> str:
    """A row as most pages have it."""
    sku, *cells = (escape(value) for value in row)
    names = ("name", "price", "currency", "stock", "revision")
    columns = [f'<td class="{name}">{cell}</td>' for name, cell in zip(names, cells, strict=True)]
    return f'<tr data-sku="{sku}">{"".join(columns)}</tr>'


REST = (
    '<td class="price">4.20</td><td class="currency">EUR</td>'
    '<td class="stock">9</td><td class="revision">1</td>'
)
SCRIPTED = """\
<script>
var row = '<tr data-sku="HIGH-FIRST"><td class="name">Scripted</td>{rest}' +
  '<td class="revision">99</td></tr><tr data-sku="SCRIPT-ONLY"></tr>';
</script>
<!-- <tr data-sku="COMMENT-ONLY"><td class="name">Withdrawn</td>{rest}</tr> -->"""
ODD = """\
<tr data-sku="ENTITIES"><td class="name">Caf&eacute; &#8220;A&#x26;B&quot; &lt;5 &euro;</td>{rest}</tr>
<tr data-sku="DECODED-ONCE"><td class="name">Tom &amp;amp; Jerry &amp;lt;b&amp;gt;</td>{rest}</tr>
<tr data-sku="BLANKS"><td class="name">
  Steel&nbsp;&nbsp;rule
  30&#160;cm&emsp;long </td>{rest}</tr>
<tr data-sku="INLINE"><td class="name">Hex <b>bo<i>lt</i></b> M8<!-- old: M6 --></td>{rest}</tr>
<tr data-sku="CODE-INSIDE"><td class="name">Glue<script>track("glue <3");</script> stick
<style>td { color: red }</style></td>{rest}</tr>
<tr data-sku="ORDER"><td class="revision">1</td><td class="stock">21</td><td class="currency">USD</td>
<td class="price">2.10</td><td class="name">Other order</td></tr>
<tr data-sku="CLASSES"><td class="cell name">Classes</td><td class="price-old">9.99</td>
<td class="num price">8.88</td><td class="currency">USD</td><td class="num\tstock\nlow">2</td>
<td class="revision">1</td><td class="stock-note">soon</td><td>more</td><td class="PRICE">9.98</td></tr>
<tr data-sku="NOTE"><td class="name">With a note</td>{rest}
<td class="note"><span class="price">5 % off</span> <b class="stock">few</b>
<a rel="next" href="/tools/notes">All notes</a></td></tr>
<TR class='row' DATA-SKU=UPPER-CASE><TD CLASS=name>Upper case</TD>{rest}</TR>"""
NO_ROWS = """\
<tr class="product"><td class="name">No SKU</td>{rest}</tr>
<tr><td><div data-sku="DIV-ONLY" class="ad"><span class="name">An ad</span></div></td></tr>"""
SPINE_ROWS: dict[int, list[str]] = {
    1: [
        plain("HIGH-FIRST", "High first", "7.10", "EUR", "4", "5"),
        plain("TEN-NINE", "Two", "2.00", "EUR", "2", "2"),
        plain("TIE-PAGE", "First on the page", "1.01", "EUR", "1", "3"),
        plain("TIE-PAGE", "Second on the page", "1.02", "EUR", "2", "3"),
        plain("TIE-TEXT", "Plain three", "1.03", "EUR", "1", "3"),
        plain("BIG-UP", "Big, lower", "1.04", "EUR", "1", "9007199254740992"),
        SCRIPTED.replace("{rest}", REST),
    ],
    2: [
        plain("TEN-NINE", "Ten", "10.00", "EUR", "10", "10"),
        plain("TIE-BREADTH", "On the second page", "3.10", "EUR", "1", "4"),
        plain("TIE-TEXT", "Three with a zero", "1.05", "EUR", "2", "03"),
        plain("PADDED", "Nine", "9.00", "EUR", "9", "9"),
        plain("GAP", "With stock", "5.00", "EUR", "12", "1"),
        plain("BIG-UP", "Big, higher", "1.06", "EUR", "2", "9007199254740993"),
        plain("AB-1", "Upper", "6.00", "EUR", "1", "2"),
    ],
    3: [
        plain("TEN-NINE", "Nine", "9.00", "EUR", "9", "9"),
        plain("HIGH-FIRST", "Lower, later", "7.00", "EUR", "3", "3"),
        plain("PADDED", "Ten, padded", "9.10", "EUR", "007", "010"),
        plain("GAP", "No stock known", "", "", "", "2"),
        plain("ab-1", "Lower", "6.10", "EUR", "2", "1"),
        plain("AB-10", "Ten sorts before two", "6", "EUR", "0", "1"),
        plain("AB-2", "Two", "0.5", "EUR", "1", "1"),
        plain("Ärmel-1", "Ärmelschoner «groß»", "3.50", "EUR", "5", "1"),
        plain("ärmel-1", "日本の鋸", "3.60", "EUR", "5", "1"),
        plain("zoll-1", "Zollstock", "3.70", "EUR", "6", "1"),
        plain("R&D-7", "Research & development kit", "19.00", "USD", "1", "1"),
        plain("R&amp;D-7", "Twice encoded", "19.10", "USD", "2", "1"),
        plain(" BLANK  SKU ", "Blanks of a SKU stay", "8.10", "USD", "4", "1"),
        plain("QUOTES", 'Pipe 1/2", "long", black', "8.00", "USD", "3", "1"),
    ],
    4: [ODD.replace("{rest}", REST)],
    5: [NO_ROWS.replace("{rest}", REST), plain("PADDED", "Nine again", "9.20", "EUR", "9", "9")],
}
LEAF_ROWS: dict[str, list[str]] = {
    "/clearance/last": [plain("TIE-BREADTH", "In the clearance", "3.00", "EUR", "1", "4")],
    "/fasteners": [plain("TIE-PAGE", "On a later page", "1.07", "EUR", "3", "3")],
    "/offers": [plain("TEN-NINE", "Ten again", "10.10", "EUR", "11", "10")],
}
UNLINKED = ["/imprint", "/archive", "/groups", "/feed", "/mirror", "/secure", "/commented", "/scripted"]

START = "/trial/start?lang=en"
MOVED = {f"moved-{status}": status for status in (301, 302, 303, 307, 308)}
TRIAL_NAMES = ["slow", "quick", "busy", "broken", *MOVED, "away", "gone", "partial", "worse", "last"]
TRIAL: dict[str, list[tuple[int, dict[str, str]]]] = {
    "slow": [(429, {"Retry-After": "2"}), (200, {})],
    "quick": [(429, {"Retry-After": "0"}), (200, {})],
    "busy": [(429, {"Retry-After": "0"}), (429, {"Retry-After": "0"}), (200, {})],
    "broken": [(503, {"Retry-After": "0"}), (200, {})],
    **{name: [(status, {"Location": "/trial/new"})] for name, status in MOVED.items()},
    "away": [(302, {"Location": f"{OTHER}/trial/new"})],
    "gone": [(404, {})],
    "partial": [(206, {})],
    "worse": [(429, {"Retry-After": "0"}), (503, {"Retry-After": "0"}), (200, {})],
    "last": [(200, {})],
    "new": [(200, {})],
    "single": [(200, {})],
}
TRIAL_LINKS = {"last": ["broken", "start?lang=en", "last"], "gone": ["single"]}
REGIONS = ("?view=2&amp;region=north%26south", "/?view=2&region=north%26south")
WORDS = "steel brass oak short long heavy light round flat rule hinge clamp screw valve handle hose".split()


def page(title: str, rows: Sequence[str], links: Sequence[str], head: str = "") -> Answer:
    """A page that can be had."""
    body = ["<!DOCTYPE html>", f'<html><head><meta charset="utf-8"><title>{title}</title>{head}</head><body>']
    lines = "\n".join(rows).split("\n")
    body += ["<table><tr><th>Name</th><th>Price</th></tr>", *lines, "</table>"]
    return {"status": 200, "body": [*body, "<nav>", *links, "</nav>", "</body></html>"]}


def filler(rng: random.Random) -> Iterator[Row]:
    """Ordinary rows; now and then an earlier SKU comes again in another revision."""
    earlier: list[tuple[str, int]] = []
    for number in range(1, 10_000):
        sku, revision = f"SKU-{number:04}-{rng.choice('ABCD')}", rng.randint(1, 12)
        if number > 12 and number % 9 == 0:
            sku, before = rng.choice(earlier)
            revision = max(1, before + rng.choice([-1, 1, 2]))
        earlier.append((sku, revision))
        name = " ".join(rng.sample(WORDS, 3)).capitalize() + (" & co" if number % 11 == 0 else "")
        price = f"{rng.randint(125, 24_999) / 100:.2f}"
        yield sku, name, price, rng.choice(["EUR", "USD", "GBP"]), str(rng.randint(0, 500)), str(revision)


def shop(build: seeding.Build) -> dict[str, list[Answer]]:
    """The catalogue: a spine of pages, pages beside it, and links back into both."""
    spine = build.size(full=40 - len(LEAF_LINKS), small=8) - (build.fixture == "twin")
    per_page, rows = build.size(full=8, small=2), filler(build.rng)
    marks = [f"?after={build.rng.randrange(10**7, 10**8)}" for _ in range(spine)]
    urls = ["/", *(f"/catalog{mark}" for mark in marks[1:])]
    pages: dict[str, list[Answer]] = {}
    for number, url in enumerate(urls, 1):
        following = marks[number] if number < spine else marks[2]  # the last leads back
        links = SPINE_LINKS.get(
            number, [f'<a rel="next" href="{"/catalog" * (number % 2)}{{next}}">Next</a>']
        )
        links = [link.replace("{next}", following) for link in links]
        found = SPINE_ROWS.get(number, []) + [plain(*next(rows)) for _ in range(per_page)]
        pages[url] = [page(f"Page {number}", found, links, '<link rel="next" href="/feed">' * (number == 1))]
    for url, templates in LEAF_LINKS.items():
        links = [link.replace("{second}", marks[1]) for link in templates]
        found = LEAF_ROWS.get(url, []) + [plain(*next(rows)) for _ in range(per_page)]
        pages[url] = [page(url.strip("/"), found, links)]
    pages[BUSY].insert(0, {"status": 429, "headers": {"Retry-After": "1"}})
    for url in UNLINKED:
        pages[url] = [
            page("Not the catalogue", [plain(f"TRAP-{url[1:]}", "Trap", "1.00", "EUR", "1", "99")], [])
        ]
    return pages


def trial() -> dict[str, list[Answer]]:
    """A few pages of which some cannot be had; every answer holds a row."""
    links = [f'<a rel="next" href="{name}">{name}</a>' for name in TRIAL_NAMES]
    start = page("Trial", [plain("TRIAL-START", "Start", "1.00", "EUR", "1", "1")], links)
    pages = {START: [start | {"status": 429, "headers": {"Retry-After": "0"}}, start]}
    for name, answers in TRIAL.items():
        pages[f"/trial/{name}"] = made = []
        for turn, (status, headers) in enumerate(answers, 1):
            row = plain(f"TRIAL-{name}", f"{name}, answer {turn}", "1.00", "EUR", "1", "1")
            links = [f'<a rel="next" href="{link}">{link}</a>' for link in TRIAL_LINKS.get(name, [])]
            made.append(page(name, [row], links) | {"status": status, "headers": headers})
    return pages


def edge_shop() -> dict[str, list[Answer]]:
    """Two pages; the link has an encoded ampersand between its parameters and another one in a value."""
    href, target = REGIONS
    first = plain("EDGE-1", "Query & link", "1.25", "USD", "7", "1")
    second = plain("EDGE-2", "Arrived <safely>", "2.50", "USD", "3", "1")
    link = f'<a rel="next" href="{href}">Next</a>'
    return {"/": [page("Edge", [first], [link])], target: [page("Second page", [second], [])]}


def write_initial(build: seeding.Build) -> None:
    """Write the pages; the edge has two of them."""
    pages = edge_shop() if build.fixture == "edge" else shop(build) | trial()
    trap = [page("Partner", [plain("HIGH-FIRST", "Partner's", "1.00", "EUR", "1", "99")], [])]
    others = dict.fromkeys(["/catalog?after=1", "/catalog?after=2", "/trial/new"], trap)
    fixtures.write_json(build.out / "inputs/catalog_site.json", {"pages": pages, "other_pages": others})


if __name__ == "__main__":
    seeding.main(10, {"initial": write_initial})
