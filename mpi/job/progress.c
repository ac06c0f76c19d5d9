#include "mpi/job/progress.h"

#include "src/base/fault.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* A long stage is heard of this often, in seconds: a log must not fill up, a terminal may move. */
static const double SECONDS_BETWEEN_LINES = 10;
static const double SECONDS_BETWEEN_BARS = 0.5;

nd_progress_mode nd_progress_choose(nd_progress_mode mode) {
    return mode != ND_PROGRESS_AUTO     ? mode
           : isatty(STDERR_FILENO) != 0 ? ND_PROGRESS_BAR
                                        : ND_PROGRESS_LINES;
}

static double rate(uint64_t items, double seconds) {
    return seconds > 0 ? (double)items / seconds : 0;
}

void nd_progress_begin(nd_progress *progress, const nd_comm *comm, const char *name,
                       const char *unit) {
    nd_watchdog_set_stage(name);
    progress->name = name;
    progress->unit = unit;
    progress->started = MPI_Wtime();
    progress->last_shown = progress->started;
    progress->share_before = 0;
    progress->share_shown = 0;
    progress->bytes_before = comm->bytes_sent;
    progress->mpi_before = nd_comm_seconds();
}

void nd_progress_resume(nd_progress *progress, const nd_comm *comm, double share) {
    progress->share_before = share;
    if (comm->rank == 0 && progress->mode != ND_PROGRESS_NONE && share > 0) {
        (void)fprintf(stderr, "%-8s %5.1f %%  done before: resumed\n", progress->name, 100 * share);
    }
}

void nd_progress_update(nd_progress *progress, const nd_comm *comm, uint64_t done, uint64_t total,
                        uint64_t items) {
    nd_fault_pass();
    if (comm->rank != 0 || progress->mode == ND_PROGRESS_NONE) {
        return;
    }
    const bool bar = progress->mode == ND_PROGRESS_BAR;
    const double now = MPI_Wtime();
    if (now - progress->last_shown < (bar ? SECONDS_BETWEEN_BARS : SECONDS_BETWEEN_LINES)) {
        return;
    }
    progress->last_shown = now;
    const double before = progress->share_before;
    double share = total == 0 ? 1 : (double)done / (double)total;
    share = before + (1 - before) * (share < 1 ? share : 1);
    progress->share_shown = share > progress->share_shown ? share : progress->share_shown;
    (void)fprintf(stderr, "%s%-8s %5.1f %%  %llu %s on rank 0, %.0f/s%s", bar ? "\r" : "",
                  progress->name, 100 * progress->share_shown, (unsigned long long)items,
                  progress->unit, rate(items, now - progress->started), bar ? "   " : "\n");
}

static double reduce(const nd_comm *comm, double mine, MPI_Op operation) {
    double result = 0;
    ND_MPI(MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, operation, comm->handle));
    return result;
}

void nd_progress_end(nd_progress *progress, const nd_comm *comm, uint64_t items) {
    const double mine = MPI_Wtime() - progress->started;
    const double in_mpi = nd_comm_seconds() - progress->mpi_before;
    nd_stage_row row = {.items = 0};
    (void)snprintf(row.name, sizeof row.name, "%s", progress->name);
    (void)snprintf(row.unit, sizeof row.unit, "%s", progress->unit);
    row.seconds_min = reduce(comm, mine, MPI_MIN);
    row.seconds_max = reduce(comm, mine, MPI_MAX);
    row.seconds_mean = reduce(comm, mine, MPI_SUM) / comm->size;
    const double waiting = in_mpi + (row.seconds_max - mine);
    row.waiting_mean = reduce(comm, waiting, MPI_SUM) / comm->size;
    row.waiting_max = reduce(comm, waiting, MPI_MAX);
    row.items = nd_comm_sum(comm, items);
    row.bytes_exchanged = nd_comm_sum(comm, comm->bytes_sent - progress->bytes_before);
    const nd_own_file_traffic files = nd_own_file_so_far();
    row.bytes_written = nd_comm_sum(comm, files.written - progress->files_before.written);
    row.bytes_read = nd_comm_sum(comm, files.read - progress->files_before.read);
    progress->files_before = files;
    struct rusage usage;
    const bool known = getrusage(RUSAGE_SELF, &usage) == 0;
    row.peak_memory = nd_comm_max(comm, known ? (uint64_t)usage.ru_maxrss * 1024 : 0);
    if (progress->count < ND_STAGES_MAX) {
        progress->rows[progress->count++] = row;
    }
    if (comm->rank == 0 && progress->mode != ND_PROGRESS_NONE) {
        (void)fprintf(stderr,
                      "%s%-8s 100.0 %%  %llu %s, %.0f/s, %.2f s, %.0f %% waiting, "
                      "%.1f MB exchanged, %.0f MB peak\n",
                      progress->mode == ND_PROGRESS_BAR ? "\r" : "", row.name,
                      (unsigned long long)row.items, row.unit, rate(row.items, row.seconds_max),
                      row.seconds_max,
                      row.seconds_max > 0 ? 100 * row.waiting_mean / row.seconds_max : 0,
                      (double)row.bytes_exchanged / 1e6, (double)row.peak_memory / 1e6);
    }
}
