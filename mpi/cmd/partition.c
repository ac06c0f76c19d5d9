/* neardup partition [options] INPUT... -o OUT.h5 : the job. */
#include "mpi/cmd/command.h"

#include "io/result_file.h"
#include "mpi/job.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory of a rank if nothing is said: what most cluster nodes have per core. */
static const uint64_t DEFAULT_MEMORY = UINT64_C(2) << 30;
static const uint64_t SMALLEST_MEMORY = UINT64_C(16) << 20;
/* Of it, a batch of fetched payloads takes this share, and a round of an exchange that. */
static const uint64_t BATCH_SHARE = 8;
static const uint64_t ROUND_SHARE = 32;
/* The paper's perhaps-similar sets are "not too large": pages compared on one rank. */
static const uint64_t DEFAULT_SET_CAP = 4096;

/* What the command line says. */
typedef struct arguments {
    nd_job_options job;
    uint64_t memory;
    bool strict;
    bool help;
    const char *const *inputs;
    size_t input_count;
    nd_buffer command_line;
} arguments;

enum option_id {
    OPTION_METHOD = 256,
    OPTION_SCORE,
    OPTION_THRESHOLD,
    OPTION_BUCKETS,
    OPTION_SMALLEST,
    OPTION_SENTENCE_TOKENS,
    OPTION_TRANSITIVITY,
    OPTION_SET_CAP,
    OPTION_MEMORY,
    OPTION_UNIT,
    OPTION_PROGRESS,
    OPTION_STRICT,
    OPTION_JSONL_ID,
    OPTION_JSONL_URL,
    OPTION_JSONL_TEXT,
    OPTION_JSONL_HTML,
    OPTION_MAX_PAGE
};

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {"method", required_argument, NULL, OPTION_METHOD},
    {"score", required_argument, NULL, OPTION_SCORE},
    {"threshold", required_argument, NULL, OPTION_THRESHOLD},
    {"buckets", required_argument, NULL, OPTION_BUCKETS},
    {"smallest", required_argument, NULL, OPTION_SMALLEST},
    {"sentence-tokens", required_argument, NULL, OPTION_SENTENCE_TOKENS},
    {"transitivity", required_argument, NULL, OPTION_TRANSITIVITY},
    {"set-cap", required_argument, NULL, OPTION_SET_CAP},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"unit", required_argument, NULL, OPTION_UNIT},
    {"progress", required_argument, NULL, OPTION_PROGRESS},
    {"strict", no_argument, NULL, OPTION_STRICT},
    {"jsonl-id", required_argument, NULL, OPTION_JSONL_ID},
    {"jsonl-url", required_argument, NULL, OPTION_JSONL_URL},
    {"jsonl-text", required_argument, NULL, OPTION_JSONL_TEXT},
    {"jsonl-html", required_argument, NULL, OPTION_JSONL_HTML},
    {"max-page", required_argument, NULL, OPTION_MAX_PAGE},
    {NULL, 0, NULL, 0},
};

static void print_help(void) {
    (void)printf(
        "usage: neardup partition [options] INPUT... -o OUT.h5\n"
        "       mpirun -n RANKS neardup partition ...\n\n"
        "INPUT is a file, a folder (walked), a glob, @LIST (a file with one INPUT a line), or\n"
        "NAME=INPUT to name its collection. Formats are told by content: WARC, ARC, WET and JSONL\n"
        "(plain, .gz, .zst), HTML and text files. The result does not depend on RANKS.\n\n"
        "  -o, --output FILE        the result, HDF5; appears when it is complete\n"
        "      --method NAME        how near-duplicates are found:\n");
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        (void)printf("                             %s  %s\n", nd_method_row(i)->name,
                     nd_method_row(i)->summary);
    }
    (void)printf("      --score NAME         how two pages are compared:\n");
    for (size_t i = 0; nd_score_row(i) != NULL; i++) {
        (void)printf("                             %s  %s\n", nd_score_row(i)->name,
                     nd_score_row(i)->summary);
    }
    (void)printf(
        "      --threshold T        similar from this score on, in (0, 1] (0.8)\n"
        "      --buckets N          fingerprints of a page (7)\n"
        "      --smallest N         smallest sentence digests in a fingerprint (3)\n"
        "      --sentence-tokens N  shorter sentences are no features (1: all are)\n"
        "      --transitivity KIND  how pairs become sets (verified):\n"
        "                             verified  components of verified pairs\n"
        "                             bounded   the paper's sorted leaders, inside components of\n"
        "                                       pairs that pass the exact bounds\n"
        "                             full      the same inside components of shared fingerprints\n"
        "      --set-cap N          bounded, full: most pages of such a component; a larger one "
        "is\n"
        "                           cut by length, and told (4096)\n"
        "      --memory SIZE        per rank, for exchanges and batches, as 512M or 2G (2G); the\n"
        "                           pages themselves are held besides\n"
        "      --unit SIZE          inputs are read in pieces of this size (chosen)\n"
        "      --max-page SIZE      longer pages are skipped (128M)\n"
        "      --jsonl-id F, --jsonl-url F, --jsonl-text F, --jsonl-html F\n"
        "                           names of the JSONL fields (id, url, text, html)\n"
        "      --progress MODE      auto, bar, lines or none (auto)\n"
        "      --strict             exit with 3 if any input was skipped\n"
        "  -h, --help               this text\n\n"
        "exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but skipped input (--strict)\n");
}

