"""Tokens, what they allow, what they hide; the files of servers; the audit log."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from tests.support.served import BASE, Served, served_session, use_own_folders
from tuidbg.api.auth.audit import Audit, AuditNotWritten
from tuidbg.api.auth.callers import ALL_SCOPES, Caller, TokenScope
from tuidbg.api.auth.tokens import Tokens, read_token
from tuidbg.api.server_file import find_servers, runtime_folder, write_server_file
from tuidbg.session.core import redaction
from tuidbg.session.core.redaction import Redaction
from tuidbg.session.model.state import Variable


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_folders(tmp_path, monkeypatch)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# Tokens


@pytest.mark.parametrize(
    ("text", "scopes", "redact"),
    [
        ("bot:read", {TokenScope.READ}, Redaction.NAMES),
        ("bot:control:secrets", {TokenScope.READ, TokenScope.CONTROL}, Redaction.NOTHING),
        (
            "bot:evaluate,launch:redact",
            {TokenScope.READ, TokenScope.EVALUATE, TokenScope.LAUNCH},
            Redaction.TEXTS,
        ),
        ("ci.run-2:all", ALL_SCOPES, Redaction.NAMES),
    ],
)
def test_a_token_is_made_of_words(text: str, scopes: set[TokenScope], redact: Redaction) -> None:
    token = read_token(text)
    assert (token.name, set(token.scopes), token.redact) == (
        text.partition(":")[0],
        set(scopes),
        redact,
    )
    assert len(token.value) > 30 and token.value != read_token(text).value


@pytest.mark.parametrize(
    "text",
    [
        "bot",
        "bot:",
        ":read",
        "bot:write",
        "bot:read:hide",
        "bot:read:secrets:redact",
        "owner:read",
        "a b:read",
    ],
)
def test_what_makes_no_token_is_told(text: str) -> None:
    with pytest.raises(ValueError, match=r"form NAME|no scope|taken"):
        read_token(text)


def test_a_token_is_found_by_all_of_its_value() -> None:
    bot = read_token("bot:read")
    tokens = Tokens([bot])
    assert tokens.find(bot.value.encode()) == bot
    assert tokens.find(tokens.owner.value.encode()) == tokens.owner
    assert tokens.find(bot.value[:-1].encode()) is None
    assert tokens.find(b"") is None and tokens.find(b"\xff") is None


BOTS = tuple(map(read_token, ("reader:read", "stepper:control", "asker:evaluate:redact")))


@pytest.fixture
async def target(tmp_path: Path) -> AsyncIterator[Served]:
    async with served_session(tmp_path, tokens=BOTS) as made:
        yield made


def _calls(target: Served) -> dict[TokenScope, tuple[str, str, dict[str, object] | None]]:
    session = f"{BASE}/sessions/{target.member.id}"
    return {
        TokenScope.READ: ("GET", f"{session}/threads", None),
        TokenScope.CONTROL: ("POST", f"{session}/step-over", {}),
        TokenScope.EVALUATE: ("POST", f"{session}/evaluate", {"expression": "1"}),
        TokenScope.LAUNCH: ("POST", f"{session}/launch", {"script": "/none.py"}),
    }


@pytest.mark.full
@pytest.mark.real
async def test_a_token_allows_what_its_scopes_say(target: Served) -> None:
    for bot in BOTS:
        for scope, (method, path, body) in _calls(target).items():
            answer = await target.ask(method, path, bot.value, json=body)
            if scope in bot.scopes:
                assert answer.status_code == 200, (bot.name, scope, answer.text)
            else:
                assert answer.status_code == 403, (bot.name, scope, answer.text)
                assert answer.json()["error"]["code"] == "FORBIDDEN"
    answer = await target.ask(
        "POST", "/command", BOTS[0].value, json={"action": "evaluate", "expression": "1"}
    )
    assert answer.status_code == 403 and answer.json()["ok"] is False


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("field", ["condition", "log_message"])
async def test_a_breakpoint_that_runs_code_needs_the_scope_for_it(
    target: Served, field: str, tmp_path: Path
) -> None:
    path = f"{BASE}/sessions/{target.member.id}/breakpoints"
    place = {"source": {"path": str(tmp_path / "program.py")}, "line": 3}
    plain = await target.ask("POST", path, BOTS[1].value, json={"breakpoints": [place]})
    assert plain.status_code == 200, plain.text
    with_code = {"breakpoints": [{**place, field: "{print(1)}" if "log" in field else "1 > 2"}]}
    refused = await target.ask("POST", path, BOTS[1].value, json=with_code)
    assert refused.status_code == 403
    assert (await target.ask("POST", path, json=with_code)).status_code == 200
    log = tmp_path / "xdg_state_home" / "tuidbg" / "audit.log"
    (line,) = log.read_text().splitlines()
    assert json.loads(line)["action"] == "setBreakpoints"


@pytest.mark.full
@pytest.mark.real
async def test_the_person_sees_who_called(target: Served) -> None:
    _, path, body = _calls(target)[TokenScope.EVALUATE]
    await target.ask("POST", path, BOTS[2].value, json=body)
    await target.ask("POST", path, BOTS[0].value, json=body)
    done, refused = list(target.hub.activity)[-2:]
    assert (done.actor, done.origin, done.session_id) == ("asker", "rest", target.member.id)
    assert not done.failed
    assert refused.actor == "reader" and refused.failed and "not allow" in refused.result


@pytest.mark.full
@pytest.mark.real
async def test_a_person_who_pauses_the_agents_is_obeyed(target: Served) -> None:
    target.hub.hold("let me look")
    for scope, (method, path, body) in _calls(target).items():
        answer = await target.ask(method, path, json=body)
        assert answer.status_code == (200 if scope is TokenScope.READ else 409), scope
    assert "let me look" in answer.text
    target.hub.hand_back()
    await target.assert_unharmed()


# Redaction


@pytest.mark.full
@pytest.mark.real
async def test_a_token_may_be_denied_secrets(target: Served) -> None:
    await target.ask("POST", f"{BASE}/sessions/{target.member.id}/step-over", json={})
    await target.ask("POST", f"{BASE}/sessions/{target.member.id}/step-over", json={})
    evaluate = f"{BASE}/sessions/{target.member.id}/evaluate"
    for expression, shown in (("password", "hunter2"), ("user", "k-123"), ("vars()", "hunter2")):
        body = {"expression": expression}
        full = await target.ask("POST", evaluate, json=body)
        assert shown in full.text, expression
        hidden = await target.ask("POST", evaluate, BOTS[2].value, json=body)
        assert hidden.status_code == 200
        assert shown not in hidden.text and redaction.REDACTED in hidden.text, expression
    for token, is_hidden in (("", False), (BOTS[2].value, True)):
        command = {"action": "locals"}
        answer = await target.ask("POST", "/command", token or None, json=command)
        assert ("hunter2" in answer.text) is not is_hidden
        assert ("k-123" in answer.text) is not is_hidden
        assert "ada" in answer.text
        scopes = await target.ask(
            "GET", f"{BASE}/sessions/{target.member.id}/scopes", token or None
        )
        for scope in scopes.json()["data"]["scopes"][:1]:
            variables = await target.ask(
                "GET",
                f"{BASE}/sessions/{target.member.id}/variables",
                token or None,
                params={"variables_reference": scope["variables_reference"]},
            )
            assert variables.status_code == 200, variables.text
            assert ("hunter2" in variables.text) is not is_hidden
            assert ("k-123" in variables.text) is not is_hidden


@pytest.mark.parametrize(
    ("shown", "hidden"),
    [
        ("{'password': 'a b', 'n': 1}", "{'password': <redacted>, 'n': 1}"),
        ("Config(api_key=b'x', user='y')", "Config(api_key=<redacted>, user='y')"),
        ("Authorization: Bearer a.b; x", "Authorization: <redacted>; x"),
        ("password == 'x' and n != 3", "password == <redacted> and n != 3"),
        ("['run', '--db-password', 'x', '-v']", "['run', '--db-password', <redacted>, '-v']"),
        ("?token=abc&page=2", "?token=<redacted>&page=2"),
        ("{'secret': {'a': 'b'}}", "{'secret': <redacted>"),
        ('{"expression": "password = \\"a\\" + b"}', '{"expression": "password = <redacted> + b"}'),
        ("author='me', compass=1, passes=2", "author='me', compass=1, passes=2"),
    ],
)
def test_secrets_in_a_text_are_hidden(shown: str, hidden: str) -> None:
    assert redaction.text(shown) == hidden


def test_a_hidden_variable_has_no_children() -> None:
    secret = Variable(name="db_pass", value="'x'", reference=7, handle=7, total=3)
    assert redaction.variable(secret) == secret
    with redaction.hidden():
        found = redaction.variable(secret)
        assert (found.value, found.reference, found.handle) == (redaction.REDACTED, 0, 0)
        assert redaction.result("db_pass[0]", "x") == redaction.REDACTED
        assert redaction.result("n", "1") == "1"
    assert not redaction.withholds_texts()


def test_by_names_only_what_stands_behind_one_is_hidden() -> None:
    with redaction.hidden(Redaction.NAMES):
        assert redaction.words("paid, token=abc\n") == "paid, token=<redacted>\n"
        assert redaction.trace("ValueError: password='x' of ada").endswith("<redacted> of ada")
        assert redaction.raised("KeyError: 'ada'") == "KeyError: 'ada'"
        assert redaction.code("names['ada'], login(password='x')") == (
            "names['ada'], login(password=<redacted>)"
        )
        assert redaction.arguments(("run", "--token", "x", "--api-key=y")) == (
            *("run", "--token", "<redacted>", "--api-key=<redacted>"),
        )
        env = {"HOME": "/root", "API_KEY": "x", "URL": "db?password=x", "PASSWORD": ""}
        assert redaction.environment(env) == {
            "HOME": "/root",
            "API_KEY": "<redacted>",
            "URL": "db?password=<redacted>",
            "PASSWORD": "",
        }
        error = Variable(name="error", type="KeyError", value="KeyError('ada')")
        assert redaction.variable(error) == error
        secret = Variable(name="password", type="KeyError", value="KeyError('ada')")
        assert redaction.variable(secret).value == redaction.REDACTED


# The audit log


@pytest.mark.full
@pytest.mark.real
async def test_what_runs_code_is_written_down(target: Served, tmp_path: Path) -> None:
    for method, path, body in _calls(target).values():
        await target.ask(method, path, json=body)
    _, path, _ = _calls(target)[TokenScope.EVALUATE]
    await target.ask("POST", path, json={"expression": "login(password='hunter2')"})
    log = tmp_path / "xdg_state_home" / "tuidbg" / "audit.log"
    assert mode(log) == 0o600
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["scope"] for line in lines] == ["evaluate", "launch", "evaluate"]
    for line in lines:
        assert line["actor"] == "owner" and line["origin"] == "rest"
        assert line["session"] == target.member.id and line["time"].endswith("Z")
    assert '"expression":"1"' in lines[0]["what"].replace(" ", "")
    assert "login" in lines[2]["what"] and "hunter2" not in log.read_text()


def test_the_audit_log_is_only_added_to(tmp_path: Path) -> None:
    log = tmp_path / "folder" / "audit.log"
    for number in (1, 2):
        audit = Audit(log)
        audit.write(Caller(), TokenScope.EVALUATE, "evaluate", "sess_1", f"n{number}\nx")
        audit.close()
        assert (mode(log.parent), mode(log)) == (0o700, 0o600)
        log.chmod(0o644)  # as a copy may have left it
    assert [json.loads(line)["what"] for line in log.read_text().splitlines()] == [
        "n1\nx",
        "n2\nx",
    ]


def test_what_cannot_be_written_down_is_refused(tmp_path: Path) -> None:
    audit = Audit(Path("/dev/full")) if Path("/dev/full").exists() else Audit(tmp_path / "log")
    if not Path("/dev/full").exists():
        audit.close()
    with pytest.raises(AuditNotWritten, match="audit log"):
        audit.write(Caller(), TokenScope.EVALUATE, "evaluate", "", "1")


# The files of servers


def test_a_server_is_found_by_its_file() -> None:
    first = write_server_file("http://127.0.0.1:1", token="a")
    second = write_server_file("http://localhost", uds="/x", token="b")
    assert mode(first) == mode(second) == 0o600
    assert mode(first.parent) == 0o700
    assert [server.token for server in find_servers()] == ["b", "a"]


def test_what_dead_servers_left_is_removed() -> None:
    living = write_server_file("http://127.0.0.1:1")
    told = json.loads(living.read_text())
    files = []
    for name, change in (("dead", {"pid": 2**22 + 1}), ("other", {"started": "another"})):
        path = living.with_name(f"server-{name}.json")
        path.write_bytes(msgspec.json.encode({**told, **change}))
        files.append(path)
    assert [server.path for server in find_servers()] == [str(living)]
    assert not any(path.exists() for path in files)


def test_a_folder_that_others_may_read_is_closed(tmp_path: Path) -> None:
    folder = runtime_folder()
    folder.chmod(0o755)
    assert mode(runtime_folder()) == 0o700


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = runtime_folder()
    folder.rmdir()
    (tmp_path / "theirs").mkdir()
    folder.symlink_to(tmp_path / "theirs")
    assert runtime_folder() != folder
    assert os.listdir(tmp_path / "theirs") == []  # noqa: PTH208


def test_tokens_of_two_servers_differ() -> None:
    assert Tokens().owner.value != Tokens().owner.value
    assert Tokens(redact=True).owner.redact is Redaction.TEXTS
    assert Tokens().owner.redact is Redaction.NOTHING
