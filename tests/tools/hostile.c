/* hostile [--rounds N] [--seconds S] [--seed N] [KIND...]: every command with what a stranger may
 * have made of the files that it reads. Each round makes a copy of a good file other than the
 * program writes it, and calls a command with it in this process. A round is a find where a
 * sanitizer, a contract or a signal ends it, it takes too long, its exit code is not one of those
 * that the command has, a failure is not told in one line that a terminal can be given, or what has
 * to be refused is not. A find is printed with the seed that makes it again: hostile --seed N
 * --rounds 1 KIND. Exit code 1 if there is one, or no round was played. Kinds: each (of those in
 * support/hostile_files.h, one after the other), result, cut, index, work, input, table; and
 * bytes, a result with any other bytes, which HDF5 does not promise to bear. Without KIND: `each`
 * five times over, then any but the last. */
#include "mpi/cmd/command.h"
#include "src/base/printable.h"
#include "src/base/sort.h"
#include "tests/support/check.h"
#include "tests/support/corpus.h"
#include "tests/support/hostile_files.h"
#include "tests/support/mpi_called.h"
#include "tests/support/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT = 60, AT_ONCE = 400, MOST_STATES = 24, MOST_FINDS = 100 };

static char folder[] = "/tmp/neardup-hostile.XXXXXX";

/* ---- MPI, once in a process however many commands it runs */

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *level) {
    int is = 0;
    (void)PMPI_Initialized(&is);
    *level = wanted;
    return is ? MPI_SUCCESS : PMPI_Init_thread(argc, argv, wanted, level);
}

int MPI_Init(int *argc, char ***argv) {
    int level = 0;
    return MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level);
}

int MPI_Finalize(void) {
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code) {
    (void)comm;
    (void)code;
    abort();
}

/* Nothing here has to outlast the machine. */
int fsync(int file) {
    (void)file;
    return 0;
}

/* ---- the files that are changed */

static char work_states[MOST_STATES][32];
static int work_state_count;

static void must_run(int wanted, const char *line) {
    nd_test_words w = {0};
    nd_test_say(&w, "%s", line);
    const int code = nd_test_call(&w, NULL);
    if (code != wanted) {
        nd_buffer said = nd_test_printed(2);
        (void)fprintf(stderr, "%s: exit code %d: %s", line, code, (const char *)said.data);
        _exit(2);
    }
}

/* A work folder after each of its checkpoints: each renaming fails in turn. */
static void make_work_folders(void) {
    char line[256];
    for (int i = 1; i < 200 && work_state_count < MOST_STATES; i++) {
        (void)snprintf(line, sizeof line,
                       "partition --progress none a.jsonl c.warc.gz --pairs keep --contained .5 "
                       "--work work%d -o x.h5 --fault rename:0:%d",
                       i, i);
        nd_test_words w = {0};
        nd_test_say(&w, "%s", line);
        const int code = nd_test_call(&w, NULL);
        if (code == 0) {
            break;
        }
        (void)snprintf(line, sizeof line, "work%d/manifest.json", i);
        if (access(line, F_OK) == 0) {
            (void)snprintf(work_states[work_state_count++], sizeof work_states[0], "work%d", i);
        }
    }
}

static void make_bases(void) {
    nd_hostile_inputs();
    must_run(
        0,
        "partition --progress none one=a.jsonl two=c.warc.gz --pairs keep --contained .5 -o r0.h5");
    must_run(0, "partition --progress none a.jsonl f.wacz d.warc --keep-index i0 -o r1.h5");
    must_run(0, "partition --progress none b.jsonl --against i0 --keep-index i1 -o r2.h5");
    must_run(0, "partition --progress none a.jsonl c.warc.gz --index-texts inputs --keep-index i2 "
                "-o r3.h5");
    must_run(0, "partition --progress none b.jsonl --keep-index i3 -o r4.h5");
    make_work_folders();
}

/* ---- rounds */

