#include "mpi/stage/unused_inputs.h"

#include "io/input/input_survey.h"
#include "io/store/foreign_file.h"
#include "src/base/printable.h"

#include <stdio.h>
#include <string.h>

/* Named one by one, up to a number that leaves the log readable. */
enum { MOST_NAMED = 10 };

bool nd_source_may_skip(const nd_input *input, nd_status status) {
    return status == ND_ERR_INPUT &&
           (input->copy == NULL || nd_foreign_file_check(input->copy) == ND_OK);
}

bool nd_source_is_unused(const nd_source_totals *totals, uint64_t bytes) {
    const bool of_nothing = bytes > 0 && totals->records == 0 && totals->skipped == 0;
    return totals->failed > 0 ||
           (totals->pages == 0 && nd_others_sum(totals->others) == 0 && !of_nothing);
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

/* Rank 0: of the first input that is JSONL, among the first of all. */
static nd_status name_url_field(const nd_job *job) {
    enum { MOST_LOOKED_AT = 8 };
    nd_status st = ND_OK;
    char hint[ND_UNUSED_SIZE] = "";
    const size_t first = job->old.sources + job->reread.sources;
    for (size_t i = first; i < job->inputs.count && i < first + MOST_LOOKED_AT; i++) {
        const nd_input *input = &job->inputs.inputs[i];
        if (job->source_totals[i].pages > 0 && hint[0] == '\0') {
            ND_TRY(nd_unused_url_explain(nd_input_file(input), &job->options.reader, hint));
            if (input->copy != NULL) {
                replace_name(hint, input->copy);
            }
        }
    }
    if (hint[0] != '\0') {
        nd_print_line(stderr, "neardup: %s", hint);
    }
out:
    return st;
}

nd_status nd_unused_inputs_report(nd_job *job, const char *all) {
    nd_status st = ND_OK;
    nd_buffer text = {0};
    char reason[ND_UNUSED_SIZE];
    char line[2 * ND_UNUSED_SIZE];
    const size_t count = job->inputs.count;
    const bool no_page = job->totals.pages == job->old.pages;
    const uint64_t most = no_page ? 1 : MOST_NAMED; /* without a page the first stands for all */
    const size_t inputs = count - (size_t)job->old.sources;
    uint64_t named = 0;
    st = job->comm.rank == 0 && !no_page ? name_url_field(job) : ND_OK;
    for (size_t i = job->old.sources;
         job->comm.rank == 0 && st == ND_OK && i < count && named < most; i++) {
        /* without a page, where all inputs were used, the first of them is explained */
        if (nd_source_is_unused(&job->source_totals[i], job->inputs.inputs[i].is.bytes) ||
            (no_page && job->totals.sources_unused == 0)) {
            const nd_input *input = &job->inputs.inputs[i];
            const nd_source_totals *t = &job->source_totals[i];
            nd_reader_counts counts = {.records = t->records,
                                       .pages = t->pages,
                                       .other = nd_others_sum(t->others),
                                       .skipped = t->skipped};
            memcpy(counts.others, t->others, sizeof counts.others);
            named++;
            st = nd_unused_input_explain(nd_input_file(input), &job->options.reader, &counts,
                                         reason);
            if (input->copy != NULL) {
                replace_name(reason, input->copy);
            }
            if (st == ND_OK && no_page) {
                (void)snprintf(line, sizeof line, "no page in %zu input%s: %s", inputs,
                               inputs == 1 ? "" : "s", reason);
                st = nd_buffer_append(&text, line, strlen(line) + 1);
            } else if (st == ND_OK) {
                nd_print_line(stderr, "neardup: unused input: %s", reason);
            }
        }
    }
    if (job->comm.rank == 0 && st == ND_OK && !no_page && job->totals.sources_unused > named) {
        (void)fprintf(stderr, "neardup: and %llu more unused inputs%s\n",
                      (unsigned long long)(job->totals.sources_unused - named), all);
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    if (no_page) {
        ND_TRY(nd_comm_share_bytes(&job->comm, &text));
        job->done = true;
        st = nd_fail(ND_ERR_FORMAT, "%s", (const char *)text.data); /* by all: no rank's name */
    }
out:
    nd_buffer_free(&text);
    return st;
}
