#include "mpi/cmd/command.h"

#include "mpi/job/job.h"
#include "src/base/fault.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ==== commands */

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
    (void)snprintf(text, size,
                   "%" PRIu64 " records; %" PRIu64 " are pages: %" PRIu64
                   " repeat another page, %" PRIu64
                   " are alone (what they repeat is not in the inputs, or no page); %" PRIu64
                   " show that they are no pages",
                   (pages + other), pages, (pages - alone), alone, other);
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
                      "neardup: exit code 3: in %" PRIu64
                      " of %zu inputs bytes were passed over, or a record is cut off%s",
                      inputs, job->inputs.count, where);
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

void nd_command_start(nd_command_call *call, nd_comm *comm) {
    nd_comm_start(&call->argc, &call->argv);
    nd_comm_open(comm, MPI_COMM_WORLD);
}

nd_status nd_command_finish(const nd_command *command, nd_command_call *call, nd_comm *comm,
                            nd_status status) {
    const int failed = nd_command_end(command, comm, status);
    call->code = failed != ND_EXIT_DONE ? failed : call->code;
    nd_comm_close(comm);
    ND_MPI(MPI_Finalize());
    return ND_OK;
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
            snprintf(line + size, sizeof line - size, " %s %" PRIu64,
                     nd_fault_name((nd_fault_point)p), nd_fault_count((nd_fault_point)p));
        size += more > 0 && (size_t)more < sizeof line - size ? (size_t)more : 0;
    }
    nd_print_line(stderr, "passed: rank %d any %" PRIu64 "%s", rank, nd_fault_passings(NULL), line);
}

int nd_command_run(const nd_command *command, int argc, char **argv) {
    nd_command_call call = {.argc = argc, .argv = argv};
    command->open(call.sets);
    nd_status st = command->run(&call);
    if (st == ND_OK && (call.code == ND_EXIT_DONE || call.code == ND_EXIT_SKIPPED)) {
        st = nd_flush_stdout();
    }
    return st == ND_OK ? call.code : nd_command_failed(command, st);
}

/* ==== the command line */

/* ---- misspelt words */

enum { WORD_MAX = 32, NEAR = 2 };

/* Letters to add, to leave out or to change, and neighbours to swap, from one word to the other. */
static size_t distance(const char *a, const char *b) {
    size_t rows[3]
               [WORD_MAX + 1]; /* of the two letters before, the one before, and the present one */
    const size_t b_size = strlen(b);
    if (strlen(a) > WORD_MAX || b_size > WORD_MAX) {
        return NEAR + 1;
    }
    for (size_t k = 0; k <= b_size; k++) {
        rows[0][k] = k;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t *row = rows[i % 3];
        const size_t *before = rows[(i + 2) % 3];
        const size_t *two_before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t k = 1; k <= b_size; k++) {
            row[k] =
                nd_min(nd_min(row[k - 1], before[k]) + 1, before[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
                row[k] = nd_min(row[k], two_before[k - 2] + 1);
            }
        }
    }
    return rows[strlen(a) % 3][b_size];
}

const char *nd_near_word(const char *word, const char *const *names, size_t count) {
    const char *best = NULL;
    size_t nearest = NEAR + 1;
    for (size_t i = 0; i < count; i++) {
        const size_t found = distance(word, names[i]);
        if (found < nearest && found < strlen(names[i])) {
            nearest = found;
            best = names[i];
        }
    }
    return best;
}

/* ---- options */

enum { MOST_OPTIONS = 128, FIRST_VALUE = 256 /* letters lie below */ };

/* The rows of all tables: row i is known to getopt_long() by FIRST_VALUE + i, or by its letter. */
typedef struct rows {
    const nd_option *row[MOST_OPTIONS];
    const nd_command_table *set[MOST_OPTIONS]; /* that it is of */
    int count;
    struct option list[2 * MOST_OPTIONS + 1]; /* old names come after those of all rows */
    char letters[3 * MOST_OPTIONS];
} rows;