/* ---- values */

static nd_status parse_number(const char *option, const char *text, uint64_t *number) {
    char *end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || text[0] == '-') {
        return nd_fail(ND_ERR_USAGE, "--%s %s: must be a whole number", option, text);
    }
    return ND_OK;
}

static nd_status parse_small(const char *option, const char *text, uint32_t *number) {
    uint64_t wide = 0;
    nd_status st = parse_number(option, text, &wide);
    if (st == ND_OK && wide > UINT32_MAX) {
        st = nd_fail(ND_ERR_USAGE, "--%s %s: too large", option, text);
    }
    *number = (uint32_t)wide;
    return st;
}

static nd_status parse_size(const char *option, const char *text, uint64_t *bytes) {
    static const char units[] = "KMGT";
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (end != text && *end != '\0' && strchr(units, *end) != NULL) {
        shift = 10 * (unsigned)(strchr(units, *end) - units + 1);
        end++;
    }
    if (errno != 0 || end == text || *end != '\0' || text[0] == '-' || number == 0 ||
        number > UINT64_MAX >> shift) {
        return nd_fail(ND_ERR_USAGE, "--%s %s: must be a size such as 65536, 512M or 2G", option,
                       text);
    }
    *bytes = (uint64_t)number << shift;
    return ND_OK;
}

static nd_status parse_threshold(const char *text, double *threshold) {
    char *end = NULL;
    *threshold = strtod(text, &end);
    if (end == text || *end != '\0') {
        return nd_fail(ND_ERR_USAGE, "--threshold %s: must be a number above 0, at most 1", text);
    }
    return ND_OK;
}

static nd_status parse_transitivity(const char *text, nd_transitivity *transitivity) {
    if (strcmp(text, "verified") == 0) {
        *transitivity = ND_TRANSITIVITY_VERIFIED;
    } else if (strcmp(text, "bounded") == 0) {
        *transitivity = ND_TRANSITIVITY_BOUNDED;
    } else if (strcmp(text, "full") == 0) {
        *transitivity = ND_TRANSITIVITY_FULL;
    } else {
        return nd_fail(ND_ERR_USAGE, "--transitivity %s: must be verified, bounded or full", text);
    }
    return ND_OK;
}

static nd_status parse_progress(const char *text, nd_progress_mode *mode) {
    if (strcmp(text, "auto") == 0) {
        *mode = isatty(STDERR_FILENO) ? ND_PROGRESS_BAR : ND_PROGRESS_LINES;
    } else if (strcmp(text, "bar") == 0) {
        *mode = ND_PROGRESS_BAR;
    } else if (strcmp(text, "lines") == 0) {
        *mode = ND_PROGRESS_LINES;
    } else if (strcmp(text, "none") == 0) {
        *mode = ND_PROGRESS_NONE;
    } else {
        return nd_fail(ND_ERR_USAGE, "--progress %s: must be auto, bar, lines or none", text);
    }
    return ND_OK;
}

static nd_status parse_method(const char *text, nd_job_options *job) {
    job->method = nd_method_find(text);
    return job->method != NULL
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--method %s: there is no such method", text);
}

static nd_status parse_score(const char *text, nd_method_options *method) {
    method->score = nd_score_find(text);
    return method->score != NULL
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--score %s: there is no such score", text);
}

