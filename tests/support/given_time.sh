# shellcheck shell=bash
# tests/support/given_time.sh - waiting without a process of its own, as starting one takes longer than
# most waits; and time as far as the machine gave it to any process, for limits that hold on a busy
# machine too. To be sourced.

GIVEN_CORES=$(nproc)
exec {GIVEN_NOTHING}<> <(:) # a pipe from which nothing comes

# rest SECONDS
rest() {
    read -r -t "$1" -u "$GIVEN_NOTHING" || true
}

# give MILLISECONDS: of so much time that went by, what counts: a quarter, if the machine has four
# runnable processes per core. Adds it to $given, which the caller has set to 0.
give() {
    local counts running
    read -r _ _ _ counts _ </proc/loadavg
    running=${counts%%/*} # this process is one of them
    given=$((given + $1 * GIVEN_CORES / (running > GIVEN_CORES ? running : GIVEN_CORES)))
}
