#include "mpi/job/job.h"

#include "src/base/util.h"
#include "src/method/method.h"
#include "src/sets/candidates.h"

#include <json-c/json.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- memory */

/* Shares are parts of this many of what is left above the base: sorts 3 x 5, spools 5 x 1, batch 8,
 * rounds 4 x 1. The pages have the rest, and what the others do not want. */
enum { PARTS = 64, SORTS = 3, SORT = 5, SPOOLS = 5, SPOOL = 1, BATCH = 8, ROUNDS = 4, ROUND = 1 };

/* Larger runs gain a sort nothing: merging more of them costs less than sorting far from the cache.
 */
static const uint64_t LARGEST_SORT = UINT64_C(512) << 20;

/* Larger batches gain nothing either: their memory is used again from one to the next. */
static const uint64_t LARGEST_BATCH = UINT64_C(256) << 20;

/* What goes through rounds is written and read a few times in each: from there on messages are as
 * large as they need to be, and memory is used again that the kernel need not give anew. */
static const uint64_t LARGEST_ROUND = UINT64_C(16) << 20;

nd_memory nd_memory_shares(uint64_t total) {
    const uint64_t base = ND_MEMORY_BASE;
    const uint64_t part = (total > 2 * base ? total - base : total / 2) / PARTS;
    nd_memory m = {.total = total,
                   .sort = nd_min(SORT * part, LARGEST_SORT),
                   .spool = SPOOL * part,
                   .batch = nd_min(BATCH * part, LARGEST_BATCH),
                   .round = nd_min(ROUND * part, LARGEST_ROUND)};
    m.store = PARTS * part - SORTS * m.sort - SPOOLS * m.spool - m.batch - ROUNDS * m.round;
    return m;
}