/* What the other process is told of a round. */
typedef struct shared {
    uint64_t seed, done, finds, refused;
    char what[4096];
} shared;

static shared *told;

typedef struct round {
    nd_random random;
    nd_test_words words;
    const char *input;  /* of the command */
    char changed[4096]; /* the file or folder that is another */
    char also[256];     /* how it is */
    nd_hostile_refusal refused;
    bool can_mislead; /* its command line may be wrong too: exit code 2 */
} round_state;

static uint64_t below(round_state *r, uint64_t bound) {
    return nd_random_below(&r->random, bound);
}

#define DRAW(r, array) ((array)[below((r), sizeof(array) / sizeof((array)[0]))])

/* What reads a result. `all`: reads all its rows. */
static void draw_reader(round_state *r, bool all) {
    static const char *rows[8], *others[32];
    static size_t row_count, other_count;
    if (row_count == 0) {
        row_count = ND_TEST_LIST(
            "check h.h5|export h.h5|export h.h5 --what keep --keep latest|"
            "export h.h5 --what drop --format jsonl|export h.h5 --what pages --format jsonl|"
            "filter h.h5 -o out|filter h.h5 -o out --what drop",
            rows);
        other_count = ND_TEST_LIST(
            "inspect h.h5|inspect h.h5 --sources|inspect h.h5 --skipped|"
            "inspect h.h5 --page 3|inspect h.h5 --url http://h1.test/4|"
            "inspect h.h5 --set 1 --text|inspect h.h5 --largest 3|check h.h5 --format json|"
            "export h.h5 --what pairs|export h.h5 --what contained|export h.h5 --what sets|"
            "export h.h5 --what keep --format cdxj|"
            "export h.h5 --what keep --keep surt,earliest,longest --keep-each collection|"
            "export h.h5 --what pairs --format jsonl|export h.h5 --what sets --format jsonl|"
            "report h.h5 -o out.html|review h.h5 -o out.html --sample 5|explain h.h5 0 1|"
            "explain h.h5 page:5 url:http://w0.test/0 --format json|"
            "filter h.h5 -o out --annotate|extract h.h5|overlap h.h5|"
            "overlap h.h5 --format json|evaluate h.h5 --truth labels.tsv|"
            "evaluate h.h5 --truth pairs.tsv --format json",
            others);
    }
    nd_test_say(&r->words, "%s", all ? rows[below(r, row_count)] : others[below(r, other_count)]);
}

static void make_result(round_state *r, uint64_t seed) {
    (void)seed;
    static const char *const bases[] = {"r0.h5", "r0.h5", "r1.h5", "r2.h5"};
    const nd_hostile_kind *kind = &nd_hostile_kinds[below(r, nd_hostile_kind_count)];
    if (below(r, 3) > 0) { /* most ways to be wrong are of the last kinds */
        kind = &nd_hostile_kinds[nd_hostile_kind_count - 1 - below(r, 5)];
    }
    nd_hostile_copy_file(DRAW(r, bases), "h.h5");
    (void)snprintf(r->also, sizeof r->also, "%s", kind->name);
    if (nd_hostile_result("h.h5", kind, &r->random)) {
        r->refused = kind->refused;
    }
    draw_reader(r, below(r, 2) == 0 || r->refused == ND_HOSTILE_ROWS);
    r->can_mislead = true;
}

/* Each kind that has to be refused in turn, by one command after the other. */
static void make_each(round_state *r, uint64_t seed) {
    const nd_hostile_kind *kind = &nd_hostile_kinds[seed % nd_hostile_kind_count];
    nd_hostile_copy_file("r0.h5", "h.h5");
    (void)snprintf(r->also, sizeof r->also, "%s", kind->name);
    if (nd_hostile_result("h.h5", kind, &r->random)) {
        r->refused = kind->refused;
    }
    draw_reader(r, r->refused != ND_HOSTILE_OPEN || below(r, 4) == 0);
    r->can_mislead = r->refused == ND_HOSTILE_MAYBE;
}

