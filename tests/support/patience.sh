#!/usr/bin/env bash
# patience.sh SECONDS COMMAND...: end a command that hangs, as timeout(1) does, but only time that it
# could have used counts (given_time.sh). Ranks that wait for one another run all the while, so a job
# that hangs meets its limit too, the more slowly the more of them there are. Exit code: the
# command's, or 124.
set -uo pipefail
# shellcheck source=tests/support/given_time.sh
. "$(dirname "${BASH_SOURCE[0]}")/given_time.sh"
limit=$(($1 * 1000))
shift
up=$(mktemp -u) # is there once time is up

# watch: until the command has had its time, in milliseconds; then end it.
watch() {
    local given=0
    while [ "$given" -lt "$limit" ]; do
        rest 1
        give 1000
    done
    : >"$up"
    kill -TERM "$command"
    sleep 10
    kill -KILL "$command"
}

"$@" <&0 &
command=$!
trap 'kill -TERM "$command"' TERM INT
watch </dev/null >/dev/null 2>&1 &
watcher=$!
code=0
wait "$command" || code=$?
while [ "$code" -gt 128 ] && kill -0 "$command" 2>/dev/null; do # a trap ended the waiting
    code=0
    wait "$command" || code=$?
done
kill "$watcher" 2>/dev/null
if [ -e "$up" ]; then
    rm "$up"
    echo "patience.sh: ended after its $((limit / 1000)) seconds: $*" >&2
    code=124
fi
exit "$code"
