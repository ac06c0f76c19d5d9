#include "mpi/cmd/command.h"

#include "mpi/job/job.h"
#include "src/base/fault.h"
#include "src/base/printable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void nd_print_next(const char *result, const nd_next_step *steps, size_t count) {
    static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_./+:@%,=-";
    const char *const quote = result[strspn(result, PLAIN)] == '\0' ? "" : "'";
    if (*quote != '\0' && strchr(result, '\'') != NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        nd_print_line(stderr, "%s neardup %s %s%s%s%s", i == 0 ? "next:" : "     ",
                      steps[i].command, quote, result, quote, steps[i].rest);
    }
}

static void sum_others(const nd_job *job, uint64_t others[ND_OTHERS]) {
    memset(others, 0, ND_OTHERS * sizeof *others);
    for (size_t i = 0; i < job->inputs.count; i++) {
        nd_others_add(others, job->source_totals[i].others);
    }
}

const char *nd_revisits_text(uint64_t pages, uint64_t alone, uint64_t other, char *text,
                             size_t size) {
    (void)snprintf(
        text, size,
        "%llu records; %llu are pages: %llu repeat another page, %llu are alone (what they "
        "repeat is not in the inputs, or no page); %llu show that they are no pages",
        (unsigned long long)(pages + other), (unsigned long long)pages,
        (unsigned long long)(pages - alone), (unsigned long long)alone, (unsigned long long)other);
    return text;
}

void nd_print_revisits(const nd_job *job) {
    char text[512];
    uint64_t others[ND_OTHERS];
    const nd_job_totals *t = &job->totals;
    sum_others(job, others);
    if (t->revisit_pages + others[ND_OTHER_REVISIT] > 0) {
        nd_print_line(stderr, "revisits: %s",
                      nd_revisits_text(t->revisit_pages, t->revisits_alone,
                                       others[ND_OTHER_REVISIT], text, sizeof text));
    }
}

void nd_print_others(const nd_job *job) {
    char text[2048];
    uint64_t others[ND_OTHERS];
    sum_others(job, others);
    if (nd_others_sum(others) > 0) {
        nd_print_line(stderr, "other records: %s", nd_others_list(others, text, sizeof text));
    }
}

void nd_print_gaps(const nd_job *job, const char *where) {
    const uint64_t inputs = job->totals.sources_gaps;
    if (inputs > 0) {
        nd_print_line(stderr,
                      "neardup: exit code 3: in %llu of %zu inputs bytes were passed over, or a "
                      "record is cut off%s",
                      (unsigned long long)inputs, job->inputs.count, where);
    }
}

int nd_command_inputs_code(const nd_job *job, bool strict) {
    const nd_job_totals *t = &job->totals;
    return t->sources_unused > 0 || t->sources_gaps > 0 || (strict && t->skipped > 0)
               ? ND_EXIT_SKIPPED
               : ND_EXIT_DONE;
}

int nd_command_failed(const nd_command *command, nd_status status) {
    if (status == ND_ERR_USAGE) {
        nd_print_line(stderr, "neardup %s: %s (see neardup %s --help)", command->name,
                      nd_fail_text(), command->name);
        return ND_EXIT_USAGE;
    }
    nd_print_line(stderr, "neardup %s: %s", command->name, nd_fail_text());
    return ND_EXIT_FAILED;
}

int nd_command_end(const nd_command *command, const nd_comm *comm, nd_status status) {
    int code = ND_EXIT_DONE;
    if (status != ND_OK && comm->rank == 0) {
        code = nd_command_failed(command, status);
    }
    ND_MPI(MPI_Bcast(&code, 1, MPI_INT, 0, comm->handle));
    return code;
}

nd_status nd_flush_stdout(void) {
    const bool flushed = fflush(stdout) == 0;
    return flushed && ferror(stdout) == 0
               ? ND_OK
               : nd_fail(ND_ERR_IO, "cannot write to stdout: %s",
                         strerror(flushed ? EIO : errno)); /* the reason was then, not now */
}

void nd_command_print_passings(int rank) {
    char line[ND_FAIL_TEXT_SIZE] = "";
    size_t size = 0;
    if (!nd_fault_counts()) {
        return;
    }
    for (int p = 0; p < ND_FAULT_POINTS; p++) {
        const int more =
            snprintf(line + size, sizeof line - size, " %s %llu", nd_fault_name((nd_fault_point)p),
                     (unsigned long long)nd_fault_count((nd_fault_point)p));
        size += more > 0 && (size_t)more < sizeof line - size ? (size_t)more : 0;
    }
    nd_print_line(stderr, "passed: rank %d any %llu%s", rank,
                  (unsigned long long)nd_fault_passings(NULL), line);
}