/* The limit of a control group; 0: none, or no such file. */
static uint64_t limit_in(const char *folder, const char *file) {
    char path[1024];
    unsigned long long bytes = 0;
    (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", folder, file);
    FILE *limit = fopen(path, "r");
    if (limit == NULL) {
        return 0;
    }
    if (fscanf(limit, "%llu", &bytes) != 1) { /* "max" */
        bytes = 0;
    }
    (void)fclose(limit);
    return bytes;
}

/* 0 is no limit. */
static uint64_t smaller_limit(uint64_t a, uint64_t b) {
    return a == 0 || b == 0 ? nd_max(a, b) : nd_min(a, b);
}

uint64_t nd_memory_of_node(void) {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_size = sysconf(_SC_PAGESIZE);
    uint64_t bytes = pages > 0 && page_size > 0 ? (uint64_t)pages * (uint64_t)page_size : 0;
    /* Slurm says what the job may use of each node, or for each CPU, in MiB */
    const char *per_node = getenv("SLURM_MEM_PER_NODE");
    const char *per_cpu = getenv("SLURM_MEM_PER_CPU");
    const char *cpus = getenv("SLURM_CPUS_ON_NODE");
    uint64_t mebibytes = 0;
    if (per_node != NULL) {
        mebibytes = strtoull(per_node, NULL, 10);
    } else if (per_cpu != NULL && cpus != NULL) {
        mebibytes = strtoull(per_cpu, NULL, 10) * strtoull(cpus, NULL, 10);
    }
    bytes = smaller_limit(bytes, mebibytes << 20);

    /* this process's control groups, versions 1 and 2, each with all that it lies in */
    char line[512];
    FILE *groups = fopen("/proc/self/cgroup", "r");
    bytes = smaller_limit(bytes, limit_in("/memory", "memory.limit_in_bytes"));
    while (groups != NULL && fgets(line, sizeof line, groups) != NULL) {
        char *folder = strncmp(line, "0::", 3) == 0 ? line + 3 : NULL;
        for (size_t size = folder == NULL ? 0 : strcspn(folder, "\n"); folder != NULL; size--) {
            if (size == 0 || folder[size] == '/' || folder[size] == '\n') {
                folder[size] = '\0';
                bytes = smaller_limit(bytes, limit_in(folder, "memory.max"));
            }
            if (size == 0) {
                break;
            }
        }
    }
    if (groups != NULL) {
        (void)fclose(groups);
    }
    return bytes;
}

uint64_t nd_memory_default(int ranks_on_node) {
    /* a fifth is left to the system and to the page cache that spilled data lives by */
    return nd_memory_of_node() / 5 * 4 / (uint64_t)(ranks_on_node < 1 ? 1 : ranks_on_node);
}

void nd_memory_give_back(const nd_memory *memory) {
#ifdef __GLIBC__
    const long page_size = sysconf(_SC_PAGESIZE);
    unsigned long long resident = 0;
    FILE *pages = fopen("/proc/self/statm", "r");
    if (pages == NULL || page_size <= 0 || fscanf(pages, "%*u %llu", &resident) != 1 ||
        resident * (unsigned long long)page_size > memory->total / 2) {
        (void)malloc_trim(0);
    }
    if (pages != NULL) {
        (void)fclose(pages);
    }
#else
    (void)memory;
#endif
}

/* ---- the state */

/* What a processor's cache holds. */
enum { COMPARED_ALONE = 8 << 20 };

uint64_t nd_job_compared_bytes(const nd_job *job) {
    const uint64_t batch = job->options.memory.batch;
    return job->comm.size > 1 ? batch : nd_min(batch, COMPARED_ALONE);
}

uint64_t nd_job_own_first(const nd_job *job) {
    return job->first[job->comm.rank];
}

nd_shuffle_stream nd_job_sort_at_owners(nd_job *job, nd_external_sort *sorted, size_t record_size,
                                        const nd_record_order *order, nd_owner owner) {
    nd_external_sort_open(sorted, &job->folder, record_size, order, job->options.memory.sort);
    return (nd_shuffle_stream){.comm = &job->comm,
                               .record_size = record_size,
                               .owner = owner,
                               .owner_context = job->first,
                               .sink = nd_shuffle_into_sort,
                               .sink_context = sorted};
}

/* ---- options as a table */

#define AT(field) offsetof(nd_job_options, field)

/* Words stand in the order of their enums: nd_transitivity, nd_progress_mode. The presets default,
 * safe and pku: measured on labelled pages, see scripts/README.md; Huang, Wang and Li, CIKM 2008,
 * see src/README.md. */
const nd_option nd_job_option_table[] = {
    {.help = "What of a page is compared"},
    {"navigation", "drop|keep", ND_OPTION_SWITCH, AT(content.navigation),
     .help = "nav, footer, aside, search, dialog, select and button elements; if half the text is "
             "inside main, everything outside it too",
     .kept = ND_KEPT_IN_RESULT, .preset = {1, 1, 0}},
    {"links", "drop|keep", ND_OPTION_SWITCH, AT(content.links),
     .help = "short blocks that are mostly links", .kept = ND_KEPT_IN_RESULT, .preset = {1, 1, 0}},
    /* From 200 pages on more gain nothing; a sample is held by one rank. */
    {"templates", "N", ND_OPTION_NUMBER, AT(content.sample),
     .help = "find each site's template in a sample of N pages, and drop it; 0: keep templates",
     .kept = ND_KEPT_IN_RESULT, .preset = {1000, 1000, 0}},
    {"site", "domain|host", ND_OPTION_SWITCH, AT(content.by_domain),
     .help = "what counts as a site: the host in the URL, or its registered domain",
     .kept = ND_KEPT_IN_RESULT},
    /* On so few pages, what three classes share says as much as what four share elsewhere. */
    {"small-site", "N", ND_OPTION_NUMBER, AT(content.templates.small_site),
     .help = "on sites with up to N pages three classes make a template, not four", .rare = true,
     .kept = ND_KEPT_IN_RESULT, .preset = {8, 8, 0}},
    /* A page with less text is distinguished by its links, if at all. */
    {"link-tokens", "N", ND_OPTION_NUMBER, AT(content.link_tokens),
     .help = "a page with fewer tokens left, or an index page, gets back links that its site does "
             "not repeat; 0: none does",
     .rare = true, .kept = ND_KEPT_IN_RESULT, .preset = {200, 200, 0}},

    {.help = "How pairs become sets"},
    {"transitivity", "verified|bounded|full", ND_OPTION_WORD, AT(transitivity),
     .help = "verified: components of verified pairs. bounded: the paper's sorted representatives, "
             "inside components whose pairs pass the exact bounds. full: the same, inside "
             "components with shared fingerprints",
     .rare = true, .kept = ND_KEPT_IN_RESULT,
     .preset = {ND_TRANSITIVITY_VERIFIED, ND_TRANSITIVITY_VERIFIED, ND_TRANSITIVITY_FULL}},
    {"slack", "X", ND_OPTION_REAL, AT(slack),
     .help = "verified: every page has at least the threshold less X to its set's representative; "
             "0: no such check, so sets may be chains",
     .old = "guard", .kept = ND_KEPT_IN_RESULT, .preset = {.15, .15, 0}, .given = AT(own_slack)},
    {"group-pairs", "N", ND_OPTION_NUMBER, AT(group_pairs),
     .help = "pages that share a key are all candidates if there are at most N; in larger groups "
             "only the 8 next in length",
     .rare = true, .kept = ND_KEPT_IN_RESULT,
     .preset = {ND_GROUP_ALL_PAIRS, ND_GROUP_ALL_PAIRS, ND_GROUP_ALL_PAIRS}, .bounded = true,
     .least = 2, .most = ND_GROUP_RUN},
    /* The paper's perhaps-similar sets are "not too large": pages compared on one rank. */
    {"set-cap", "N", ND_OPTION_NUMBER, AT(set_cap),
     .help = "bounded, full: most pages in a component. A larger one is reported and cut: first "
             "where no rare key joins it, then by length",
     .rare = true, .kept = ND_KEPT_IN_RESULT, .preset = {4096, 4096, 4096}, .bounded = true,
     .least = 2},
    {"record-pages", "split|join", ND_OPTION_SWITCH, AT(split_records),
     .help = "a large set on one site with hardly any nearly identical pages is one template with "
             "many records: split its pages up, or let them join",
     .kept = ND_KEPT_IN_RESULT, .preset = {1, 1, 0}},
    {"forms", "apart|together", ND_OPTION_SWITCH, AT(split_records),
     .help = "--record-pages split|join", .hidden = true},
    {"thin", "apart|copies", ND_OPTION_SWITCH, AT(thin_apart),
     .help = "thin pages (see --sentence-tokens) each make a set alone, or share one with equal "
             "texts: two frames that say \"Loading\" are no copies",
     .kept = ND_KEPT_IN_RESULT, .preset = {0, 1, 0}},
    {"min-confidence", "X", ND_OPTION_REAL, AT(min_confidence),
     .help =
         "a page leaves its set if it belongs there with a probability below X "
         "(/pages/certainty); 0: none leaves. .5 for the default's method and score, for which it "
         "was measured",
     .old = "certain", .kept = ND_KEPT_IN_RESULT, .preset = {.5, .99, .5},
     .given = AT(own_min_confidence)},
    {"pairs", "keep|drop", ND_OPTION_SWITCH, AT(keep_pairs),
     .help = "verified: the result holds every pair that the method calls similar. Equal pages are "
             "compared once",
     .kept = ND_KEPT_IN_RESULT},
    {"contained", "T", ND_OPTION_REAL, AT(contained),
     .help = "also report pages contained in pages from other sets: a share T (0 to 1) of their "
             "tokens stands there, in order. Sets do not change; 0: no search",
     .kept = ND_KEPT_IN_RESULT, .bounded = true, .most = 1},
    {"contained-query", "NAME", ND_OPTION_TEXT, AT(contained_query),
     .help = "look for pages in this collection alone (NAME=INPUT), inside all others: test items "
             "in a crawl",
     .old = "contained-of", .kept = ND_KEPT_IN_WORK},

    {.help = "How inputs are read"},
    {"hash-seed", "N", ND_OPTION_NUMBER, AT(hash_seed),
     .help = "seed for the hashes that compare texts and words. Whoever knows it can write pages "
             "that collide. 0: derived from all input bytes, or taken from --index. It is kept in "
             "the result's parameters",
     .rare = true, .kept = ND_KEPT_IN_RESULT},
    {"jsonl-text", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_text),
     .help = "field with a JSONL page's text (text): a name, or doc.text or /doc/text inside",
     .kept = ND_KEPT_IN_WORK, .brief = "the field of JSONL that is the text (text)"},
    {"jsonl-id", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_id), .help = "field with its id (id)",
     .rare = true, .kept = ND_KEPT_IN_WORK},
    {"jsonl-url", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_url), .help = "field with its URL (url)",
     .kept = ND_KEPT_IN_WORK, .brief = "the field that is the URL (url)"},
    {"jsonl-html", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_html),
     .help = "field with its HTML (html)", .rare = true, .kept = ND_KEPT_IN_WORK},
    {"jsonl-date", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_date),
     .help = "field with its capture date (none): ISO 8601, or seconds since 1970", .rare = true,
     .kept = ND_KEPT_IN_WORK},
    {"max-page", "SIZE", ND_OPTION_SIZE, AT(reader.max_page_bytes),
     .help = "longer pages are skipped (128M, or a twelfth of --memory if that is less)",
     .rare = true, .kept = ND_KEPT_IN_WORK},
    {"max-expansion", "N", ND_OPTION_NUMBER, AT(reader.max_expansion),
     .help = "pages above 1M that unpack to more than N times their stored bytes are skipped (200)",
     .rare = true, .kept = ND_KEPT_IN_WORK},
    {"dedup-inputs", NULL, ND_OPTION_FLAG, AT(dedup_inputs),
     .help = "leave out an input file with the same bytes as another in its collection; one file "
             "under two names is always read once",
     .rare = true},
    {"same-content", "skip|keep", ND_OPTION_SWITCH, AT(dedup_inputs), .help = "--dedup-inputs",
     .hidden = true},
    {"split-size", "SIZE", ND_OPTION_SIZE, AT(split_size),
     .help = "inputs are read in pieces of this size (chosen)", .rare = true, .old = "unit"},

    {.help = "Across crawls"},
    {"index", "INDEX", ND_OPTION_TEXT, AT(index),
     .help = "add to earlier runs, as --write-index kept them: new pages join existing sets or "
             "open new ones, and existing sets keep their pages. The result has all pages, the "
             "index's first. Options must equal the index's",
     .old = "against", .kept = ND_KEPT_IN_WORK, .brief = "add new pages to those of earlier runs"},
    {"recluster", NULL, ND_OPTION_FLAG, AT(recluster),
     .help = "make all sets anew from old and new pairs, as one run over everything would. Indexed "
             "pages may change sets, and sets may change numbers",
     .old = "rejoin"},
    {"reread", NULL, ND_OPTION_FLAG, AT(reread),
     .help = "read the earlier inputs again, unchanged, before the new ones. The result equals one "
             "run over everything, templates too, and takes as long"},
    {"write-index", "INDEX", ND_OPTION_TEXT, AT(write_index),
     .help =
         "write a folder with what a later run with --index needs; it appears when it is complete",
     .old = "keep-index", .kept = ND_KEPT_IN_WORK,
     .brief = "keep what a later run with --index needs"},
    {"index-texts", "inputs|inside", ND_OPTION_SWITCH, AT(texts_in_inputs),
     .help = "inside: the index holds the compared texts. inputs: it does not, and is a fifth as "
             "large; later runs read those texts from the inputs, which must stay unchanged",
     .rare = true, .kept = ND_KEPT_IN_WORK},

    {.help = "How it runs"},
    {"work", "DIR", ND_OPTION_TEXT, AT(work),
     .help = "keep checkpoints in DIR, which all ranks must see; it is removed when the result is "
             "there. SIGTERM, SIGUSR1 and Ctrl-C then end the job at the next checkpoint, a second "
             "Ctrl-C at once. Under mpirun, use kill -USR1 MPIRUN'S-PID: after Ctrl-C or TERM it "
             "gives ranks one second, unless started with --mca odls_base_sigkill_timeout 600. "
             "Without --work, what outgrows memory goes to OUT.h5.spill, and nothing is kept",
     .brief = "keep checkpoints in DIR until the result is there"},
    {"local-tmp", "DIR", ND_OPTION_TEXT, AT(local_tmp),
     .help =
         "what outgrows memory, but no checkpoint keeps, goes to DIR on each node's own disk "
         "(as $SLURM_TMPDIR), not to the work folder or OUT.h5.spill. It is removed at the end; "
         "what a killed run left there, when the same output is made from that node",
     .brief = "a disk of each node for what outgrows memory"},
    {"resume", NULL, ND_OPTION_FLAG, AT(resume),
     .help = "continue from the checkpoints in DIR, if there are any, on any number of ranks",
     .brief = "go on from the checkpoints in DIR"},
    {"checkpoint", "SECONDS", ND_OPTION_REAL, AT(checkpoint_seconds),
     .help = "most seconds between checkpoints while reading and comparing", .rare = true,
     .bounded = true},
    {"no-disk-check", NULL, ND_OPTION_FLAG, AT(no_disk_check),
     .help = "also start a run that cannot fit on the disk", .rare = true},
    {"space", "ignore|check", ND_OPTION_SWITCH, AT(no_disk_check), .help = "--no-disk-check",
     .hidden = true},
    {"progress", "none|lines|bar|auto", ND_OPTION_WORD, AT(progress),
     .help = "what is shown while it runs; auto: bar on a terminal, else lines",
     .brief = "what is shown while it runs (auto)"},
    {0},
};

