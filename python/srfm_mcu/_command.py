"""The command ``srfm``."""

import signal
import sys

from srfm_mcu import _srfm_mcu


def main():
    """Runs the command with the arguments of this process and ends with its exit code."""
    # The command has a handler of its own for Ctrl-C, and ends quietly where its output is cut off.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_srfm_mcu.command(["srfm", *sys.argv[1:]]))
