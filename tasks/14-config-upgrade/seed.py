"""Generated files of task 14: four layers of one configuration and the keys that were renamed."""

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type Tree = dict[str, Any]

DEFAULTS = r"""# Atlas: every key it knows, with its default.
; Lines that begin like this one are comments.
[app]
name = Atlas
maxUsers = 250
edition = "community"
version = "1.10"
motd =
banner = Welcome; 100% free # really
pattern = %(levelname)s %(message)s
query = a = b : c
switch = True
build = 0042
ratio = 1.50
burst = 2e3
tags = ["core", "beta"]
title = ${app.name} ${app.version} (${edition}, ${mode})
flags = ${app.debug}/${app.burst}/${network.port}/[${app.motd}]
debug = false
price = $${app.ratio} {net} ${app.motd}$
braces = {app.name}
literal = $${app.braces}
contact = null
support = null
limits = {"cpu": NaN}
ceiling = {"cpu": [Infinity]}
floor = {"cpu": -Infinity}
full name = Atlas Server
quoted = 'x'
capital = True
# skin = light
; skin = dark
compact=a = b
greeting = Hello from ${app.full name}!
theme = dark
retired = old
[cache]
size = 1
region = eu-1
[network]
host = localhost
port = 8080
retries = 3
timeout = 30
allow = ["10.0.0.1", "10.0.0.2"]
url = http://${network.host}:${network.port}/
port_text = ${network.port}
[server]
port = 8000
[service]
label = Legacy Atlas
[queue]
depth = 5
inner = {"kind": "fifo", "spare": {}}
[sessions]
ttl = 30
[proxy.http]
port = 3128
[mirror]
url = http://mirror.test
region = eu
[tracing]
level = info
[logging]
handlers = ["console", "file"]
[paths]
root = /srv/atlas
logs = ${paths.root}/logs
search = ["${paths.logs}/a", ["${paths.root}"], {"${mode}": "${mode}", "size_${mode}": 1}]
[search]
engine = native
[database]
username = atlas
[database.credentials]
password_secret = s3cr:t#1
hint = ask ${database.credentials.password_secret}
[database.options]
dsn = postgres://${database.credentials.user}:${database.credentials.password_secret}@${network.host}
primary = ${database.options.dsn}/primary
"""

SITE = """mode = "safe"
first_day = 2025-03-01
app-extra = { port = 1 }
app.released = 2025-03-01T08:30:00Z
app.windows = [2025-03-01T08:30:00, 07:15:00]
cache = { size = 2, owner = "site", ttl = 2 }
server = { bind = "0.0.0.0", keepalive = true }
tls = { port = 8443, ciphers = ["a"] }
queue = { width = 2.0, deep.er = 0x10 }
mail.relay = "relay-of-site"
mailer.host = "mail-of-site"
search.kind = "fuzzy"
plugins.first = true
legacy.db.pool.size = 12
old = { empty = {}, holder = { key = "kept beside an empty object" } }
[network]
keepalive = false
host = "site.internal"
tls = { port = 443 }
[[accounts]]
name = "${app.name} admin"
api_secret = "${token_secret}!"
zone = { b = 1, a = "ä", pin_secret = 1, since = 2025-03-02T08:00:00 }
"""

USER = r"""{
  "token_secret": 4711, "_secret": "hidden", "API_SECRET": "shown", "client_secret_id": "shown",
  "pin": "${token_secret}", "${nowhere}": "a key",
  "topsecret": "${database.credentials.vault_secret.primary.key}!", "Zone": "upper case",
  "notify": ["hook?key=${token_secret}", {"hook_secret": {"deep": 1}, "Hook": "${pin}"}],
  "app": {
    "support": "desk@atlas.test", "limits": {"cpu": 2}, "ceiling": {"cpu": 3}, "floor": {"cpu": 1},
    "theme": {"name": "solar", "accent": null},
    "retired": null, "room": "room 4711"
  },
  "cache": {"ttl": 3, "mode": "user", "owner": "user"}, "service": {"label": "Atlas of Users"},
  "network": {"allow": {"eu": ["10.1.0.0"]}, "retries": null, "tls": {"port": 444}},
  "server": {"retries": 7, "address": "user.address", "bind": "user.bind", "workers": 4},
  "queue": {}, "sessions": {"ttl": null}, "tracing": "off", "mirror": null, "trial": {"on": true},
  "mailer": "none", "mail": {"smtp": "smtp-of-user"}, "paths": {"scratch": "/tmp/${app.name}"},
  "ui": {"colour": "red", "colours": [null, {"none": null}]}, "plugins": {"second": true},
  "database": {"username": "analyst", "credentials": {"vault_secret": {"primary": {"key": "k"}, "list": []}}},
  "former": {"text": "old", "list": "old", "object": "old", "zero": "old"},
  "kept": {"text": "", "list": [], "object": {}, "zero": 0},
  "was": {"text": "", "list": [], "object": {}, "zero": 0, "flag": false},
  "gone": {"for": {"good": null}}, "ärger": "Grüße\n\u2028"
}"""