static void change_bytes(round_state *r, const char *from, const char *to) {
    ND_OWNED(nd_buffer_free) nd_buffer bytes = nd_test_read(from);
    nd_hostile_bytes(&bytes, &r->random);
    nd_hostile_write(to, nd_buffer_span(&bytes));
}

/* Cut off: what HDF5 itself refuses. */
static void make_cut(round_state *r, uint64_t seed) {
    (void)seed;
    ND_OWNED(nd_buffer_free) nd_buffer bytes = nd_test_read("r0.h5");
    bytes.size = 32 + (below(r, 8) == 0 ? below(r, 2048) : below(r, bytes.size - 32));
    nd_hostile_write("h.h5", nd_buffer_span(&bytes));
    draw_reader(r, below(r, 2) == 0);
    r->refused = ND_HOSTILE_OPEN;
    (void)snprintf(r->also, sizeof r->also, "cut off");
}

/* Any bytes: HDF5 does not promise to bear them. */
static void make_bytes(round_state *r, uint64_t seed) {
    (void)seed;
    change_bytes(r, "r0.h5", "h.h5");
    draw_reader(r, below(r, 2) == 0);
    r->can_mislead = true;
}

static void make_index(round_state *r, uint64_t seed) {
    (void)seed;
    static const char *const bases[] = {"i0", "i1", "i2", "i3"};
    static const char *const readers[] = {
        "index info h.index",
        "index info h.index --format json",
        "index check h.index",
        "index check h.index",
        "query h.index",
        "query h.index",
        "partition --progress none b.jsonl --against h.index -o out.h5",
        "partition --progress none b.jsonl c.warc.gz --against h.index --keep-index out.index -o "
        "out.h5",
        "partition --progress none b.jsonl --against h.index --rejoin --keep-index out.index -o "
        "out.h5",
        "partition --progress none c.warc.gz --against h.index --contained .5 --pairs keep -o "
        "out.h5"};
    const char *from = DRAW(r, bases);
    nd_hostile_copy_folder(from, "h.index");
    nd_hostile_folder("h.index", &r->random);
    (void)snprintf(r->also, sizeof r->also, "of %s", from);
    nd_test_say(&r->words, "%s", DRAW(r, readers));
    r->input = "b.jsonl";
    r->can_mislead = true;
}

static void make_work(round_state *r, uint64_t seed) {
    (void)seed;
    const int state = (int)below(r, (uint64_t)work_state_count);
    nd_hostile_copy_folder(work_states[state], "h.work");
    nd_hostile_folder("h.work", &r->random);
    (void)snprintf(r->also, sizeof r->also, "of %s", work_states[state]);
    nd_test_say(
        &r->words,
        "partition --progress none a.jsonl c.warc.gz --pairs keep --contained .5 --work h.work "
        "--resume -o out.h5");
    r->can_mislead = true;
}

static void make_input(round_state *r, uint64_t seed) {
    (void)seed;
    static const char *const bases[] = {"a.jsonl", "c.warc.gz", "d.warc", "e.warc.zst",
                                        "f.wacz",  "g.wacz",    "h.arc",  "i.html"};
    const char *from = DRAW(r, bases);
    (void)snprintf(r->changed, sizeof r->changed, "h%s", strchr(from, '.'));
    change_bytes(r, from, r->changed);
    switch (below(r, 4)) {
    case 0:
        nd_test_say(&r->words, "extract %s -o out.jsonl", r->changed);
        break;
    case 1:
        nd_test_say(&r->words, "plan %s", r->changed);
        break;
    case 2:
        nd_test_say(&r->words, "partition --progress none --strict %s -o out.h5", r->changed);
        break;
    default:
        nd_test_say(&r->words, "partition --progress none b.jsonl x=%s -o out.h5", r->changed);
        break;
    }
    (void)snprintf(r->also, sizeof r->also, "of %s", from);
    r->can_mislead = true;
}

