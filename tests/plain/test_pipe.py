"""The line mode in pipes: scripts of commands, output told apart, statuses, ends of all kinds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.plain.piped import TIMEOUT, by_lines, stop_in
from tests.support.attachable import free_port
from tests.support.command import TUIDBG, environment
from tests.support.marked import MarkedProgram
from tests.support.remains import find_remains
from tests.support.waiting import PATIENCE, wait_until
from tuidbg.plain.commands.table import BY_NAME, COMMANDS

pytestmark = pytest.mark.real

FAULTY = """\
    import sys

    def share(cake, guests):
        return cake / guests  #: fault

    def main():
        print("before", flush=True)
        print("aside", file=sys.stderr, flush=True)
        try:
            share(1, 0)
        except ZeroDivisionError:
            pass
        share(3, 0)

    main()
    """

PROPERTY = """\
    class Slow:
        @property
        def endless(self):
            while True:
                pass

    slow = Slow()
    print("end")  #: end
    """

ENDS = """\
    import sys
    print("in between")
    sys.exit(3)
    """


@pytest.mark.full
def test_an_evaluation_without_end_is_given_up(tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path, PROPERTY)
    patient_for_less = "from tuidbg.plain import front; front.PIPE_LIMIT = 0.5"
    start = f"{patient_for_less}; from tuidbg.__main__ import main; main()"
    commands = [f"b {program['end']}", "c", "p slow.endless", "p 1 + 1", "c", "q"]
    told = by_lines(tmp_path, program.file, commands, tuidbg=[sys.executable, "-c", start])
    assert "no answer within 0.5 s" in told.answer(2)
    assert told.answer(3) == "2"
    assert told.answer(4).startswith("end")


@pytest.mark.own_python
def test_an_uncaught_exception_is_stood_at_and_then_ends_it(tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path, FAULTY)
    catching = ["catch ZeroDivisionError", "c", "clear 1"]
    commands = [*catching, "c", "p guests, cake", "exceptions", "u", "l", "c", "p 1", "q"]
    told = by_lines(tmp_path, program.file, commands)
    assert "before\n" in told.answer(1)
    assert "Exception: ZeroDivisionError: division by zero" in told.answer(1)
    stop = told.answer(3)
    assert "Exception (not caught): ZeroDivisionError: division by zero" in stop
    assert stop_in(stop) == (program["fault"], "share")
    assert told.answer(4) == "(0, 3)"
    assert told.answer(5).startswith("ZeroDivisionError: division by zero")
    assert "share(3, 0)" in told.answer(5)
    assert stop_in(told.answer(6))[1] == "main"
    assert "->\t    share(3, 0)" in told.answer(7)
    assert told.answer(8) == "The program has ended with exit code 1."
    assert told.answer(9) == "*** the program has ended; `run` starts it again"
    assert "aside\n" in told.error
    assert "ZeroDivisionError" in told.error
    assert "\naside\n" not in told.text
    assert told.status == 1


@pytest.mark.full
def test_a_breakpoint_in_a_zip_application(tmp_path: Path) -> None:
    archive = tmp_path / "app.pyz"
    with ZipFile(archive, "w") as made:
        made.writestr("__main__.py", "import helper\nhelper.shout('a')\n")
        made.writestr("helper.py", "def shout(word):\n    loud = word.upper()\n    return loud\n")
    told = by_lines(tmp_path, archive, ["b helper.py:2", "c", "n", "p loud", "c"])
    assert told.stops() == [(1, "<module>"), (2, "shout"), (3, "shout")], told.text
    assert told.answer(3) == "'A'"


@pytest.mark.full
def test_the_status_is_the_programs_and_sys_exit_is_no_failure(tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path, ENDS)
    told = by_lines(tmp_path, program.file, ["c"])  # and the commands end with that
    assert told.answer(0) == "in between\nThe program has ended with exit code 3."
    assert told.status == 3


@pytest.mark.full
def test_the_end_of_the_commands_ends_a_program_that_stands(tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path, ENDS)
    told = by_lines(tmp_path, program.file, [])
    assert told.status == 0
    assert told.stops() == [(1, "<module>")]
    assert "in between" not in told.text


@pytest.mark.full
def test_it_begins_again_with_other_arguments_and_keeps_breakpoints(tmp_path: Path) -> None:
    program = MarkedProgram(
        tmp_path,
        """\
        import sys
        words = sys.argv[1:]
        print(words)  #: here
        """,
    )
    commands = [f"b {program['here']}", "c", "p words", "run 'a b' c", "c", "p words", "c", "q"]
    told = by_lines(tmp_path, program.file, commands, args=["first"])
    assert told.answer(2) == "['first']"
    assert stop_in(told.answer(3)) == (1, "<module>")
    assert told.answer(5) == "['a b', 'c']"
    assert told.status == 0
    # The next session in this project has them, too.
    again = by_lines(tmp_path, program.file, ["b", "c", "q"])
    assert again.answer(0).startswith(f"Breakpoint 1 at {program.path}:{program['here']}")
    assert stop_in(again.answer(1)) == (program["here"], "<module>")


@pytest.mark.full
def test_what_python_means_wins_over_commands_where_it_can_mean_nothing_else(
    tmp_path: Path,
) -> None:
    program = MarkedProgram(tmp_path, ENDS)
    commands = [
        "c = 3",
        "c + 1",
        "n = [c]",
        "n[0] + 1",
        "r, s = 1, 2",
        "print(c)",
        "list((1, 2))",
        "bogus",
        "b 99",
        "b nothing.py:3",
        "d x",
        "thread 77",
        "retval",
        "h unt",
        "h bogus",
        "1 +",
        "q",
    ]
    told = by_lines(tmp_path, program.file, commands)
    answers = [told.answer(index) for index in range(len(commands) - 1)]
    assert answers[:4] == ["", "4", "", "4"]
    assert "\n3\n" in told.text  # what it prints comes another way than what it answers
    assert answers[6] == "[1, 2]"
    assert answers[7] == "*** NameError: name 'bogus' is not defined"
    assert answers[8].startswith("*** ")
    assert answers[9] == "*** there is no file nothing.py"
    assert answers[10] == "*** 'x' is no number of frames"
    assert answers[11] == "*** there is no thread 77"
    assert answers[12].startswith("*** not yet returned")
    assert answers[13] == "unt, until [LINE]: run to a later line of the function"
    assert answers[14] == "*** there is no command bogus; `h` lists all"
    assert "*** SyntaxError" in answers[15]
    assert "Traceback" not in told.text + told.error


@pytest.mark.full
def test_threads_returned_values_logs_and_rules(tmp_path: Path) -> None:
    program = MarkedProgram(
        tmp_path,
        """\
        import threading

        def work(number):
            doubled = number * 2  #: work
            return doubled

        def risky():
            try:
                raise KeyError("k")
            except KeyError:
                return None

        thread = threading.Thread(target=work, args=(4,), name="Worker")
        thread.start()  #: start
        thread.join()
        total = work(1)  #: call
        risky()
        print("done")  #: end
        """,
    )
    commands = [
        f"log {program['start']} about to work {{1 + 1}}",
        f"tbreak {program['work']}",
        "c",
        "threads",
        "a",
        "thread",
        "thread 1",
        f"tbreak {program['call']}",
        "catch KeyError",
        "c",
        "s",
        "r",
        "retval",
        "c",
        "catch none",
        "locals",
        f"to {program['end']}",
        "info",
        "catch user",
        "catch user, KeyError",
        "catch LookupError all",
        "c",
    ]
    told = by_lines(tmp_path, program.file, commands)
    answers = [told.answer(index) for index in range(len(commands))]
    assert stop_in(answers[2]) == (program["work"], "work")
    assert "Thread" in answers[2]
    assert "Worker" in answers[3]
    assert "MainThread" in answers[3]
    assert answers[4] == "number = 4"
    assert "Worker" in answers[5]
    assert "MainThread" in answers[6]
    assert stop_in(answers[9]) == (program["call"], "<module>")
    assert stop_in(answers[10]) == (program["work"], "work")
    assert "work() returned 2" in answers[11]
    assert answers[12] == "work() returned 2"
    assert "KeyError" in answers[13]
    assert stop_in(answers[13])[1] == "risky"
    assert answers[14] == "The program stops at exceptions: none."
    assert stop_in(answers[16]) == (program["end"], "<module>")
    assert "state: paused" in answers[17]
    assert answers[18] == "The program stops at exceptions: user_uncaught."
    assert answers[19] == "*** name moments or types: `catch raised`, or `catch ValueError`"
    assert answers[20].startswith("*** all is no type; write a type such as ValueError")
    assert "about to work 2" in told.text
    assert told.status == 0


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "said", "status"),
    [
        ([], "--plain: name a SCRIPT or a -m MODULE to debug", 2),
        (["nothing.py"], "there is no file nothing.py", 2),
        (["bad.py"], "bad.py:1: SyntaxError", 2),
        (["--serve", "ends.py"], "--serve needs the screen", 2),
    ],
)
def test_what_can_not_be_is_told_before_anything_runs(
    tmp_path: Path, words: list[str], said: str, status: int
) -> None:
    (tmp_path / "bad.py").write_text("def (\n")
    (tmp_path / "ends.py").write_text("pass\n")
    done = subprocess.run(
        [*TUIDBG, "--plain", *words],
        cwd=tmp_path,
        env=environment(tmp_path),
        input="",
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == status
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_terminal_the_line_mode_is_named(tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text("pass\n")
    done = subprocess.run(
        [*TUIDBG, "ends.py"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 2
    assert "--plain" in done.stderr


ENDLESS = "import time\nprint('begun', flush=True)\nwhile True:\n    time.sleep(0.01)\n"
MARK = "PLAIN_UNDER_TEST"
LETS_GO = {
    name for each in COMMANDS if each.do.__module__.endswith("running") for name in each.names
}


@pytest.fixture
def endless(tmp_path: Path) -> subprocess.Popen[str]:
    (tmp_path / "endless.py").write_text(ENDLESS)
    return subprocess.Popen(
        [*TUIDBG, "--plain", "endless.py"],
        cwd=tmp_path,
        env={**environment(tmp_path), MARK: str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _await_line(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdout is not None
    while line := process.stdout.readline():
        if text in line:
            return
    raise AssertionError(f"no {text!r}: {process.communicate(timeout=PATIENCE)}")


@pytest.mark.own_python
def test_ctrl_c_pauses_what_runs_in_a_pipe_too(
    tmp_path: Path, endless: subprocess.Popen[str]
) -> None:
    assert endless.stdin is not None
    endless.stdin.write("c\n")
    endless.stdin.flush()
    _await_line(endless, "begun")
    endless.send_signal(signal.SIGINT)
    _await_line(endless, "Paused.")
    rest, error = endless.communicate("p 6 * 7\nq\n", timeout=TIMEOUT)
    assert "42" in rest
    assert error == ""
    assert endless.returncode == 0
    wait_until(lambda: not find_remains(MARK, str(tmp_path)), 5.0)


@pytest.mark.full
def test_a_reader_that_has_read_enough_ends_it_in_peace(
    tmp_path: Path, endless: subprocess.Popen[str]
) -> None:
    assert endless.stdin is not None and endless.stdout is not None and endless.stderr is not None
    _await_line(endless, "import time")
    endless.stdout.close()
    endless.stdin.write("l\nl\nc\n")
    endless.stdin.flush()
    assert endless.wait(TIMEOUT) == 0
    assert endless.stderr.read() == ""
    endless.stdin.close()
    endless.stderr.close()
    wait_until(lambda: not find_remains(MARK, str(tmp_path)), 5.0)


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_ends_the_program_with_it(
    tmp_path: Path, endless: subprocess.Popen[str], number: signal.Signals
) -> None:
    assert endless.stdin is not None
    endless.stdin.write("c\n")
    endless.stdin.flush()
    _await_line(endless, "begun")
    os.kill(endless.pid, number)
    endless.communicate(timeout=TIMEOUT)
    assert endless.returncode in (128 + number, -number)
    wait_until(lambda: not find_remains(MARK, str(tmp_path)), 5.0)


@pytest.mark.full
def test_an_attached_program_is_paused_and_runs_on(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "endless.py").write_text(ENDLESS)
    program = subprocess.Popen(
        [sys.executable, "-m", "debugpy", "--listen", str(port), "endless.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        _await_line(program, "begun")
        done = subprocess.run(
            [*TUIDBG, "attach", "--plain", "--wait", "20", str(port)],
            cwd=tmp_path,
            env=environment(tmp_path),
            input="p 6 * 7\nq\n",
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        assert "Paused." in done.stdout, done
        assert "(tuidbg) p 6 * 7\n42\n" in done.stdout
        assert done.stdout.endswith("The program runs on without the debugger.\n")
        assert done.returncode == 0
        assert program.poll() is None
    finally:
        program.kill()
        program.communicate()


@pytest.mark.full
def test_whatever_follows_a_command_it_answers_with_a_sentence(tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path, ENDS)
    odd = ("x y", "1,2", "-1", "\u00b2", "'", "99999999999", "[", "%", "1 if", ":3", "3,")
    names = [name for name in BY_NAME if name not in LETS_GO]
    commands = [f"{name} {words}" for name in names for words in odd]
    commands += ['run "a', ";;", ";; p 4 ;;", "! ", "?", "commands x", "p '"]
    told = by_lines(tmp_path, program.file, [*commands, "p 6 * 7", "q"])
    assert "Traceback" not in told.text + told.error
    assert told.answer(len(commands)) == "42"
    assert told.answers[-1].strip() == ""
    assert told.stops()[-1][0] == 1
