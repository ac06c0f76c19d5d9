#!/usr/bin/env bash
# What a person sees who waits for a run: on a terminal of 40 columns, and of 200, the stage of how
# many and the time left; the same in a log; where a resumed run goes on; and as the last line of all
# a command to type next that works. Called as waiting.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
need python3
cd "$folder"
unset COLUMNS

fail() {
    printf 'waiting.sh: %s\n' "$*" >&2
    sed 's/^/    > /' log 2>/dev/null | tail -n 20 >&2
    exit 1
}

"$neardup" synthesize --pages 1500 --seed 1 --progress none -o corpus
crawl=(corpus/*.warc.gz)
input=${crawl[0]}
echo '<p>A page alone.</p>' >alone.html

# ---- a log

# stages FIRST: in the log, each stage from that one on has its line, in order.
stages() {
    local k=$1 row
    while read -r row; do
        [[ $row =~ ^[a-z]+\ +100\.0\ %\ \ stage\ $k\ of\ 7,\ [0-9]+\ [a-z]+,\ .*MB\ peak$ ]] ||
            fail "not stage $k: $row"
        k=$((k + 1))
    done < <(grep ' 100\.0 %' log)
    [ "$k" -eq 8 ] || fail "ended after stage $((k - 1))"
}

# types COMMAND...: the commands of the last lines are typed.
types() {
    local line lines command k=0
    mapfile -t lines < <(sed -n '/^next: /,$p' log)
    [ "${#lines[@]}" -eq $# ] || fail "last lines: ${lines[*]}"
    for command; do
        line=${lines[k]/#*neardup /neardup }
        [[ $line == "neardup $command "* ]] || fail "last lines: ${lines[*]}"
        (PATH=$folder/bin:$PATH && DIR=clean-$k && eval "${line/%DIR/$DIR}") >said 2>&1 || fail "$line: $(cat said)"
        k=$((k + 1))
    done
}

mkdir bin
ln -s "$(realpath "$neardup")" bin/neardup
"$neardup" partition "$input" -o 'an & odd; name.h5' 2>log || fail "exit code $?"
stages 1
grep -qF "; result: an & odd; name.h5" log || fail "the result is not named"
types review filter
[ -s review.html ] || fail "no review.html"
[ -d clean-1 ] || fail "no filtered copy"
# no pair to look at, and inputs that are gone
"$neardup" partition - -o alone.h5 <alone.html 2>log || fail "exit code $?"
types inspect
: >empty.html
"$neardup" partition alone.html empty.html -o alone.h5 2>log && fail "nothing was wrong"
types inspect
"$neardup" partition "$input" --progress none -o none.h5 2>log || fail "exit code $?"
! grep -Eq '^next|stage|time:' log || fail "it is not quiet"

# ---- resumed

"$neardup" partition "$input" --work work --fault result:0:1 -o out.h5 2>log && fail "did not fail"
"$neardup" partition "$input" --work work --resume -o out.h5 2>log || fail "exit code $?"
[ "$(grep resumed log)" = 'resumed at write, stage 7 of 7' ] || fail "does not say where it goes on"
stages 7
"$neardup" partition "$input" --work work --resume -o out.h5 2>log || fail "exit code $?"
! grep resumed log || fail "there was nothing to go on from"
stages 1
echo "log: stages, the next command, resumed"

# ---- a terminal. The run is stopped again and again, so that it lasts as long as a large one.

cat >terminal.py <<'END'
import fcntl, os, pty, re, signal, struct, sys, termios, threading, time
columns = int(sys.argv[1])
process, terminal = pty.fork()
if process == 0:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])

def hold_up():
    try:
        for _ in range(2):
            time.sleep(.03)
            os.kill(process, signal.SIGSTOP)
            time.sleep(.6)
            os.kill(process, signal.SIGCONT)
    except ProcessLookupError:
        pass

said = b""
slow = None
try:
    while True:
        part = os.read(terminal, 65536)
        if not part:
            break
        said += part
        if slow is None and b"stage 1" in said:
            slow = threading.Thread(target=hold_up)
            slow.start()
except OSError: # the other end is closed
    pass
slow.join()
status = os.waitpid(process, 0)[1]
text = said.decode()
lines = [line for line in re.split("[\r\n]+", text) if re.match(r"\w+ +[0-9.]+ %", line)]
def check(what, fine):
    if not fine:
        sys.exit("%d columns: %s: %r" % (columns, what, text))
check("exit status", status == 0)
check("too wide", max(len(line.rstrip()) for line in lines) < columns)
for stage in range(1, 8):
    check("stage %d" % stage, any("stage %d of 7" % stage in line for line in lines))
check("time left", any(re.search(r"stage \d of 7, \d+ (s|min) left", line) for line in lines))
check("on rank 0", any("on rank 0" in line for line in lines) == (columns > 100))
check("MB peak", any("MB peak" in line for line in lines) == (columns > 100))
END
for columns in 40 200; do
    python3 terminal.py "$columns" "$neardup" partition "$input" -o out.h5 || fail "on a terminal"
done
# without a terminal the moving line is as wide as COLUMNS says
COLUMNS=20 "$neardup" partition "$input" --progress bar -o out.h5 2>log || fail "exit code $?"
[ "$(tr '\r' '\n' <log | grep '^[a-z]* *[0-9]* %' | wc -L)" -lt 20 ] ||
    fail "wider than 20 columns"
echo "terminal: 40 and 200 columns, COLUMNS"
