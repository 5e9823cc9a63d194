"""The operator's command, `rewards`.

It works on the embedded cloud of this folder, or with --aws on AWS: the same stack, the same code. It ends with
status 0 when done, 1 when it found trouble (standard error says which), 2 when it was called wrongly. Of `audit` 1
means findings; whatever kept it from looking makes it 2, so that a CI job can tell the two apart.
"""

import sys
import traceback
from collections.abc import Callable

import typer
from botocore.exceptions import BotoCoreError, ClientError

from ops.audit.command import audit_tables
from ops.cloud_commands import down, up
from ops.coupons import coupons
from ops.dead_letters import dead_letters
from ops.demo.command import demo
from ops.dispatch import dispatch
from ops.explain import explain
from ops.importing import import_
from ops.promotions import promotions
from ops.redrive import redrive
from ops.schedule.command import schedule
from ops.send import send
from ops.show import show
from ops.terminal import err, plain
from ops.trouble import Trouble

app = typer.Typer(
    help="Fulfil rewards: see and do what the stack does, on the embedded cloud or on AWS (--aws).",
    epilog="Status: 0 done, 1 found trouble, 2 called wrongly; of `audit` 1 is findings, and 2 that it could not look.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (up, down, demo, send, show, explain, dispatch, schedule, redrive):
    app.command()(command)
app.command("import")(import_)
app.command("audit")(audit_tables)
app.add_typer(promotions, name="promotions")
app.add_typer(coupons, name="coupons")
app.add_typer(dead_letters, name="dead-letters")


INTERRUPTED = 130
"""What typer makes of Ctrl-C within a command; no command of ours ends with it."""


def main(command: Callable[[], object] = app) -> None:
    """Run the command. Whatever stops it is told in a line; only a fault of our own has a traceback."""
    try:
        command()
    except Trouble as trouble:
        complain(str(trouble))
    except (BotoCoreError, ClientError) as error:
        complain(f"{'AWS' if '--aws' in sys.argv else 'The cloud'} answered: {error}")
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}." if error.filename else f"{error}.")
    except KeyboardInterrupt:
        err.print("Interrupted.")
    except SystemExit as ended:
        if ended.code != INTERRUPTED:
            raise
        err.print("Interrupted.")
    except Exception:
        traceback.print_exc()
    sys.exit(2 if sys.argv[1:2] == ["audit"] else 1)  # of an audit 1 is findings


def complain(words: str) -> None:
    err.print("[red]✗[/] " + "\n".join(map(plain, words.split("\n"))))
