#include "mpi/job/progress.h"

#include "src/base/fault.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* A long stage is heard of this often, in seconds: a log must not fill up, a terminal may move. */
static const double SECONDS_BETWEEN_LINES = 10;
static const double SECONDS_BETWEEN_BARS = 0.5;
/* Only a stage that is done says 100 %, on all ranks: this is printed as 99.9 %. */
static const double ALMOST = 0.999;

nd_progress_mode nd_progress_choose(nd_progress_mode mode) {
    return mode != ND_PROGRESS_AUTO     ? mode
           : isatty(STDERR_FILENO) != 0 ? ND_PROGRESS_BAR
                                        : ND_PROGRESS_LINES;
}

/* ---- lines */

/* One line from its longest form to its shortest. */
enum { ITEMS = 3, FORMS = ITEMS + 2, PART_SIZE = 128, LINE_SIZE = 512, USUAL_COLUMNS = 80 };
typedef char line_forms[FORMS][LINE_SIZE];

static double rate(uint64_t items, double seconds) {
    return seconds > 0 ? (double)items / seconds : 0;
}

/* COLUMNS goes first: who sets it means it, and under mpirun stderr is no terminal. */
static size_t columns(void) {
    const char *said = getenv("COLUMNS");
    const long number = said != NULL ? strtol(said, NULL, 10) : 0;
    struct winsize size = {.ws_col = 0};
    if (number > 1) {
        return (size_t)number;
    }
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col
                                                                           : USUAL_COLUMNS;
}

/* "stage 2 of 7", or nothing. */
static void print_place(const nd_progress *progress, char place[PART_SIZE]) {
    place[0] = '\0';
    if (progress->stages > 0) {
        (void)snprintf(place, PART_SIZE, "stage %zu of %zu", progress->count + 1, progress->stages);
    }
}

/* All forms: with fewer and fewer of the items, the first of which is what a reader waits for. */
static void print_forms(const nd_progress *progress, double share, const char *const items[ITEMS],
                        line_forms forms) {
    const int percent = (int)(100 * share); /* 100 only of what is done */
    for (size_t left = ITEMS; left > 0; left--) {
        char *form = forms[ITEMS - left];
        const char *before = "  ";
        size_t used =
            (size_t)snprintf(form, LINE_SIZE, "%-8s %5.1f %%", progress->name, 100 * share);
        for (size_t i = 0; i < left; i++) {
            if (items[i][0] != '\0') {
                used += (size_t)snprintf(form + used, LINE_SIZE - used, "%s%s", before, items[i]);
                before = ", ";
            }
        }
    }
    (void)snprintf(forms[ITEMS], LINE_SIZE, "%s %d %%  %s", progress->name, percent, items[0]);
    (void)snprintf(forms[ITEMS + 1], LINE_SIZE, "%s %d %%", progress->name, percent);
}

/* Over the moving line, if one stands there: the longest form that fits, or the beginning of the
 * shortest. The last column stays free, at which terminals break lines. */
static void show_on_terminal(nd_progress *progress, const line_forms forms, const char *end) {
    const size_t room = columns() - 1;
    size_t i = 0;
    while (i + 1 < FORMS && strlen(forms[i]) > room) {
        i++;
    }
    const size_t width = nd_min(strlen(forms[i]), room);
    const size_t blanks = progress->bar_width > width ? progress->bar_width - width : 0;
    (void)fprintf(stderr, "\r%.*s%*s%s", (int)width, forms[i], (int)blanks, "", end);
    progress->bar_width = width;
}

void nd_progress_clear(nd_progress *progress) {
    if (progress->bar_width > 0) {
        (void)fprintf(stderr, "\r%*s\r", (int)progress->bar_width, "");
        progress->bar_width = 0;
    }
}

/* ---- a stage */

void nd_progress_begin(nd_progress *progress, const nd_comm *comm, const char *name,
                       const char *unit) {
    nd_watchdog_set_stage(name);
    (void)MPI_Pcontrol(1, name); /* does nothing but in a library that measures */
    progress->name = name;
    progress->unit = unit;
    progress->started = MPI_Wtime();
    progress->last_shown = progress->started;
    progress->share_shown = 0;
    progress->bytes_before = comm->bytes_sent;
    progress->mpi_before = nd_comm_seconds();
    if (comm->rank == 0 && progress->mode == ND_PROGRESS_BAR && !progress->resumed) {
        line_forms forms;
        char place[PART_SIZE];
        print_place(progress, place);
        print_forms(progress, 0, (const char *const[ITEMS]){place, "", ""}, forms);
        show_on_terminal(progress, forms, "");
    }
}