static nd_status parse_method_option(arguments *a, int id) {
    nd_method_options *method = &a->job.method_options;
    switch (id) {
    case OPTION_METHOD:
        return parse_method(optarg, &a->job);
    case OPTION_SCORE:
        return parse_score(optarg, method);
    case OPTION_THRESHOLD:
        return parse_threshold(optarg, &method->threshold);
    case OPTION_BUCKETS:
        return parse_small("buckets", optarg, &method->fingerprint.buckets);
    case OPTION_SMALLEST:
        return parse_small("smallest", optarg, &method->fingerprint.smallest);
    case OPTION_SENTENCE_TOKENS:
        return parse_small("sentence-tokens", optarg, &method->sentence_tokens);
    case OPTION_TRANSITIVITY:
        return parse_transitivity(optarg, &a->job.transitivity);
    case OPTION_SET_CAP:
        return parse_number("set-cap", optarg, &a->job.set_cap);
    default:
        return nd_fail(ND_ERR_USAGE, "unknown option or missing value");
    }
}

static nd_status parse_option(arguments *a, int id) {
    nd_reader_options *reader = &a->job.reader;
    switch (id) {
    case 'o':
        a->job.output = optarg;
        return ND_OK;
    case 'h':
        a->help = true;
        return ND_OK;
    case OPTION_STRICT:
        a->strict = true;
        return ND_OK;
    case OPTION_MEMORY:
        return parse_size("memory", optarg, &a->memory);
    case OPTION_UNIT:
        return parse_size("unit", optarg, &a->job.unit_bytes);
    case OPTION_MAX_PAGE:
        return parse_size("max-page", optarg, &reader->max_page_bytes);
    case OPTION_PROGRESS:
        return parse_progress(optarg, &a->job.progress);
    case OPTION_JSONL_ID:
        reader->jsonl_id = optarg;
        return ND_OK;
    case OPTION_JSONL_URL:
        reader->jsonl_url = optarg;
        return ND_OK;
    case OPTION_JSONL_TEXT:
        reader->jsonl_text = optarg;
        return ND_OK;
    case OPTION_JSONL_HTML:
        reader->jsonl_html = optarg;
        return ND_OK;
    default:
        return parse_method_option(a, id);
    }
}

static nd_status check(const arguments *a) {
    if (a->job.output == NULL) {
        return nd_fail(ND_ERR_USAGE, "no -o OUT.h5: where should the result go?");
    }
    if (a->input_count == 0) {
        return nd_fail(ND_ERR_USAGE, "no INPUT: which pages should be partitioned?");
    }
    if (a->job.set_cap < 2) {
        return nd_fail(ND_ERR_USAGE, "--set-cap %llu: must be at least 2",
                       (unsigned long long)a->job.set_cap);
    }
    if (a->memory < SMALLEST_MEMORY) {
        return nd_fail(ND_ERR_USAGE, "--memory %llu: must be at least 16M",
                       (unsigned long long)a->memory);
    }
    return nd_method_check_options(&a->job.method_options);
}

/* The command line as one text, for the result file. */
static nd_status keep_command_line(arguments *a, int argc, char **argv) {
    nd_status st = nd_buffer_append_text(&a->command_line, "neardup");
    for (int i = 0; i < argc && st == ND_OK; i++) {
        st = nd_buffer_append_text(&a->command_line, " ");
        st = st != ND_OK ? st : nd_buffer_append_text(&a->command_line, argv[i]);
    }
    st = st != ND_OK ? st : nd_buffer_append(&a->command_line, "", 1);
    a->job.command_line = (const char *)a->command_line.data;
    return st;
}

/* What getopt_long() has refused: a letter, maybe one of several in a word, or the word itself. */
static const char *wrong_option(char **argv, char name[3]) {
    if (optopt > 0 && optopt < OPTION_METHOD) {
        (void)snprintf(name, 3, "-%c", optopt);
        return name;
    }
    return argv[optind - 1];
}

