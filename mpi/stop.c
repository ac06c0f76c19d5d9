#include "mpi/stop.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t asked;

static void on_signal(int number) {
    (void)number;
    asked = 1;
}

void nd_stop_listen(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGUSR1, &action, NULL);
}

bool nd_stop_asked(void) {
    return asked != 0;
}

bool nd_stop_agreed(const nd_comm *comm) {
    return nd_comm_max(comm, nd_stop_asked()) > 0;
}