static void make_table(round_state *r, uint64_t seed) {
    (void)seed;
    static const struct {
        const char *base, *line;
    } tables[] = {{"labels.tsv", "evaluate r0.h5 --truth h.tsv"},
                  {"labels.tsv", "evaluate r0.h5 --truth h.tsv --format json --bands"},
                  {"pairs.tsv", "evaluate r0.h5 --truth h.tsv"},
                  {"labels.tsv", "evaluate r0.h5 --truth pairs.tsv --loose h.tsv"},
                  {"labels.tsv", "evaluate r0.h5 --truth labels.tsv --classes h.tsv"},
                  {"labels.tsv", "partition --progress none @h.tsv -o out.h5"},
                  {"b.jsonl", "query i0"}};
    const size_t i = below(r, sizeof tables / sizeof tables[0]);
    change_bytes(r, tables[i].base, "h.tsv");
    nd_test_say(&r->words, "%s", tables[i].line);
    r->input = "h.tsv";
    r->can_mislead = true;
    (void)snprintf(r->also, sizeof r->also, "of %s", tables[i].base);
}

static const struct kind {
    const char *name;
    void (*make)(round_state *r, uint64_t seed);
    unsigned share; /* of the rounds of all kinds */
} kinds[] = {{"result", make_result, 8}, {"cut", make_cut, 1},     {"index", make_index, 8},
             {"work", make_work, 4},     {"input", make_input, 4}, {"table", make_table, 2},
             {"bytes", make_bytes, 0},   {"each", make_each, 0}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- what has to hold */

/* Lines that a terminal can be given. \return their number; -1: they cannot */
static int count_lines(nd_span text) {
    int lines = 0;
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t byte = text.data[i];
        if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f ||
            (byte == 0xc2 && i + 1 < text.size && text.data[i + 1] < 0xa0)) {
            return -1;
        }
        lines += byte == '\n';
    }
    return lines;
}

static const char *find_wrong(const round_state *r, int code, nd_span out, nd_span errors) {
    const char *command = r->words.word[0];
    const bool checks = strcmp(command, "check") == 0;
    const bool runs = strcmp(command, "partition") == 0;
    bool goes_on = runs || strcmp(command, "extract") == 0; /* after what it names */
    bool reads = runs || strcmp(command, "extract") == 0 || strcmp(command, "query") == 0;
    for (int i = 0; i < r->words.count; i++) {
        goes_on = goes_on || strcmp(r->words.word[i], "--text") == 0;
        reads = reads || strcmp(r->words.word[i], "cdxj") == 0; /* it reads records again */
    }
    const int lines = count_lines(errors);
    const char *text = (const char *)errors.data;
    return code < 0 || code > 3                             ? "exit code"
           : code == 2 && !r->can_mislead                   ? "exit code 2"
           : code == 3 && !reads                            ? "exit code 3"
           : lines < 0                                      ? "control characters on stderr"
           : count_lines(out) < 0                           ? "control characters on stdout"
           : strstr(text, "out of memory") != NULL          ? "out of memory"
           : strstr(text, "mistake of the program") != NULL ? "a contract"
           : (code == 1 || code == 2) && lines != 1 && !(checks && lines == 0) && !goes_on
               ? "not one line"
           : code == 1 && lines == 0 && !checks                    ? "no line"
           : r->refused != ND_HOSTILE_MAYBE && code == 0           ? "it is not refused"
           : H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) > 0 ? "left open"
                                                                   : NULL;
}

static void remove_made(void) {
    static const char *const made[] = {
        "h.h5",    "h.index",        "h.work",           "h.tsv",      "out",
        "out.h5",  "out.index",      "out.json",         "out.html",   "out.jsonl",
        "h.jsonl", "h.warc.gz",      "h.warc",           "h.warc.zst", "h.wacz",
        "h.html",  "out.h5.partial", "out.index.partial"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        (void)nd_test_remove(made[i]);
    }
}

