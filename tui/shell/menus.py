"""Lists the keys of the focused pane, commands, themes and dry runs to choose from."""

from collections.abc import Callable

from tui.dialogs.picker import Picker
from tui.keys.caps import key_name
from tui.keys.naming import actions_of, why_not, words_of
from tui.present.choices import Choice
from tui.present.words import safe
from tui.registry.screens import place
from tui.shell.commands import Commander, known, put_on
from tui.shell.host import ShellHost


def _choices(app: ShellHost, *, commands: bool = False) -> tuple[Choice, ...]:
    """Returns a choice per action, the focused pane's first; `commands` omits those that only move or open menus."""
    sections = ("In this pane", f"On the screen {place(app.stage.here).title}", "Everywhere")
    by_words: dict[tuple[str, str], Choice] = {}
    for key, active in sorted(app.screen.active_bindings.items(), key=lambda bound: not bound[1].binding.show):
        binding = active.binding
        toolkits = not binding.id and active.node is not app  # our own have a name
        row = actions_of(type(active.node)).get(binding.action)
        moves = commands and row is not None and not row.palette
        if not binding.description or binding.system or toolkits or moves:
            continue
        does, section = words_of(active.node, binding), sections[app.reach(active.node)]
        before = by_words.get((section, does))
        action = before.value if before else binding.action
        why = why_not(active.node, action)
        keys = f"{before.key} {key_name(key)}" if before else key_name(key)
        by_words[section, does] = Choice(does, why and f"({why})", keys, action, section)
    own = (
        Choice(safe(" ".join(command.argv)), "", key_name(key), f"own({key!r})", "Commands of your own")
        for key, command in app.own.items()
    )
    return (*sorted(by_words.values(), key=lambda choice: sections.index(choice.section)), *own)


def show_keys(app: ShellHost, commander: Commander) -> None:
    """Shows every key that works here, searchable; `enter` performs it. Typing also finds actions without a key."""
    shown = Picker(
        "Keys here", _choices(app), _by_name(app), placeholder="type to find a key", foot="does it", grouped=True
    )
    app.ask(shown, _doer(app, commander))


def show_commands(app: ShellHost, commander: Commander) -> None:
    """Shows everything by name: actions of keys, dry runs by system, themes, and commands."""
    choices = (*_choices(app, commands=True), *_by_name(app))
    shown = Picker("Commands", choices, placeholder="type a part of its name", foot="does it", grouped=True)
    app.ask(shown, _doer(app, commander))


def _by_name(app: ShellHost) -> tuple[Choice, ...]:
    """Returns the choices without a key: dry runs by system, themes, and commands."""
    runs = tuple(
        Choice(f"Dry run: {safe(name)}", safe(about), "", f":plan {name}", "Dry runs") for name, about in app.systems
    )
    looks = tuple(
        Choice(f"Theme: {app.looks.title(name)}", "", "", f":theme {name}", "Themes") for name in app.looks.names()
    )
    words = tuple(Choice(f":{command.name}", command.about, "", f":{command.name}", "Commands") for command in known())
    return (*runs, *looks, *words)


def _doer(app: ShellHost, commander: Commander) -> Callable[[str], None]:
    """Returns a function that performs a chosen action or command."""
    focused = app.screen.focused
    nodes = (focused, app.page, app) if focused is not None else (app.page, app)

    async def do(action: str) -> None:
        for node in nodes:
            if action in actions_of(type(node)) or hasattr(node, f"action_{action.partition('(')[0]}"):
                await app.run_action(action, node)
                return

    def chosen(value: str) -> None:
        if value.startswith(":"):
            commander.run(value[1:])
        else:
            app.call_later(do, value)

    return chosen


def choose_theme(app: ShellHost) -> None:
    """Asks for a theme; the one under the cursor is applied for a look, and `esc` restores the old one."""
    before = app.looks.chosen
    choices = tuple(
        Choice(app.looks.title(name), "now" if name == app.looks.chosen else "", "", name, section=name)
        for name in app.looks.names()
    )

    def chosen(value: str | None) -> None:
        if value and value != before:
            put_on(app, value)
        elif app.looks.chosen != before:
            app.looks.choose(before)

    menu = Picker(
        "Theme", choices, placeholder="which colours", foot="applies it", try_on=app.looks.try_on, start=before
    )
    app.push_screen(menu, chosen)


def choose_dry_run(app: ShellHost) -> None:
    """Asks which system to plan for; the one that answers the worst alarm comes first."""
    from tui.present.overview.verdict import cure

    wanted = cure(app.status) if app.status is not None else ""
    first = sorted(app.systems, key=lambda system: system[0] != wanted)
    choices = tuple(Choice(safe(name), safe(about), "", name) for name, about in first)

    picker = Picker("Dry run", choices, placeholder="which system", foot="plans, changes nothing")
    app.ask(picker, app.flows.dry_runs.start)
