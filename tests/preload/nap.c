/* A library for LD_PRELOAD under the ranks of tests, which share their cores with other tests. Open
 * MPI waits by sched_yield(), after which a busy machine may give the core away for a whole time
 * slice, at each message anew. A yield that took that long says so: for a while the rank then
 * sleeps briefly in place of yields, after which it has the core at once. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds: a yield that took longer gave the core to somebody who keeps it; so long is it
 * remembered; and a sleep, to which the system adds some 50 microseconds. */
static const int64_t LONG_YIELD = 2000000, REMEMBERED = 20000000, NAP = 20000;

static int64_t nanoseconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int sched_yield(void) {
    static _Thread_local int64_t until; /* when yields are tried again */
    const int64_t begin = nanoseconds();
    if (begin < until) {
        return nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    }
    const int code = (int)syscall(SYS_sched_yield);
    const int64_t end = nanoseconds();
    if (end - begin > LONG_YIELD) {
        until = end + REMEMBERED;
    }
    return code;
}