static void describe(const round_state *r, const char *kind, uint64_t seed) {
    size_t used = 0;
    char *to = told->what;
    used += (size_t)snprintf(to, sizeof told->what, "--seed %llu --rounds 1 %s (%s): neardup",
                             (unsigned long long)seed, kind, r->also);
    for (int i = 0; i < r->words.count && used < sizeof told->what - 1; i++) {
        used += (size_t)snprintf(to + used, sizeof told->what - used, " %s", r->words.word[i]);
    }
}

static void play(const struct kind *kind, uint64_t seed) {
    round_state r = {.random = {nd_mix64(seed)}};
    remove_made();
    told->seed = seed;
    (void)snprintf(told->what, sizeof told->what, "--seed %llu --rounds 1 %s: making it",
                   (unsigned long long)seed, kind->name);
    kind->make(&r, seed);
    describe(&r, kind->name, seed);
    (void)alarm(LIMIT);
    const int code = nd_test_call(&r.words, r.input);
    (void)alarm(0);
    ND_OWNED(nd_buffer_free) nd_buffer out = nd_test_printed(1);
    if (code == ND_EXIT_STOPPED) { /* by a signal: it was for all of this */
        (void)kill(getppid(), SIGTERM);
        _exit(0);
    }
    ND_OWNED(nd_buffer_free) nd_buffer errors = nd_test_printed(2);
    const char *wrong = find_wrong(&r, code, nd_buffer_span(&out), nd_buffer_span(&errors));
    if (wrong != NULL || getenv("HOSTILE_SHOW") != NULL) {
        told->finds += wrong != NULL;
        (void)printf("%s: %s: exit code %d: %.1500s\n", told->what, wrong, code,
                     (const char *)errors.data);
        (void)fflush(stdout);
    }
    told->refused += code == 1;
}

/* ---- processes */

/* \return NULL if there is none of that name */
static const struct kind *find_kind(const char *name) {
    int i = 0;
    while (i < KINDS && strcmp(kinds[i].name, name) != 0) {
        i++;
    }
    return i < KINDS ? &kinds[i] : NULL;
}

static const struct kind *draw_kind(uint64_t seed, uint64_t first, char **names, int count) {
    nd_random random = {seed};
    if (count == 0 && seed - first < 5 * nd_hostile_kind_count) {
        return &kinds[KINDS - 1];
    }
    if (count > 0) {
        return find_kind(names[nd_random_below(&random, (uint64_t)count)]);
    }
    unsigned sum = 0;
    for (int i = 0; i < KINDS; i++) {
        sum += kinds[i].share;
    }
    uint64_t at = nd_random_below(&random, sum);
    int i = 0;
    while (at >= kinds[i].share) {
        at -= kinds[i++].share;
    }
    return &kinds[i];
}

/* Of what a process said that ended: the lines that say why, and where in the program. */
static void print_reasons(nd_span text) {
    enum { MOST_FRAMES = 16 };
    int frames = 0;
    const char *at = (const char *)text.data;
    while (*at != '\0') {
        const int size = (int)strcspn(at, "\n");
        char line[1024];
        (void)snprintf(line, sizeof line, "%.*s", size, at);
        const bool frame = strstr(line, "    #") == line;
        frames += frame;
        if ((frame && frames <= MOST_FRAMES) || strstr(line, "ERROR") != NULL ||
            strstr(line, "runtime error") != NULL || strncmp(line, "neardup", 7) == 0) {
            (void)printf("    %s\n", line);
        }
        at += size + (at[size] == '\n');
    }
}

