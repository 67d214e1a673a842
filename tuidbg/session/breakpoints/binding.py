"""Sends breakpoints to the adapter and merges its answers into what the person sees.

DAP takes the whole list of a file (``setBreakpoints``), of all addresses, of all data breakpoints
at a time. Functions are resolved to lines by the profile and travel with their files. Where the
program has a probe, conditions and counts are decided there (``probe.py``), else by the adapter
and the session (``hits.py``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from tuidbg.adapters.errors import AdapterError, RequestFailed
from tuidbg.adapters.probe import HitCounts
from tuidbg.config.stamps import file_stamp
from tuidbg.dap.types import Breakpoint as AdapterBreakpoint
from tuidbg.dap.types import BreakpointsBody
from tuidbg.session.breakpoints.function_breakpoints import send_addresses, send_functions
from tuidbg.session.breakpoints.options import BreakpointSettings, check_settings
from tuidbg.session.breakpoints.predicates import nearest_line
from tuidbg.session.breakpoints.registry import BreakpointRegistry, files_of, lines_of
from tuidbg.session.breakpoints.resend import Renewal
from tuidbg.session.evaluation.own_questions import own_question
from tuidbg.session.hits.log_messages import split_template
from tuidbg.session.hits.probe_specs import make_spec
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus, Place

if TYPE_CHECKING:
    from tuidbg.adapters.native.questions import NativeQuestions
    from tuidbg.session.breakpoints.data_breakpoints import DataWatch
    from tuidbg.session.breakpoints.locations import NativePlaces
    from tuidbg.session.session import Session

NOT_IMPORTED = "waits until the program imports this file"


NOT_RENDERED = "waits until the program renders this template"

POST_MORTEM = "a core file never runs: this waits for the next program"

NEWER = "the file is newer than the program: lines may not fit; build it again"

STALE = "the file has changed since the program loaded it; restart to set it anew"


class Publish(Protocol):
    """Keeps a breakpoint and tells of it."""

    def __call__(self, breakpoint: Breakpoint, *, origin: str) -> None: ...


class Binding:
    """What stands between the registry and the adapter."""

    def __init__(self, session: Session, registry: BreakpointRegistry, publish: Publish) -> None:
        self._session = session
        self._registry = registry
        self._publish = publish
        self.temporary: dict[str, int] = {}
        self.temporary_ids: set[int] = set()
        self.entry: tuple[str, ...] = ()
        """The functions at the first of which the program is stopped on entry."""
        self.numbers: dict[int, tuple[int, ...]] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._verified: set[int] = set()
        self._told: dict[str, dict[str, Any]] = {}
        """What the adapter was sent last for each file."""
        self._renewal = Renewal()
        self._epochs: dict[int, tuple[int, int]] = {}
        self._counts: dict[int, dict[int, HitCounts]] = {}

    @cached_property
    def data(self) -> DataWatch:
        """The data breakpoints."""
        from tuidbg.session.breakpoints.data_breakpoints import DataWatch

        return DataWatch(self._session, self._registry, self._publish)

    @cached_property
    def places(self) -> NativePlaces:
        """Where breakpoints stand in native code."""
        from tuidbg.session.breakpoints.locations import NativePlaces

        return NativePlaces(self._session)

    # Settings that begin something anew

    def note_settings(self, known: Breakpoint | None, settings: BreakpointSettings) -> None:
        """An ignore count counts from when it is set (R000-39), a budget from the enabling."""
        if known is None:
            return
        ignore, budget = self._epochs.get(known.number, (0, 0))
        enabled_again = settings.get("enabled", False) and not known.enabled
        if enabled_again or "at_most" in settings:
            self._session.hits.tally.renew_budget(known.number)
        self._epochs[known.number] = (
            ignore + ("ignore_count" in settings),
            budget + (enabled_again or "at_most" in settings),
        )

    # Sending

    async def synchronise_all(self) -> None:
        """Send everything, as after the handshake."""
        everything = list(self._registry)
        await self.resolve_functions(everything)
        files = {path for b in everything for path in self._files_of(b)} | set(self.temporary)
        await self._session.source_facts_of(files)
        await self._put(list(self._registry))
        await asyncio.gather(*(self.synchronise(path) for path in files))
        kinds = {b.kind for b in everything}
        await self._synchronise_others(kinds | ({BreakpointKind.FUNCTION} if self.entry else set()))

    async def synchronise_one(self, breakpoint: Breakpoint) -> None:
        """Send what concerns one breakpoint."""
        await self.synchronise_many([breakpoint])

    async def synchronise_many(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Send what concerns these breakpoints, new, changed or gone."""
        if self._session.is_post_mortem:
            for each in breakpoints:
                if self._registry.look_up(each.number) == each:
                    told = msgspec.structs.replace(pending(each), message=POST_MORTEM)
                    self._publish(told, origin="session")
            return
        await self.resolve_functions(breakpoints)
        files = {path for b in breakpoints for path in self._files_of(b)}
        for each in breakpoints:
            if (current := self._registry.look_up(each.number)) is not None:
                files |= self._files_of(current)
        if len(files) > 1:
            await self._session.source_facts_of(files)
            await self._put([b for path in files for b in self._registry.of_file(path)])
        await asyncio.gather(*(self.synchronise(path) for path in files))
        await self._synchronise_others({b.kind for b in breakpoints})

    def _files_of(self, found: Breakpoint) -> set[str]:
        """The files whose lists it belongs to; an adapter that finds functions has them apart."""
        is_apart = found.kind is BreakpointKind.FUNCTION
        if is_apart and not self._session.profile.finds_functions:
            return set()
        return files_of(found)

    async def _synchronise_others(self, kinds: set[BreakpointKind]) -> None:
        if BreakpointKind.EXCEPTION in kinds:
            await self._session.exceptions.synchronise()
        if BreakpointKind.FUNCTION in kinds and not self._session.profile.finds_functions:
            await send_functions(self._session, self._registry, self._publish)
        if BreakpointKind.ADDRESS in kinds:
            await send_addresses(self._session, self._registry, self._publish)
        if BreakpointKind.DATA in kinds:
            await self.data.send()
        if self._session.profile.native is not None and kinds - {BreakpointKind.EXCEPTION}:
            await self.places.refresh()

    async def synchronise_leaving(self) -> None:
        """The functions of watched locals may be others now: where they return is stopped at."""
        if self._session.profile.native is not None and (self.data.leaving or self.data.leave_ids):
            await send_addresses(self._session, self._registry, self._publish)

    async def synchronise(self, path: str) -> None:
        """Send one file's whole list and merge the answer; one at a time for each file.

        Does nothing without an adapter, and gives up quietly when the adapter dies meanwhile: the
        session tells that, and the intent stays.
        """
        async with self._locks.setdefault(path, asyncio.Lock()):
            path = await self._find_source(path)
            await self._refuse_lines_without_code(path)
            if not self._session.is_configurable:
                return
            try:
                await self._put(self._wanted(path))
                self._refuse_conditions(path)
                while await self._send(path):
                    pass
            except AdapterError as error:
                for found in self._registry.of_file(path):
                    if found.status is BreakpointStatus.PENDING and found.enabled:
                        told = msgspec.structs.replace(found, message=str(error))
                        self._publish(told, origin="adapter")

    async def _find_source(self, path: str) -> str:
        """The program's own path of a file of which only the name was given (R000-19)."""
        native = self._session.profile.native
        if native is None or not self._session.is_configurable or Path(path).exists():
            return path
        ask = self._session.request
        try:
            found = await native.find_source(ask, path)
            found = found or await native.find_source(ask, Path(path).name)
        except AdapterError:
            return path
        if len(found) != 1 or found[0] == path:
            return path
        for each in self._registry.of_file(path):
            if each.kind is BreakpointKind.LINE:
                moved = msgspec.structs.replace(each, path=found[0])
                self._publish(moved, origin="adapter")
        return found[0]

    async def _put(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Hand them to the probe, which must know them before the adapter sets them."""
        asked = [b for b in breakpoints if files_of(b) and b.enabled]
        wanted = [b for b in asked if b.status is not BreakpointStatus.REFUSED]
        wanted = [b for b in wanted if not self._refuse_settings(b)]
        if not wanted or not await self._session.probe.install():
            return
        problems = await self._session.probe.put([self._spec(b) for b in wanted])
        for number, problem in problems.items():
            if (found := self._registry.look_up(number)) is not None:
                self._publish(refused(found, problem, None), origin="program")

    def _refuse_settings(self, found: Breakpoint) -> bool:
        """Refuse one whose settings make no sense, as a file may hold them; whether it is."""
        settings: BreakpointSettings = {
            "condition": found.condition,
            "hit_condition": found.hit_condition,
            "log_message": found.log_message,
            "commands": found.commands,
        }
        sentence = next(iter(check_settings(settings, self._session.profile.language).values()), "")
        if sentence:
            self._publish(refused(found, sentence, None), origin="session")
        return bool(sentence)

    async def put_counters(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Let the probe count the hits of these, which it decides in another way."""
        await self._session.probe.put([self._spec(b) for b in breakpoints])

    def _spec(self, breakpoint: Breakpoint) -> dict[str, Any]:
        return make_spec(breakpoint, *self._epochs.get(breakpoint.number, (0, 0)))

    async def _refuse_lines_without_code(self, path: str) -> None:
        """Refuse what the interpreter already says can't break, before it ever gets to stop."""
        for found in self._registry.of_file(path):
            waits = found.status is BreakpointStatus.PENDING
            if not waits or found.kind is not BreakpointKind.LINE:
                continue
            message, suggested = await self.refusal(path, found.line)
            current = self._registry.look_up(found.number)
            if message and current is not None and current.line == found.line:
                self._publish(refused(current, message, suggested), origin="session")

    def _refuse_conditions(self, path: str) -> None:
        """An adapter that knows no conditions would stop at every pass (R001-11)."""
        if (
            self._session.probe.is_there
            or self._session.capabilities.supports_conditional_breakpoints
        ):
            return
        for found in self._registry.of_file(path):
            if found.condition and found.status is not BreakpointStatus.REFUSED:
                why = "this debug adapter knows no conditions"
                self._publish(refused(found, why, None), origin="session")

    async def refusal(self, path: str, line: int) -> tuple[str, int | None]:
        """Why a line can't break and the nearest that can, as far as is known; else nothing."""
        needs_file = self._session.profile.needs_files and not Path(path).is_file()
        if needs_file and not self._session.remote.is_elsewhere(path):
            return "this file does not exist", None
        facts = await self._session.source_facts(path)
        if facts.problem is not None and facts.problem.path:
            return f"this file does not compile: {facts.problem.message}", None
        lines = facts.code_lines
        if not lines or line in lines:
            return "", None
        nearest = nearest_line(lines, line)
        if line > lines[-1]:
            return f"line {line} is past the last line of code, {lines[-1]}", nearest
        return no_code(line), nearest

    def _wanted(self, path: str) -> list[Breakpoint]:
        if self._session.breakpoints.muted:
            return []
        of_file = self._registry.of_file(path)
        of_file = [b for b in of_file if self._files_of(b)]
        return [b for b in of_file if b.enabled and b.status is not BreakpointStatus.REFUSED]

    async def _send(self, path: str) -> bool:
        """Send the list once; True if something was refused and the rest must be sent again."""
        by_line: dict[int, list[Breakpoint]] = {}
        for found in self._wanted(path):
            for line in lines_of(found, path):
                by_line.setdefault(line, []).append(found)  # an adapter takes one a line
        temporary = self.temporary.get(path)
        wanted = list(by_line.items())
        # Running to the cursor stops there whatever a condition on that line says.
        sent = [self._as_sent(group, line, always=line == temporary) for line, group in wanted]
        if temporary is not None and temporary not in by_line:
            sent.append({"line": temporary})
        await self._prepare_template(path)
        arguments: dict[str, Any] = {"source": {"path": path}, "breakpoints": sent}
        if self._session.has_source_changed(path):
            arguments["sourceModified"] = True
        if self._session.profile.answers_news_only and self._told.get(path) == arguments:
            return False
        self._told[path] = arguments
        try:
            await self.take_back("setBreakpoints", path, arguments)
            answer = await self._session.request("setBreakpoints", arguments, into=BreakpointsBody)
        except RequestFailed:
            if "sourceModified" not in arguments:
                raise
            self._tell_stale(path)
            return False
        again = False
        for index, (line, group) in enumerate(wanted):
            reported = answer.breakpoints[index] if index < len(answer.breakpoints) else None
            for asked in group:
                again |= await self._merge(asked, path, line, reported)
        if temporary is not None:
            lines = [line for line, _ in wanted]
            again |= self._merge_temporary(path, lines, temporary, answer.breakpoints)
        return again

    async def take_back(self, command: str, where: str, arguments: dict[str, Any]) -> None:
        """Let the adapter forget those whose condition it would not change. Raises AdapterError."""
        if not self._session.profile.keeps_conditions:
            return
        first = self._renewal.note(where, arguments["breakpoints"])
        if first is not None:
            changed = {**arguments, "breakpoints": first}
            await self._session.request(command, changed, into=BreakpointsBody)

    async def _prepare_template(self, path: str) -> None:
        """Tell the program's side that this file is a template. Raises AdapterError."""
        session, templates = self._session, self._session.profile.page_templates
        inside = session.profile.inside
        if templates is None or inside is None or not self._is_template(path):
            return
        prepare = inside.expression(templates.module, "prepare", templates.arguments(session.plan))
        for expression in (inside.install(templates.module), prepare):
            await session.request("evaluate", own_question(expression))

    def _is_template(self, path: str) -> bool:
        templates = self._session.profile.page_templates
        return templates is not None and templates.includes(path)

    def _is_late(self, message: str | None) -> bool:
        """Whether the adapter sets it when the program has loaded the file."""
        word = self._session.profile.late_breakpoint
        return bool(word) and message == word

    def _is_waiting(self, message: str | None) -> bool:
        templates = self._session.profile.page_templates
        return templates is not None and (message or "").startswith(templates.waiting)

    def _tell_stale(self, path: str) -> None:
        """The adapter only knows the lines of before; what it has, it keeps (R001-13, R001-15)."""
        for found in self._wanted(path):
            stale = msgspec.structs.replace(found, message=STALE)
            if stale != found:
                self._publish(stale, origin="adapter")

    def _as_sent(self, group: list[Breakpoint], line: int, *, always: bool) -> dict[str, Any]:
        sent: dict[str, Any] = {"line": line}
        first = group[0]
        column = next((b.column for b in group if b.column is not None), None)
        if column is not None:
            sent["column"] = column
        probe = self._session.profile.probe
        if self._session.probe.is_there and probe is not None:
            conditions = {b.number: b.condition for b in group}
            sent["condition"] = probe.mark_condition(conditions, always=always)
        elif len(group) == 1 and not always:
            if first.condition:
                sent["condition"] = first.condition
            if message := self._own_message(first):
                sent["logMessage"] = message
        return sent

    def sends_condition(self, found: Breakpoint) -> bool:
        """Whether the adapter was asked to evaluate its condition; else the session has to.

        An adapter takes one breakpoint a line: where there are several, it knows none of theirs.
        """
        if found.kind is not BreakpointKind.LINE:
            return True
        of_line = [b for b in self._wanted(found.path) if found.line in lines_of(b, found.path)]
        return len(of_line) <= 1 and self.temporary.get(found.path) != found.line

    def _own_message(self, found: Breakpoint) -> str:
        """What the adapter itself shall write at each pass, where that is the better way."""
        log_points = self._session.profile.log_points
        if found.stops or log_points is None or not self._session.capabilities.supports_log_points:
            return ""
        parts = split_template(found.log_message, self._session.profile.language)
        return log_points.message(found.number, [p.expression for p in parts if p.expression])

    # Merging

    async def _merge(
        self, asked: Breakpoint, path: str, line: int, reported: AdapterBreakpoint | None
    ) -> bool:
        """Merge one answer; True if the adapter set it where nobody asked for it."""
        answered = reported.line if reported is not None and reported.verified else None
        moved = answered is not None and answered != line
        current = self._registry.look_up(asked.number)
        if current is None:
            return moved  # deleted meanwhile, and that deletion waits for its turn
        if reported is not None and reported.id is not None:
            known = self.numbers.get(reported.id, ())
            self.numbers[reported.id] = tuple(dict.fromkeys((*known, asked.number)))
        if _as_asked(current) != _as_asked(asked):
            return moved  # changed meanwhile, and that change waits for its turn
        if reported is None:
            changed = refused(current, "the debug adapter gave no answer for it", None)
        elif moved:
            lines = (await self._session.source_facts(path)).code_lines
            suggested = (nearest_line(lines, line) if lines else answered) or None
            changed = refused(current, no_code(line), suggested)
        elif reported.verified and self._is_excluded(path):
            # debugpy calls what a rule hides verified all the same.
            changed = refused(current, self._session.sources.why_hidden(path), None)
        elif reported.verified:
            changed = self._bound(current, path, line, reported)
        elif self._is_waiting(reported.message):
            changed = msgspec.structs.replace(pending(current), message=NOT_RENDERED)
        elif self._is_late(reported.message):
            changed = msgspec.structs.replace(pending(current), message=NOT_IMPORTED)
        elif (native := self._session.profile.native) is not None:
            changed = await self._explained(native, current, path, line)
        else:
            hidden = self._session.sources.why_hidden(path)
            why = self._session.profile.explain_breakpoint(reported.message or "")
            message = hidden or why or "the debug adapter could not set it"
            changed = refused(current, message, None)
        if changed != current:
            self._publish(changed, origin="adapter")
        return moved

    async def _explained(
        self, native: NativeQuestions, found: Breakpoint, path: str, line: int
    ) -> Breakpoint:
        """Why it is not set, and where it could be."""
        try:
            message, suggested = await native.explain_line(self._session.request, path, line)
        except AdapterError:
            message, suggested = "the program has no code there", None
        if suggested is None:  # a library that is loaded later may bring the file
            return msgspec.structs.replace(pending(found), message=message)
        return refused(found, message, suggested)

    def _bound(
        self, found: Breakpoint, path: str, line: int, reported: AdapterBreakpoint
    ) -> Breakpoint:
        """The adapter stands by it. A file that is not imported yet leaves it pending (R004-18)."""
        self._verified.add(found.number)
        if found.kind is BreakpointKind.LINE:
            place = Place(path=path, line=line, column=reported.column or 1)
            found = msgspec.structs.replace(found, places=(place,))
        if self._is_loaded(path):
            return bound(found, self._remark(found, reported))
        self._session.probe.watch_imports()
        return msgspec.structs.replace(pending(found), message=NOT_IMPORTED)

    def _is_excluded(self, path: str) -> bool:
        rule = self._session.sources.rule_for(path)
        return rule is not None and not rule.include

    def _remark(self, found: Breakpoint, reported: AdapterBreakpoint) -> str:
        if found.column is not None and reported.column != found.column:
            return f"this debug adapter stops at the line, not at column {found.column}"
        return self._staleness(found.path)

    def _staleness(self, path: str) -> str:
        """That a source has been edited since the program was built of it."""
        plan = self._session.plan
        if self._session.profile.native is None or not plan.target:
            return ""
        source, built = file_stamp(path), file_stamp(plan.target)
        return NEWER if source and built and source[0] > built[0] else ""

    def _is_loaded(self, path: str) -> bool:
        """Whether the program has imported the file, as far as can be known."""
        session = self._session
        if not session.probe.is_there or path in session.probe.loaded_files:
            return True
        return path == session.plan.first_source or path == session.target_path

    def unloaded_files(self) -> set[str]:
        """The files of verified breakpoints that are not imported yet."""
        waiting = (b for n in self._verified if (b := self._registry.look_up(n)) is not None)
        return {
            path
            for b in waiting
            if b.status is BreakpointStatus.PENDING and b.enabled
            for path in files_of(b)
            if not self._is_loaded(path)
        }

    def note_loaded(self, paths: Iterable[str]) -> None:
        """The program has imported these files: what waited for them is set now (R004-19)."""
        for path in paths:
            self._session.probe.loaded_files |= {path}
            for found in self._registry.of_file(path):
                waits = found.status is BreakpointStatus.PENDING
                if waits and found.number in self._verified:
                    self._publish(bound(found, ""), origin="program")

    def _merge_temporary(
        self, path: str, lines: list[int], line: int, answers: list[AdapterBreakpoint]
    ) -> bool:
        index = lines.index(line) if line in lines else len(lines)
        answer = answers[index] if index < len(answers) else None
        is_possible = answer is not None and (answer.verified or self._is_late(answer.message))
        if answer is None or not is_possible or answer.line not in (None, line):
            self.temporary.pop(path, None)
            return answer is not None and answer.verified
        if answer.id is not None:
            self.temporary_ids.add(answer.id)
        return False

    def adapter_changed(self, reason: str, reported: AdapterBreakpoint) -> None:
        """Where the adapter moved it, it is taken back as in an answer (R001-23, R001-31)."""
        numbers = self.numbers.get(reported.id if reported.id is not None else -1, ())
        for number in numbers:
            if (found := self._registry.look_up(number)) is not None:
                self._adapter_changed(found, reason, reported)

    def _adapter_changed(self, found: Breakpoint, reason: str, reported: AdapterBreakpoint) -> None:
        if self._session.profile.native is not None:
            self.places.note_changed()
            is_new = found.status is not BreakpointStatus.SET
            if found.kind is not BreakpointKind.LINE or not (reported.verified and is_new):
                return  # where it stands is asked for
        moved = reported.verified and reported.line not in (
            None,
            found.line,
            *(place.line for place in found.places),
        )
        if reason == "removed":
            changed = refused(found, reported.message or "the debug adapter removed it", None)
        elif moved:
            changed = refused(found, no_code(found.line), reported.line)
            self._session.spawn(self.synchronise(found.path))
        elif reported.verified:
            changed = bound(found, "")
        elif self._is_waiting(reported.message):
            changed = msgspec.structs.replace(pending(found), message=NOT_RENDERED)
        elif self._is_late(reported.message):
            changed = msgspec.structs.replace(pending(found), message=NOT_IMPORTED)
        elif self._is_template(found.path):
            changed = refused(
                found, f"the template has nothing at line {found.line}", reported.line
            )
        else:
            changed = refused(found, reported.message or "the debug adapter took it back", None)
        if changed != found:
            self._publish(changed, origin="adapter")

    # Functions

    async def resolve_functions(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Find the places of functions, which may have moved since."""
        if not self._session.profile.finds_functions:
            return
        for each in breakpoints:
            found = self._registry.look_up(each.number)
            if found is not None and found.kind is BreakpointKind.FUNCTION:
                await self._resolve(found)

    async def _resolve(self, found: Breakpoint) -> None:
        session = self._session
        facts = await session.profile.find_function(
            session.plan, found.function, self._registry.files()
        )
        places = tuple(Place(path=p.path, line=p.line) for p in facts.places)
        if places:
            first = places[0]
            changed = msgspec.structs.replace(
                found, places=places, path=first.path, line=first.line
            )
            if found.status is BreakpointStatus.REFUSED:
                changed = pending(changed)
        elif facts.is_final:
            changed = refused(found, facts.problem, None)
        else:
            changed = msgspec.structs.replace(pending(found), message=facts.problem, places=())
        if changed != found and self._registry.look_up(found.number) == found:
            self._publish(changed, origin="session")

    # Temporary ones

    async def set_temporary(self, path: str, line: int) -> str:
        """Stop once at a line; why it can't, or nothing."""
        if problem := (await self.refusal(path, line))[0]:
            return problem
        self.temporary[path] = line
        await self.synchronise(path)
        return "" if path in self.temporary else f"line {line} can't break"

    async def clear_temporary(self) -> None:
        """Forget the temporary breakpoints."""
        paths = list(self.temporary)
        entry, self.entry = self.entry, ()
        self.temporary.clear()
        self.temporary_ids.clear()
        for path in paths:
            await self.synchronise(path)
        if entry:
            await self._synchronise_others({BreakpointKind.FUNCTION})

    # Counts

    def sum_counts(self, pid: int, counts: HitCounts) -> tuple[int, int, int]:
        """Hits, misses and errors over all processes of this run."""
        by_process = self._counts.setdefault(counts.number, {})
        by_process[pid] = counts
        all_counts = by_process.values()
        return (
            sum(c.hits for c in all_counts),
            sum(c.misses for c in all_counts),
            sum(c.errors for c in all_counts),
        )

    def forget_counts(self) -> None:
        """A new run counts from nothing."""
        self._counts.clear()

    def adapter_lost(self) -> None:
        """There is no adapter any more: what it answered no longer counts."""
        self.numbers.clear()
        if "data" in vars(self):
            self.data.forget()
        self.entry = ()
        self.temporary.clear()
        self.temporary_ids.clear()
        self._verified.clear()
        self._told.clear()
        self._renewal.forget()


def _as_asked(breakpoint: Breakpoint) -> tuple[Any, ...]:
    b = breakpoint
    return b.line, b.column, b.condition, b.enabled, b.function


def no_code(line: int) -> str:
    """Why a line can't break."""
    return f"no executable code at line {line}"


def pending(breakpoint: Breakpoint) -> Breakpoint:
    """The same, not answered yet."""
    return msgspec.structs.replace(
        breakpoint, status=BreakpointStatus.PENDING, message="", suggested_line=None
    )


def bound(breakpoint: Breakpoint, message: str) -> Breakpoint:
    """The same, set; ``message`` is a remark."""
    return msgspec.structs.replace(
        breakpoint, status=BreakpointStatus.SET, message=message, suggested_line=None
    )


def refused(breakpoint: Breakpoint, message: str, suggested: int | None) -> Breakpoint:
    """The same, refused, and why."""
    return msgspec.structs.replace(
        breakpoint,
        status=BreakpointStatus.REFUSED,
        message=message,
        suggested_line=suggested,
    )
