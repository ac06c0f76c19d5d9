#include "mpi/comm/stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t asked;
static volatile sig_atomic_t interrupts;
static bool keeps_checkpoints;
static volatile sig_atomic_t speaks;
static bool on_terminal;

/* What a handler may do: write(). */
static void say(const char *line) {
    if (speaks && on_terminal && write(STDERR_FILENO, "\n", 1) < 0) { /* ends a progress bar */
        speaks = 0;
    }
    if (speaks && write(STDERR_FILENO, line, strlen(line)) < 0) {
        speaks = 0;
    }
}

/* As if there were no handler. */
static void end_by(int number) {
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void on_signal(int number) {
    const int before = errno;
    interrupts += number == SIGINT;
    if (!keeps_checkpoints) {
        if (number == SIGINT) { /* TERM is also how mpirun ends ranks when another has failed */
            say("neardup: ended by Ctrl-C, nothing was kept (--work DIR keeps checkpoints to go on "
                "from)\n");
        }
        end_by(number);
    } else if (interrupts > 1) {
        say("neardup: ended at once; what was saved before can be gone on from\n");
        end_by(number);
    } else if (asked == 0) {
        say(number == SIGINT ? "neardup: asked to stop: stopping at the next checkpoint (Ctrl-C "
                               "once more ends the job at once)\n"
                             : "neardup: asked to stop: stopping at the next checkpoint\n");
    }
    asked = 1;
    errno = before;
}

void nd_stop_listen(int rank, bool keeps) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    keeps_checkpoints = keeps;
    speaks = rank == 0;
    on_terminal = isatty(STDERR_FILENO) == 1;
    (void)sigfillset(&action.sa_mask);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGUSR1, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
}

void nd_stop_be_quiet(void) {
    speaks = 0;
}

bool nd_stop_asked(void) {
    return asked != 0;
}

bool nd_stop_agreed(const nd_comm *comm) {
    return nd_comm_max(comm, nd_stop_asked()) > 0;
}