/* Rounds from `seed` on, in a process of their own. \return how many came to their end */
static uint64_t play_some(uint64_t seed, uint64_t first, uint64_t rounds, char **names, int count) {
    told->done = 0;
    (void)fflush(NULL);
    const pid_t process = fork();
    if (process == 0) {
        for (; told->done < rounds; told->done++) {
            const uint64_t one = seed + told->done;
            play(draw_kind(one, first, names, count), one);
        }
        _exit(0);
    }
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) {
        ND_OWNED(nd_buffer_free) nd_buffer errors = nd_test_printed(2);
        told->finds++;
        (void)printf("%s: %s %d\n", told->what,
                     WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs, signal"
                     : WIFSIGNALED(status)                              ? "signal"
                                                                        : "ended, exit code",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        print_reasons(nd_buffer_span(&errors));
        told->done++;
    }
    return told->done;
}

static void set_up(void) {
    told = mmap(NULL, sizeof *told + sizeof work_states + sizeof work_state_count,
                PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    nd_test_must(told != MAP_FAILED ? ND_OK : ND_ERR_MEMORY);
    char *states = (char *)(told + 1);
    nd_test_call_open();
    /* not that of the test programs, which goes with each process that ends by exit() */
    nd_test_must(mkdtemp(folder) != NULL && chdir(folder) == 0 ? ND_OK : ND_ERR_IO);
    (void)setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    (void)setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
    (void)setenv("OMPI_MCA_btl", "self", 0);
    (void)setenv("OMPI_MCA_opal_signal", "", 1); /* its report of a signal is longer than ours */
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    (void)fflush(NULL);
    const pid_t process = fork();
    if (process == 0) {
        make_bases();
        memcpy(states, work_states, sizeof work_states);
        memcpy(states + sizeof work_states, &work_state_count, sizeof work_state_count);
        _exit(0);
    }
    int status = 0;
    if (waitpid(process, &status, 0) < 0 || status != 0) {
        nd_buffer errors = nd_test_printed(2);
        (void)fprintf(stderr, "hostile: the files cannot be made: %s\n", (const char *)errors.data);
        exit(2);
    }
    memcpy(work_states, states, sizeof work_states);
    memcpy(&work_state_count, states + sizeof work_states, sizeof work_state_count);
}

int main(int argc, char **argv) {
    uint64_t rounds = (uint64_t)nd_test_rounds(3200);
    uint64_t seconds = 0;
    uint64_t seed = 1;
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        uint64_t *const to = strcmp(argv[i], "--rounds") == 0    ? &rounds
                             : strcmp(argv[i], "--seconds") == 0 ? &seconds
                             : strcmp(argv[i], "--seed") == 0    ? &seed
                                                                 : NULL;
        if (to == NULL) {
            (void)fprintf(stderr,
                          "usage: hostile [--rounds N] [--seconds S] [--seed N] [KIND...]\n");
            return 2;
        }
        *to = strtoull(argv[i + 1], NULL, 10);
    }
    for (int k = i; k < argc; k++) {
        if (find_kind(argv[k]) == NULL) {
            (void)fprintf(stderr, "hostile: no kind %s\n", argv[k]);
            return 2;
        }
    }
    set_up();
    const time_t start = time(NULL); /* of the rounds: under sanitizers good files take a minute */
    uint64_t done = 0;
    while (told->finds < MOST_FINDS &&
           (seconds > 0 ? (uint64_t)(time(NULL) - start) < seconds : done < rounds)) {
        const uint64_t left = seconds > 0 || rounds - done > AT_ONCE ? AT_ONCE : rounds - done;
        done += play_some(seed + done, seed, left, argv + i, argc - i);
    }
    (void)nd_test_remove(folder);
    (void)printf("%llu inputs from seed %llu, %llu refused, %llu finds, %ld s\n",
                 (unsigned long long)done, (unsigned long long)seed,
                 (unsigned long long)told->refused, (unsigned long long)told->finds,
                 (long)(time(NULL) - start));
    if (done == 0) {
        (void)fprintf(stderr, "hostile: no input was tried\n");
        return 1;
    }
    return told->finds > 0 ? 1 : 0;
}
