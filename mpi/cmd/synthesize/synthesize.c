/* neardup synthesize -o DIR --pages N --seed S : a corpus with known truth. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/command_line.h"
#include "mpi/cmd/help.h"
#include "mpi/cmd/synthesize/write_corpus.h"
#include "src/base/printable.h"
#include "src/synth/markup.h"

#include <stdio.h>

static const uint64_t DEFAULT_PAGE_BYTES = 23000; /* pages of crawls are about as long */
static const uint64_t DEFAULT_SHARD_PAGES = 5000;

typedef struct arguments {
    nd_corpus_files files;
    nd_progress_mode progress;
    bool has_seed, has_text;
} arguments;

static arguments asked;

#define AT(field) offsetof(arguments, field)

/* Words stand in the order of their enums. */
static const nd_option options[] = {
    {"output", "DIR", ND_OPTION_TEXT, AT(files.folder), .help = "a folder; must be new or empty",
     .letter = 'o'},
    {"pages", "N", ND_OPTION_NUMBER, AT(files.corpus.pages), .help = "how many", .bounded = true},
    {"seed", "S", ND_OPTION_NUMBER, AT(files.corpus.seed),
     .help = "another number gives another corpus", .given = AT(has_seed)},
    {"profile", "archive|crawl", ND_OPTION_WORD, AT(files.corpus.profile),
     .help = "stories have 6 pages on average, or 1.4"},
    {"page-bytes", "SIZE", ND_OPTION_SIZE, AT(files.corpus.page_bytes),
     .help = "mean HTML bytes in a page"},
    {"text", "PERCENT", ND_OPTION_REAL, AT(files.corpus.text),
     .help = "percent of the HTML that is visible text, 5 to 36; the rest is markup. Most real "
             "pages have 7 to 36 (without this option: some 42)",
     .given = AT(has_text), .rare = true},
    {"format", "warc|jsonl", ND_OPTION_WORD, AT(files.format), .help = "warc is compressed"},
    {"shard-pages", "N", ND_OPTION_NUMBER, AT(files.shard_pages),
     .help = "pages in a file; one rank writes a file", .rare = true},
    {"sites", "N", ND_OPTION_NUMBER, AT(files.corpus.sites), .help = "(one for each 100 pages)",
     .rare = true, .bounded = true, .least = 1},
    {"skew", "SHARE", ND_OPTION_REAL, AT(files.corpus.skew),
     .help = "one site has this share in all pages", .rare = true},
    {"hot-key", "SHARE", ND_OPTION_REAL, AT(files.corpus.hot_key),
     .help = "this share in all pages carries one licence text with 32 sentences", .rare = true},
    {"progress", "none|lines|bar|auto", ND_OPTION_WORD, AT(progress),
     .help = "what is shown while it runs; auto: bar on a terminal, else lines", .rare = true},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (arguments){
        .files = {.corpus = {.page_bytes = DEFAULT_PAGE_BYTES}, .shard_pages = DEFAULT_SHARD_PAGES},
        .progress = ND_PROGRESS_AUTO};
    sets[0] = (nd_command_table){.table = options, .options = &asked};
}

static nd_status parse(int argc, char **argv) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    nd_words words;
    open_options(sets);
    ND_TRY(nd_command_line_read(sets, argc, argv, 0, &words));
    if (asked.has_text) {
        ND_TRY(nd_markup_share_check(asked.files.corpus.text));
    }
    if (words.count > 0) {
        st = nd_fail(ND_ERR_USAGE, "%s: takes options only", words.words[0]);
    } else if (asked.files.folder == NULL || *asked.files.folder == '\0') {
        st = nd_fail(ND_ERR_USAGE, "no -o DIR: where should the corpus go?");
    } else if (asked.files.corpus.pages == 0) {
        st = nd_fail(ND_ERR_USAGE, "no --pages N above 0: how many pages should it have?");
    } else if (!asked.has_seed) {
        st = nd_fail(ND_ERR_USAGE, "no --seed S: any number, as 1");
    }
