/* neardup synthesize -o DIR --pages N --seed S : a corpus with known truth. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/option_value.h"
#include "mpi/cmd/synthesize/write_corpus.h"
#include "src/base/printable.h"
#include "src/synth/markup_share.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const uint64_t DEFAULT_PAGE_BYTES = 23000; /* pages of crawls are about as long */
static const uint64_t DEFAULT_SHARD_PAGES = 5000;

typedef struct arguments {
    nd_corpus_files files;
    nd_progress_mode progress;
    bool has_seed;
    bool help;
} arguments;

static void print_help(void) {
    (void)printf(
        "usage: neardup synthesize -o DIR --pages N --seed S [options]\n"
        "       mpirun -n RANKS neardup synthesize ...\n\n"
        "Makes a corpus of which the truth is known: sites with templates, stories in two made-up\n"
        "languages, their copies, and pages that look alike without being copies. The same "
        "options\n"
        "give the same bytes on any number of RANKS.\n\n"
        "  -o, --output DIR       a folder; must be new or empty\n"
        "      --pages N          how many\n"
        "      --seed S           another number gives another corpus\n"
        "      --profile NAME     archive: stories have 6 pages on average, or crawl: 1.4 "
        "(archive)\n"
        "      --page-bytes SIZE  mean length of a page's HTML (23000)\n"
        "      --text PERCENT     so much of the HTML is visible text, and the rest markup as on "
        "real\n"
        "                         pages: 5 to 36; of most real pages 7 to 36 (plain pages: some "
        "42)\n"
        "      --format F         warc (compressed) or jsonl (warc)\n"
        "      --shard-pages N    pages of a file; a file is written by one rank (5000)\n"
        "      --sites N          (one for each 100 pages)\n"
        "      --skew SHARE       one site has this share of all pages (0)\n"
        "      --hot-key SHARE    this share of all pages carries one licence text of 32 "
        "sentences\n"
        "                         (0)\n"
        "      --progress MODE    auto, bar, lines or none (auto)\n"
        "  -h, --help             this text\n\n"
        "In DIR, beside the pages: clusters.tsv (id, cluster) and loose.tsv (undecided pages), "
        "for\n"
        "neardup evaluate OUT.h5 --truth DIR/clusters.tsv --loose DIR/loose.tsv; and classes.tsv\n"
        "(id, cluster, class, story, site, similarity to the story's original by construction,\n"
        "tokens of the main text). Classes:\n\n");
    for (int i = 0; i < ND_PAGE_CLASSES; i++) {
        const nd_page_class_row *row = nd_page_class_get((nd_page_class)i);
        (void)printf("  %-3s %s\n", row->name, row->summary);
    }
    (void)printf("\nP are near-duplicates of their original, U are undecided, N are not.\n"
                 "exit codes: 0 done, 1 failed, 2 wrong usage\n");
}

enum option_id {
    OPTION_PAGES = 256,
    OPTION_SEED,
    OPTION_PROFILE,
    OPTION_PAGE_BYTES,
    OPTION_TEXT,
    OPTION_FORMAT,
    OPTION_SHARD_PAGES,
    OPTION_SITES,
    OPTION_SKEW,
    OPTION_HOT_KEY,
    OPTION_PROGRESS
};

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {"pages", required_argument, NULL, OPTION_PAGES},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"profile", required_argument, NULL, OPTION_PROFILE},
    {"page-bytes", required_argument, NULL, OPTION_PAGE_BYTES},
    {"text", required_argument, NULL, OPTION_TEXT},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"shard-pages", required_argument, NULL, OPTION_SHARD_PAGES},
    {"sites", required_argument, NULL, OPTION_SITES},
    {"skew", required_argument, NULL, OPTION_SKEW},
    {"hot-key", required_argument, NULL, OPTION_HOT_KEY},
    {"progress", required_argument, NULL, OPTION_PROGRESS},
    {NULL, 0, NULL, 0},
};

static nd_status parse_option(arguments *a, int id, const char *word) {
    nd_corpus_options *corpus = &a->files.corpus;
    nd_status st = ND_OK;
    bool first = false;
    switch (id) {
    case 'o':
        a->files.folder = optarg;
        return ND_OK;
    case 'h':
        a->help = true;
        return ND_OK;
    case OPTION_PAGES:
        return nd_parse_number("pages", optarg, &corpus->pages);
    case OPTION_SEED:
        a->has_seed = true;
        return nd_parse_number("seed", optarg, &corpus->seed);
    case OPTION_PROFILE:
        st = nd_parse_choice("profile", optarg, "archive", "crawl", &first);
        corpus->profile = first ? ND_PROFILE_ARCHIVE : ND_PROFILE_CRAWL;
        return st;
    case OPTION_PAGE_BYTES:
        return nd_parse_size("page-bytes", optarg, &corpus->page_bytes);
    case OPTION_TEXT:
        st = nd_parse_real("text", optarg, &corpus->text);
        return st == ND_OK ? nd_markup_share_check(corpus->text) : st;
    case OPTION_FORMAT:
        st = nd_parse_choice("format", optarg, "warc", "jsonl", &first);
        a->files.format = first ? ND_RECORD_WARC : ND_RECORD_JSONL;
        return st;
    case OPTION_SHARD_PAGES:
        return nd_parse_number("shard-pages", optarg, &a->files.shard_pages);
    case OPTION_SITES:
        st = nd_parse_number("sites", optarg, &corpus->sites);
        return st == ND_OK && corpus->sites == 0
                   ? nd_fail(ND_ERR_USAGE, "--sites 0: must be at least 1")
                   : st;
    case OPTION_SKEW:
        return nd_parse_real("skew", optarg, &corpus->skew);
    case OPTION_HOT_KEY:
        return nd_parse_real("hot-key", optarg, &corpus->hot_key);
    case OPTION_PROGRESS:
        return nd_parse_progress(optarg, &a->progress);
    default:
        return nd_wrong_option(word, options);
    }
}

