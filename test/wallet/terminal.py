"""Runs a program at a pseudo-terminal: [[text to wait for, keys to type], ...] as JSON, then the command line."""
import json, os, pty, select, sys, time

PATIENCE_SECONDS = 60

steps, command = json.loads(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)

shown, seen = b"", 0


def read():
    """One piece of what the program shows; false when it has ended."""
    global shown
    ready, _, _ = select.select([terminal], [], [], 0.2)
    if not ready:
        return True
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        return False
    shown += piece
    return piece != b""


for awaited, typed in steps:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while awaited.encode() not in shown[seen:]:
        if not read() or time.monotonic() > deadline:
            sys.exit("never shown: %r\n%s" % (awaited, shown.decode()))
    seen = len(shown)
    os.write(terminal, typed.encode())
while read():
    pass
_, status = os.waitpid(child, 0)
sys.stdout.write(shown.decode().replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(status))