void nd_progress_resume(nd_progress *progress, const nd_comm *comm, double share) {
    const bool said = !progress->resumed;
    progress->resumed = false;
    if (said || comm->rank != 0 || progress->mode == ND_PROGRESS_NONE) {
        return;
    }
    char place[PART_SIZE];
    char before[PART_SIZE] = "";
    print_place(progress, place);
    if (share > 0) {
        (void)snprintf(before, sizeof before,
                       ": %.1f %% of it was done before, percentages are of the rest", 100 * share);
    }
    nd_print_line(stderr, "resumed at %s, %s%s", progress->name, place, before);
}

/* "35 s left": until the stage is done, if it goes on as it went. */
static void print_left(const nd_progress *progress, double now, char left[PART_SIZE]) {
    static const double MINUTE = 60, HOUR = 3600, MANY = 100;
    const double share = progress->share_shown;
    left[0] = '\0';
    if (!(share > 0 && share < ALMOST)) {
        return;
    }
    const double seconds = (now - progress->started) * (1 - share) / share;
    if (seconds < MANY) {
        (void)snprintf(left, PART_SIZE, "%.0f s left", seconds);
    } else if (seconds < MANY * MINUTE) {
        (void)snprintf(left, PART_SIZE, "%.0f min left", seconds / MINUTE);
    } else {
        (void)snprintf(left, PART_SIZE, "%.1f h left", seconds / HOUR);
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
    double share = total == 0 ? 1 : (double)done / (double)total;
    share = share < ALMOST ? share : ALMOST;
    progress->share_shown = share > progress->share_shown ? share : progress->share_shown;
    line_forms forms;
    char place[PART_SIZE];
    char left[PART_SIZE];
    char about[2 * PART_SIZE + 2];
    char counted[PART_SIZE];
    char pace[PART_SIZE];
    print_place(progress, place);
    print_left(progress, now, left);
    (void)snprintf(about, sizeof about, "%s%s%s", place,
                   place[0] != '\0' && left[0] != '\0' ? ", " : "", left);
    (void)snprintf(counted, sizeof counted, "%llu %s on rank 0", (unsigned long long)items,
                   progress->unit);
    (void)snprintf(pace, sizeof pace, "%.0f/s", rate(items, now - progress->started));
    print_forms(progress, progress->share_shown, (const char *const[ITEMS]){about, counted, pace},
                forms);
    if (bar) {
        show_on_terminal(progress, forms, "");
    } else {
        nd_print_line(stderr, "%s", forms[0]);
    }
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
    progress->in_stages += mine;
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
    if (comm->rank == 0 && progress->mode != ND_PROGRESS_NONE) {
        line_forms forms;
        char place[PART_SIZE];
        char done[PART_SIZE];
        char cost[PART_SIZE];
        print_place(progress, place);
        (void)snprintf(done, sizeof done, "%llu %s, %.0f/s, %.2f s", (unsigned long long)row.items,
                       row.unit, rate(row.items, row.seconds_max), row.seconds_max);
        (void)snprintf(cost, sizeof cost, "%.0f %% waiting, %.1f MB exchanged, %.0f MB peak",
                       row.seconds_max > 0 ? 100 * row.waiting_mean / row.seconds_max : 0,
                       (double)row.bytes_exchanged / 1e6, (double)row.peak_memory / 1e6);
        print_forms(progress, 1, (const char *const[ITEMS]){place, done, cost}, forms);
        if (progress->mode == ND_PROGRESS_BAR) {
            show_on_terminal(progress, forms, "\n");
            progress->bar_width = 0;
        } else {
            nd_print_line(stderr, "%s", forms[0]);
        }
    }
    if (progress->count < ND_STAGES_MAX) {
        progress->rows[progress->count++] = row;
    }
    (void)MPI_Pcontrol(1, "(after)");
}
