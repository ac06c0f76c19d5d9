#include "mpi/stage/unused_inputs.h"

#include "io/input/unused_input.h"
#include "src/base/printable.h"

#include <stdio.h>
#include <string.h>

/* Named one by one, up to a number that leaves the log readable. */
enum { MOST_NAMED = 10 };

bool nd_source_is_unused(const nd_source_totals *totals) {
    return totals->failed > 0 || (totals->pages == 0 && totals->other == 0);
}

/* Of standard input our own copy was looked at: its name says nothing to a person. */
static void replace_name(char reason[ND_UNUSED_SIZE], const char *copy) {
    char text[ND_UNUSED_SIZE] = "";
    size_t size = 0;
    for (const char *at = reason; *at != '\0' && size + 8 < sizeof text;) {
        const bool named = strncmp(at, copy, strlen(copy)) == 0;
        const char *word = at == reason ? "-" : "FILE";
        size += (size_t)snprintf(text + size, sizeof text - size, "%.*s", named ? 4 : 1,
                                 named ? word : at);
        at += named ? strlen(copy) : 1;
    }
    (void)snprintf(reason, ND_UNUSED_SIZE, "%s", text);
}

static nd_status explain(const nd_job *job, size_t source, char reason[ND_UNUSED_SIZE]) {
    const nd_input *input = &job->inputs.inputs[source];
    const nd_source_totals *t = &job->source_totals[source];
    const nd_reader_counts counts = {
        .records = t->records, .pages = t->pages, .other = t->other, .skipped = t->skipped};
    const nd_status st =
        nd_unused_input_explain(nd_input_file(input), &job->options.reader, &counts, reason);
    if (input->copy != NULL) {
        replace_name(reason, input->copy);
    }
    return st;
}

/* Rank 0: the first of the unused inputs stands for all; where all were used, the first of all. */
static nd_status explain_none(const nd_job *job, nd_buffer *text) {
    nd_status st = ND_OK;
    char line[ND_UNUSED_SIZE];
    char reason[ND_UNUSED_SIZE];
    size_t source = 0;
    while (source < job->inputs.count && !nd_source_is_unused(&job->source_totals[source])) {
        source++;
    }
    ND_TRY(explain(job, source < job->inputs.count ? source : 0, reason));
    (void)snprintf(line, sizeof line, "no page in %zu input%s: ", job->inputs.count,
                   job->inputs.count == 1 ? "" : "s");
    ND_TRY(nd_buffer_append_text(text, line));
    ND_TRY(nd_buffer_append_text(text, reason));
    ND_TRY(nd_buffer_append(text, "", 1));
out:
    return st;
}

/* Rank 0. */
static nd_status name_unused(const nd_job *job) {
    nd_status st = ND_OK;
    char reason[ND_UNUSED_SIZE];
    uint64_t named = 0;
    for (size_t i = 0; i < job->inputs.count && named < MOST_NAMED; i++) {
        if (nd_source_is_unused(&job->source_totals[i])) {
            ND_TRY(explain(job, i, reason));
            nd_print_line(stderr, "neardup: unused input: %s", reason);
            named++;
        }
    }
    if (job->totals.sources_unused > named) {
        (void)fprintf(stderr,
                      "neardup: and %llu more unused inputs (the result's /sources has "
                      "all)\n",
                      (unsigned long long)(job->totals.sources_unused - named));
    }
out:
    return st;
}

nd_status nd_unused_inputs_report(nd_job *job) {
    nd_status st = ND_OK;
    nd_buffer text = {0};
    const bool root = job->comm.rank == 0;
    if (job->totals.pages > 0) {
        return nd_comm_agree(&job->comm, root ? name_unused(job) : ND_OK);
    }
    ND_TRY(nd_comm_agree(&job->comm, root ? explain_none(job, &text) : ND_OK));
    ND_TRY(nd_comm_share_bytes(&job->comm, &text));
    job->done = true;
    st = nd_fail(ND_ERR_FORMAT, "%s", (const char *)text.data); /* by all, so no rank's name */
out:
    nd_buffer_free(&text);
    return st;
}