RUNTIME = """{
  "app": {"switch": {}, "tags": ["runtime"], "debug": true}, "cache": {"mode": "runtime", "region": "us-2"},
  "server": {"timeout": null}, "tls": {"minimum": 1.2}, "plugins": ["only", null], "absent": null,
  "service": "retired", "mirror": {"url": "http://mirror.runtime"}, "trial": null, "edition": "${app.name}",
  "logging": {"handlers": [{"kind": "file", "level": null, "at": "${paths.logs}"}, null, "${app.name}"]}
}"""

MIGRATIONS = """server.bind network.host,server.address network.host,server.port network.port
server.timeout network.timeout,server.retries network.retries,server.keepalive network.keepalive
service.label app.name,database.username database.credentials.user,tls network.tls,ui.colour ui.color
mail.smtp mail.relay,mail.relay mail.gateway,search.engine search.backend,search.kind search.engine
mailer.host mail.host,legacy.db.pool.size database.pool,old.holder.key old.kept,paths.tmp paths.scratch
proxy.http network.proxy,former.text kept.text,former.list kept.list,former.object kept.object
former.zero kept.zero,was.text now.text,was.list now.list,was.object now.object,was.zero now.zero
was.flag now.flag"""

EDGE = """[cycle]
second = see ${cycle.first}
first = see ${app.name} and ${cycle.second}
lead = ${cycle.first}
[ring]
c = ${ring.b}
a = ${ring.c} ${app.name}
b = ${ring.a} ${ring.none}
[app]
name = Atlas
ahead = ${cycle.second}
again = ${app.again}
note = ${app.nmae}
"""

WORDS = "alder birch cedar elm fir hazel larch maple oak pine rowan willow".split()


def write_initial(build: seeding.Build) -> None:
    """Write the five inputs; in the edge the defaults alone have settings, some of which are in error."""
    defaults, site, user, runtime, migrations = EDGE, "# empty\n", {}, {}, []
    if build.fixture != "edge":
        rng = build.rng
        services = [f"{rng.choice(WORDS)}-{n:03}" for n in range(build.size(full=240, small=12))]
        defaults = DEFAULTS + "".join(default_service(name, rng) for name in services)
        site = SITE + "".join(site_service(name, rng) for name in services)
        user = json.loads(USER) | {"services": {name: user_service(rng) for name in services}}
        runtime = json.loads(RUNTIME) | {"services": {name: runtime_service(name, rng) for name in services}}
        migrations = [row.split() for row in MIGRATIONS.replace("\n", ",").split(",")]
        migrations += [[f"services.{name}.threads", f"services.{name}.workers"] for name in services]
    inputs = build.out / "inputs"
    fixtures.write_text(inputs / "defaults.ini", defaults)
    fixtures.write_text(inputs / "site.toml", site)
    fixtures.write_json(inputs / "user.json", user)
    fixtures.write_json(inputs / "runtime.json", runtime)
    fixtures.write_csv(inputs / "key_migrations.csv", ["old_key", "new_key"], migrations)


def default_service(name: str, rng: Random) -> str:
    url = f"http://{name}.${{mode}}.test:${{services.{name}.port}}/"
    tags = fixtures.json_line(rng.sample(WORDS, 3))
    port = rng.randint(9000, 9999)
    return f"\n[services.{name}]\nport = {port}\nurl = {url}\ntags = {tags}\nworkers = 1\n"


def site_service(name: str, rng: Random) -> str:
    return f"\n[services.{name}]\nport = {rng.randint(7000, 7999)}\nweight = {rng.randint(1, 99) / 10}\n"


def user_service(rng: Random) -> Tree:
    extra = {"port": rng.randint(6000, 6999)} if rng.random() < 0.5 else {"weight": None}
    return extra | {rng.choice(["threads", "workers"]): rng.randint(2, 32), "tags": rng.sample(WORDS, 2)}


def runtime_service(name: str, rng: Random) -> Tree:
    other = {"tags": None} if rng.random() < 0.3 else {"threads": rng.randint(33, 64)}
    return {"note": f"{rng.choice(WORDS)} at ${{services.{name}.url}}"} | other


if __name__ == "__main__":
    seeding.main(14, {"initial": write_initial})