/* ---- options as text */

/* Add `"link_tokens":50,` to the text. */
static void print_option(const nd_option *option, const void *options, char *text, size_t size) {
    char room[ND_OPTION_TEXT_SIZE];
    char name[ND_OPTION_TEXT_SIZE];
    const char *value = nd_option_print(option, options, room);
    const char *quote = nd_option_is_number(option) ? "" : "\"";
    const size_t used = strlen(text);
    nd_option_parameter(option, name);
    (void)snprintf(text + used, size - used, "\"%s\":%s%s%s,", name, quote, value, quote);
}

void nd_print_parameters(const nd_job_options *o, char *text, size_t size) {
    (void)snprintf(text, size, "{\"method\":\"%s\",", o->method->name);
    for (const nd_option *option = nd_method_option_table; option->help != NULL; option++) {
        if (option->name != NULL && nd_method_uses(o->method, option)) {
            print_option(option, &o->method_options, text, size);
        }
    }
    for (const nd_option *option = nd_job_option_table; option->help != NULL; option++) {
        if (option->kept == ND_KEPT_IN_RESULT) {
            print_option(option, o, text, size);
        }
    }
    text[strlen(text) - 1] = '}'; /* for the last comma */
}

static nd_status set_parameter(const char *path, const char *name, const char *text,
                               nd_job_options *o) {
    const nd_option *option = nd_option_of_parameter(nd_method_option_table, name);
    if (option != NULL) {
        return nd_option_set(option, text, &o->method_options);
    }
    option = nd_option_of_parameter(nd_job_option_table, name);
    if (option != NULL && option->kept == ND_KEPT_IN_RESULT) {
        return nd_option_set(option, text, o);
    }
    return strcmp(name, "method") == 0 /* read before all others */
               ? ND_OK
               : nd_fail(ND_ERR_FORMAT, "%s: parameter %s (%s) is not known", path, name, text);
}