static nd_status check(const arguments *a, int words, char *const *rest) {
    if (words > 0) {
        return nd_fail(ND_ERR_USAGE, "%s: takes options only", rest[0]);
    }
    if (a->files.folder == NULL || *a->files.folder == '\0') {
        return nd_fail(ND_ERR_USAGE, "no -o DIR: where should the corpus go?");
    }
    if (a->files.corpus.pages == 0) {
        return nd_fail(ND_ERR_USAGE, "no --pages N above 0: how many pages should it have?");
    }
    if (!a->has_seed) {
        return nd_fail(ND_ERR_USAGE, "no --seed S: any number, as 1");
    }
    return ND_OK;
}

static nd_status parse(int argc, char **argv, arguments *a) {
    nd_status st = ND_OK;
    int id = 0;
    *a = (arguments){.files = {.corpus = {.page_bytes = DEFAULT_PAGE_BYTES},
                               .shard_pages = DEFAULT_SHARD_PAGES}};
    ND_TRY(nd_parse_progress("auto", &a->progress));
    opterr = 0; /* told in one line */
    while ((id = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
        ND_TRY(parse_option(a, id, argv[optind - 1]));
    }
    if (!a->help) {
        ND_TRY(check(a, argc - optind, argv + optind));
    }
out:
    return st;
}

static void print_summary(const arguments *a, const nd_corpus_totals *totals, double seconds,
                          int ranks) {
    uint64_t pages = 0;
    for (int i = 0; i < ND_PAGE_CLASSES; i++) {
        const nd_page_class_row *row = nd_page_class_get((nd_page_class)i);
        pages += totals->pages[i];
        (void)fprintf(stderr, "%-3s %12llu  %s\n", row->name, (unsigned long long)totals->pages[i],
                      row->summary);
    }
    nd_print_line(stderr,
                  "pages: %llu in %llu files of %s; %.0f bytes of HTML each, %.0f pages and %.1f "
                  "MB per second on %d ranks",
                  (unsigned long long)pages, (unsigned long long)totals->files, a->files.folder,
                  (double)totals->html_bytes / (double)pages, (double)pages / seconds,
                  (double)totals->html_bytes / 1e6 / seconds, ranks);
}

static int write_corpus(const arguments *a) {
    nd_comm comm;
    nd_progress progress = {.mode = a->progress};
    nd_corpus_totals totals;
    nd_comm_open(&comm, MPI_COMM_WORLD);
    const double started = MPI_Wtime();
    const nd_status st = nd_write_corpus(&comm, &progress, &a->files, &totals);
    int code = st == ND_OK ? ND_EXIT_DONE : st == ND_ERR_USAGE ? ND_EXIT_USAGE : ND_EXIT_FAILED;
    if (comm.rank == 0 && st != ND_OK) {
        nd_print_line(stderr, "neardup synthesize: %s", nd_fail_text());
    } else if (comm.rank == 0 && a->progress != ND_PROGRESS_NONE) {
        print_summary(a, &totals, MPI_Wtime() - started, comm.size);
    }
    ND_MPI(MPI_Bcast(&code, 1, MPI_INT, 0, comm.handle)); /* one code for all ranks */
    nd_comm_close(&comm);
    return code;
}

static int synthesize(int argc, char **argv) {
    arguments a;
    int rank = 0;
    int code = ND_EXIT_USAGE;
    ND_MPI(MPI_Init(&argc, &argv));
    ND_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    /* every rank has the same command line and comes to the same result with it */
    if (parse(argc, argv, &a) != ND_OK) {
        if (rank == 0) {
            (void)nd_usage_error("synthesize", "%s", nd_fail_text());
        }
    } else if (a.help) {
        if (rank == 0) {
            print_help();
        }
        code = ND_EXIT_DONE;
    } else {
        code = write_corpus(&a);
    }
    ND_MPI(MPI_Finalize());
    return code;
}

const nd_command nd_command_synthesize = {
    .name = "synthesize",
    .summary = "a corpus with known truth, of any size (alone, or under mpirun/srun)",
    .run = synthesize,
};