out:
    return st;
}

static void print_classes(void) {
    (void)printf("Classes of pages: P are near-duplicates of their original, U undecided, N not\n");
    for (int i = 0; i < ND_PAGE_CLASSES; i++) {
        const nd_page_class_row *row = nd_page_class_get((nd_page_class)i);
        char begin[16];
        (void)snprintf(begin, sizeof begin, "  %-3s ", row->name);
        nd_help_beside(begin, 6, row->summary);
    }
}

static int write_corpus(const arguments *a) {
    nd_comm comm;
    nd_progress progress = {.mode = nd_progress_choose(a->progress)};
    nd_corpus_totals totals;
    nd_comm_open(&comm, MPI_COMM_WORLD);
    const double started = MPI_Wtime();
    const nd_status st = nd_write_corpus(&comm, &progress, &a->files, &totals);
    int code = ND_EXIT_DONE;
    if (comm.rank == 0 && st != ND_OK) {
        code = nd_command_failed(&nd_command_synthesize, st);
    } else if (comm.rank == 0 && a->progress != ND_PROGRESS_NONE) {
        const double seconds = MPI_Wtime() - started;
        uint64_t pages = 0;
        for (int i = 0; i < ND_PAGE_CLASSES; i++) {
            const nd_page_class_row *row = nd_page_class_get((nd_page_class)i);
            pages += totals.pages[i];
            (void)fprintf(stderr, "%-3s %12llu  %s\n", row->name,
                          (unsigned long long)totals.pages[i], row->summary);
        }
        nd_print_line(
            stderr,
            "pages: %llu in %llu files of %s; %.0f bytes of HTML each, %.0f pages and %.1f "
            "MB per second on %d ranks",
            (unsigned long long)pages, (unsigned long long)totals.files, a->files.folder,
            (double)totals.html_bytes / (double)pages, (double)pages / seconds,
            (double)totals.html_bytes / 1e6 / seconds, comm.size);
    }
    ND_MPI(MPI_Bcast(&code, 1, MPI_INT, 0, comm.handle)); /* one code for all ranks */
    nd_comm_close(&comm);
    return code;
}

static int synthesize(int argc, char **argv) {
    int rank = 0;
    int code = ND_EXIT_USAGE;
    nd_comm_start(&argc, &argv);
    ND_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    /* every rank has the same command line and takes it the same way */
    if (parse(argc, argv) == ND_OK) {
        code = write_corpus(&asked);
    } else if (rank == 0) {
        code = nd_command_failed(&nd_command_synthesize, ND_ERR_USAGE);
    }
    ND_MPI(MPI_Finalize());
    return code;
}

const nd_command nd_command_synthesize = {
    .name = "synthesize",
    .summary = "make a test corpus with known truth (alone, or under mpirun/srun)",
    .usage = "-o DIR --pages N --seed S [options]",
    .about =
        "Makes a corpus with known truth: sites with templates, stories in two made-up languages, "
        "their copies, and pages that look alike without being copies. The same options give the "
        "same bytes on any number of ranks.\n\nDIR also gets the truth. neardup evaluate OUT.h5 "
        "--truth DIR/clusters.tsv --loose DIR/loose.tsv reads it: clusters.tsv has id and cluster, "
        "loose.tsv undecided pages. classes.tsv has id, cluster, class, story, site, tokens in the "
        "main text, and the similarity to the original by construction.",
    .examples = "neardup synthesize -o corpus --pages 10000 --seed 1\n"
                "mpirun -n 4 neardup synthesize -o crawl --pages 1000000 --seed 1 --text 20\n"
                "neardup synthesize -o pages --pages 1000 --seed 2 --format jsonl",
    .more = print_classes,
    .open = open_options,
    .run = synthesize,
};