nd_status nd_read_parameters(const char *path, const char *text, nd_job_options *options) {
    nd_status st = ND_OK;
    json_object *parameters = json_tokener_parse(text);
    json_object *method = NULL;
    (void)json_object_object_get_ex(parameters, "method", &method);
    const char *name =
        json_object_is_type(method, json_type_string) ? json_object_get_string(method) : NULL;
    options->method = name != NULL ? nd_method_find(name) : NULL;
    if (options->method == NULL) {
        st = nd_fail(ND_ERR_FORMAT, "%s: its parameters name no method: %s", path, text);
        goto out;
    }
    options->method_options = nd_method_default_options();
    options->content.templates = ND_TEMPLATE_DEFAULTS;
    nd_method_set_defaults(options->method, &options->method_options);
    options->method_options.names = 0; /* what a result does not have it did not ask */
    json_object_object_foreach(parameters, parameter, value) {
        if (value == NULL || json_object_is_type(value, json_type_object) ||
            json_object_is_type(value, json_type_array)) {
            st = nd_fail(ND_ERR_FORMAT, "%s: its parameter %s has no value", path, parameter);
            goto out;
        }
        ND_TRY(set_parameter(path, parameter, json_object_get_string(value), options));
    }
    ND_TRY(nd_method_derive(options->method, &options->method_options));
out:
    (void)json_object_put(parameters);
    return st;
}