/* Is it an option by which other programs take a number of threads or processes? */
static bool asks_for_cores(const char *name) {
    static const char *const names[] = {"j",       "t",     "n",         "np",    "nproc",
                                        "jobs",    "cores", "threads",   "ranks", "workers",
                                        "process", "procs", "processes", "cpus",  "num-workers"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static nd_status name_launcher(const char *word) {
    return nd_fail(ND_ERR_USAGE,
                   "%s: a process works on one core: mpirun -n N neardup partition ..., or dedup, "
                   "or filter, works on N of them",
                   word);
}

/* After an unknown word of its own optopt is 0; after a known one with too much or too little, its
 * value; else a letter, whose word may not be over yet. */
static nd_status wrong_option(const char *word, const rows *r) {
    char name[WORD_MAX + 2];
    const char *names[MOST_OPTIONS];
    const size_t size = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
    for (int i = 0; i < r->count; i++) {
        names[i] = r->row[i]->hidden ? "" : r->row[i]->name;
        if (optopt != 0 && size > 0 && r->list[i].val == optopt &&
            strncmp(names[i], word + 2, size) == 0) {
            return nd_fail(ND_ERR_USAGE, "%s: %s", word,
                           r->list[i].has_arg == no_argument ? "takes no value" : "missing value");
        }
    }
    if (optopt != 0) {
        (void)snprintf(name, sizeof name, "%c", optopt);
        for (int i = 0; i < r->count; i++) {
            if (r->list[i].val == optopt) {
                return nd_fail(ND_ERR_USAGE, "-%c: missing value", optopt);
            }
        }
        if (asks_for_cores(name)) {
            (void)snprintf(name, sizeof name, "-%c", optopt);
            return name_launcher(name);
        }
        return nd_fail(ND_ERR_USAGE, "-%c: unknown option or missing value", optopt);
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)size, word + 2);
    if (asks_for_cores(name)) {
        return name_launcher(word);
    }
    const char *near = nd_near_word(name, names, (size_t)r->count);
    return near != NULL
               ? nd_fail(ND_ERR_USAGE, "%s: unknown option; did you mean --%s?", word, near)
               : nd_fail(ND_ERR_USAGE, "%s: unknown option, or one of several", word);
}

bool nd_command_has_row(const nd_command_table sets[ND_COMMAND_TABLES], int table,
                        const nd_option *row) {
    bool has = row->name != NULL;
    for (int s = 0; s < table && has; s++) {
        for (const nd_option *before = sets[s].table; before->help != NULL && has; before++) {
            has = before->name == NULL || strcmp(before->name, row->name) != 0;
        }
    }
    return has;
}

nd_status nd_command_line_read(const nd_command_call *call, uint8_t turn, nd_words *words) {
    nd_status st = ND_OK;
    const nd_command_table *const sets = call->sets;
    char *const *const argv = call->argv;
    int value = 0;
    rows r = {.count = 0};
    size_t letters = 0;
    for (int s = 0; s < ND_COMMAND_TABLES && sets[s].table != NULL; s++) {
        for (const nd_option *row = sets[s].table; row->help != NULL; row++) {
            if (!nd_command_has_row(sets, s, row) || r.count == MOST_OPTIONS) {
                continue;
            }
            const int argument = row->kind == ND_OPTION_FLAG ? no_argument : required_argument;
            r.list[r.count] = (struct option){
                row->name, argument, NULL, row->letter != 0 ? row->letter : FIRST_VALUE + r.count};
            r.row[r.count] = row;
            r.set[r.count++] = &sets[s];
            if (row->letter != 0) {
                r.letters[letters++] = row->letter;
                r.letters[letters++] = ':';
                letters -= argument == no_argument;
            }
        }
    }
    for (int i = 0, old = r.count; i < r.count; i++) {
        if (r.row[i]->old != NULL) {
            r.list[old] = r.list[i];
            r.list[old++].name = r.row[i]->old;
        }
    }
    opterr = 0; /* it is said in one line */
    optind = 0; /* start over, also in glibc's own state */
    while ((value = getopt_long(call->argc, call->argv, r.letters, r.list, NULL)) != -1) {
        int i = 0;
        while (i < r.count && r.list[i].val != value) {
            i++;
        }
        if (i == r.count) {
            st = wrong_option(argv[optind - 1], &r);
            goto out;
        }
        if (r.row[i]->turn == turn) {
            ND_TRY(r.set[i]->allow != NULL ? r.set[i]->allow(r.row[i], optarg) : ND_OK);
            ND_TRY(nd_option_set(r.row[i], optarg, r.set[i]->options));
        }
    }
    if (words != NULL) {
        *words = (nd_words){argv + optind, (size_t)(call->argc - optind)};
    }
out:
    return st;
}

nd_status nd_command_line_result(const nd_command_call *call, const char **path) {
    nd_status st = ND_OK;
    nd_words words = {0};
    ND_TRY(nd_command_line_read(call, 0, &words));
    if (words.count != 1) {
        return nd_fail(ND_ERR_USAGE, "needs one result file, got %zu", words.count);
    }
    *path = words.words[0];
out:
    return st;
}

/* ==== which pages are kept */

const nd_option nd_keep_option_table[] = {
    {.help = "Which page of a set is kept"},
    {"keep", "RULE[,RULE...]", ND_OPTION_TEXT, offsetof(nd_keep_wish, rules),
     .help = "the first rule that prefers one page decides. representative (without this option); "
             "first (in input order); longest; earliest, latest (by date; pages without one come "
             "last); https; shortest-url; surt (first URL as web archives sort). collection:NAME "
             "prefers a collection; repeat it for an order among several. field:NAME prefers the "
             "largest value in a JSONL field, read again from the inputs. Numbers count first, "
             "then texts by their bytes, as ISO 8601 dates; pages without the field come last. If "
             "all rules tie: the first page",
     .brief = "rules for the page that is kept, as longest,latest: neardup help keep "
              "(representative)",
     .word = nd_keep_rule_name},
    {"keep-each", "collection|set", ND_OPTION_SWITCH, offsetof(nd_keep_wish, each_collection),
     .help = "keep one page from each set, or one for each collection in it"},
    {"protect", "NAME[,NAME...]", ND_OPTION_TEXT, offsetof(nd_keep_wish, protect),
     .help =
         "keep all pages in these collections; one of them stands for the other pages in its set"},
    {"memory", "SIZE", ND_OPTION_SIZE, offsetof(nd_keep_wish, memory),
     .help = "for sorting (field:NAME, surt, --format cdxj): the rest goes to a file in TMPDIR, or "
             "/tmp (512M). Where inputs are read again it also limits JSONL lines and zstd "
             "windows, as in a run (no limit)",
     .rare = true},
    {0},
};
