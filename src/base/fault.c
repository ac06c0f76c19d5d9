#include "src/base/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What may be armed: a fault at a point, or one of these. */
enum { ARMED_KILL = ND_FAULT_POINTS, ARMED_HANG, ARMED_COUNT, ARMED_NOTHING };

static const char *const names[ARMED_NOTHING] = {
    "memory", "input-open", "input-read", "open",   "read", "write", "sync",
    "rename", "lock",       "exchange",   "result", "kill", "hang",  "count",
};

static struct {
    int what;
    int on_rank; /* where it strikes */
    uint64_t at; /* the passing that it strikes at, from 1 */
    int rank;    /* this process */
    bool tight;
    uint64_t counts[ND_FAULT_POINTS];
} fault = {.what = ARMED_NOTHING, .rank = -1};

/* One number, so that another thread sees the two parts together: passings, and in the low bits the
 * point passed last + 1. Written by one thread alone. */
enum { POINT_BITS = 8 };
static _Atomic uint64_t passings;

static void count_passing(uint64_t place) {
    const uint64_t before = atomic_load_explicit(&passings, memory_order_relaxed) >> POINT_BITS;
    atomic_store_explicit(&passings, (before + 1) << POINT_BITS | place, memory_order_relaxed);
}

static bool strikes(int what, uint64_t count) {
    return fault.what == what && fault.on_rank == fault.rank && fault.at == count;
}

/* Ends or stops the process if this passing is the one. */
static void strike_process(void) {
    const struct timespec hour = {.tv_sec = 3600};
    const uint64_t count = nd_fault_passings(NULL);
    if (strikes(ARMED_KILL, count)) {
        (void)raise(SIGKILL);
    }
    while (strikes(ARMED_HANG, count)) {
        (void)nanosleep(&hour, NULL);
    }
}

nd_status nd_fault(nd_fault_point point) {
    count_passing((uint64_t)point + 1);
    if (__builtin_expect(fault.what == ARMED_NOTHING, 1)) {
        return ND_OK;
    }
    strike_process();
    if (!strikes((int)point, ++fault.counts[point])) {
        return ND_OK;
    }
    const bool memory = point == ND_FAULT_MEMORY;
    const bool input = point == ND_FAULT_INPUT_OPEN || point == ND_FAULT_INPUT_READ;
    const nd_status st = nd_fail(memory  ? ND_ERR_MEMORY
                                 : input ? ND_ERR_INPUT
                                         : ND_ERR_IO,
                                 "injected fault: %s, call %llu (--fault)", names[point],
                                 (unsigned long long)fault.at);
    errno = memory ? ENOMEM : point == ND_FAULT_WRITE ? ENOSPC : EIO;
    return st;
}

void nd_fault_pass(void) {
    count_passing(0);
    if (__builtin_expect(fault.what != ARMED_NOTHING, 0)) {
        strike_process();
    }
}

/* ---- arming */

/* A whole number that ends with `stop`. */
static bool parse_part(const char **text, char stop, uint64_t *number) {
    char *end = NULL;
    if (**text < '0' || **text > '9') {
        return false;
    }
    errno = 0;
    *number = strtoull(*text, &end, 10);
    if (errno != 0 || *end != stop) {
        return false;
    }
    *text = end + 1;
    return true;
}

nd_status nd_fault_arm(const char *text) {
    const char *rest = text + strcspn(text, ":");
    const size_t size = (size_t)(rest - text);
    uint64_t rank = 0;
    uint64_t at = 0;
    int what = 0;
    while (what < ARMED_NOTHING &&
           (strlen(names[what]) != size || memcmp(names[what], text, size) != 0)) {
        what++;
    }
    const bool counts = what == ARMED_COUNT && *rest == '\0';
    if (!counts && (what >= ARMED_COUNT || *rest++ != ':' || !parse_part(&rest, ':', &rank) ||
                    !parse_part(&rest, '\0', &at) || rank > INT32_MAX || at == 0)) {
        return nd_fail(ND_ERR_USAGE,
                       "--fault %s: must be count, or POINT:RANK:N with N from 1 and POINT kill, "
                       "hang, memory, input-open, input-read, open, read, write, sync, rename, "
                       "lock, exchange or result",
                       text);
    }
    fault.what = what;
    fault.on_rank = (int)rank;
    fault.at = at;
    /* Counting starts here, so that it does not depend on what the command line took. */
    memset(fault.counts, 0, sizeof fault.counts);
    atomic_store_explicit(&passings, 0, memory_order_relaxed);
    return ND_OK;
}

void nd_fault_set_rank(int rank) {
    fault.rank = rank;
}

void nd_fault_set_tight(bool tight) {
    fault.tight = tight;
}

nd_status nd_fault_if_tight(nd_fault_point point) {
    return __builtin_expect(fault.tight, 0) ? nd_fault(point) : ND_OK;
}

bool nd_fault_counts(void) {
    return fault.what == ARMED_COUNT;
}

/* ---- counters */

const char *nd_fault_name(nd_fault_point point) {
    return names[point];
}

uint64_t nd_fault_count(nd_fault_point point) {
    return fault.counts[point];
}

uint64_t nd_fault_passings(const char **last) {
    const uint64_t now = atomic_load_explicit(&passings, memory_order_relaxed);
    const uint64_t place = now & ((1U << POINT_BITS) - 1);
    if (last != NULL) {
        *last = place == 0 ? "" : names[place - 1];
    }
    return now >> POINT_BITS;
}