static nd_status parse(int argc, char **argv, arguments *a) {
    nd_status st = ND_OK;
    int id = 0;
    a->job.method = nd_method_row(0);
    a->job.method_options = nd_method_default_options();
    a->job.set_cap = DEFAULT_SET_CAP;
    a->memory = DEFAULT_MEMORY;
    ND_TRY(parse_progress("auto", &a->job.progress));
    ND_TRY(keep_command_line(a, argc, argv));
    opterr = 0; /* told below, in one line */
    while ((id = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
        if (id == '?') {
            char name[3];
            st = nd_fail(ND_ERR_USAGE, "%s: unknown option or missing value",
                         wrong_option(argv, name));
            goto out;
        }
        ND_TRY(parse_option(a, id));
    }
    a->inputs = (const char *const *)(argv + optind);
    a->input_count = (size_t)(argc - optind);
    a->job.batch_bytes = a->memory / BATCH_SHARE;
    if (!a->help) {
        ND_TRY(check(a));
    }
out:
    return st;
}

/* ---- the run */

static void print_cap(const nd_job *job) {
    const nd_job_totals *t = &job->totals;
    if (t->capped_sets > 0) {
        (void)fprintf(stderr,
                      "neardup: --set-cap %llu struck: %llu perhaps-similar sets were larger (the "
                      "largest: %llu pages) and were cut by length; pages in different pieces "
                      "were not compared\n",
                      (unsigned long long)job->options.set_cap, (unsigned long long)t->capped_sets,
                      (unsigned long long)t->capped_largest);
    }
}

static void print_summary(const nd_job *job) {
    const nd_job_totals *t = &job->totals;
    double seconds = 0;
    for (size_t i = 0; i < job->progress.count; i++) {
        seconds += job->progress.rows[i].seconds_max;
    }
    print_cap(job);
    (void)fprintf(stderr,
                  "pages: %llu (%llu exact copies, %llu without text) of %llu records in %zu "
                  "sources; %llu other records, %llu skipped\n",
                  (unsigned long long)t->pages, (unsigned long long)t->exact_copies,
                  (unsigned long long)t->pages_without_text, (unsigned long long)t->records,
                  job->inputs.count, (unsigned long long)t->other, (unsigned long long)t->skipped);
    (void)fprintf(stderr, "pairs: %llu candidates, %llu within the bounds, %llu similar\n",
                  (unsigned long long)t->candidates, (unsigned long long)t->pairs,
                  (unsigned long long)t->links);
    (void)fprintf(stderr, "sets: %llu (%llu of more than one page; the largest: %llu pages)\n",
                  (unsigned long long)t->sets, (unsigned long long)t->sets_of_many,
                  (unsigned long long)t->largest_set);
    (void)fprintf(stderr, "time: %.2f s, %.0f pages per second on %d ranks; result: %s\n", seconds,
                  seconds > 0 ? (double)t->pages / seconds : 0, job->comm.size,
                  job->options.output);
}

/* After a failed close (a full disk) nothing may be left to HDF5: every rank ends here, as it is.
 */
static void leave_without_finalize(const nd_comm *comm, int code) {
    if (nd_comm_sum(comm, nd_result_left_open()) > 0) {
        (void)fflush(NULL);
        ND_MPI(MPI_Barrier(comm->handle)); /* the reason is out before mpirun sees an end */
        _exit(code);
    }
}

static int run_job(const arguments *a) {
    nd_job job;
    nd_job_open(&job, MPI_COMM_WORLD, &a->job);
    job.comm.round_bytes = a->memory / ROUND_SHARE;
    const nd_status st = nd_job_run(&job, a->inputs, a->input_count);
    int code = st == ND_OK ? ND_EXIT_DONE : st == ND_ERR_USAGE ? ND_EXIT_USAGE : ND_EXIT_FAILED;
    if (st == ND_OK && a->strict && job.totals.skipped > 0) {
        code = ND_EXIT_SKIPPED;
    }
    if (job.comm.rank == 0) {
        if (st == ND_OK && a->job.progress != ND_PROGRESS_NONE) {
            print_summary(&job);
        } else if (st != ND_OK) {
            (void)fprintf(stderr, "neardup: %s\n", nd_fail_text());
        }
    }
    /* one code for all ranks, whatever each of them met */
    ND_MPI(MPI_Bcast(&code, 1, MPI_INT, 0, job.comm.handle));
    leave_without_finalize(&job.comm, code);
    nd_job_close(&job);
    return code;
}

static int partition(int argc, char **argv) {
    arguments a = {0};
    int rank = 0;
    int code = ND_EXIT_USAGE;
    ND_MPI(MPI_Init(&argc, &argv));
    ND_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    /* every rank has the same command line and comes to the same verdict on it */
    if (parse(argc, argv, &a) != ND_OK) {
        if (rank == 0) {
            (void)nd_usage_error("partition", "%s", nd_fail_text());
        }
    } else if (a.help) {
        if (rank == 0) {
            print_help();
        }
        code = ND_EXIT_DONE;
    } else {
        code = run_job(&a);
    }
    nd_buffer_free(&a.command_line);
    ND_MPI(MPI_Finalize());
    return code;
}

const nd_command nd_command_partition = {
    .name = "partition",
    .summary = "find the sets of near-duplicate pages of a crawl (alone, or under mpirun/srun)",
    .run = partition,
};
