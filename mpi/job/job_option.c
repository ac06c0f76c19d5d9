#include "mpi/job/job_option.h"

#define AT(field) offsetof(nd_job_options, field)

/* Words stand in the order of their enums: nd_transitivity, nd_progress_mode. */
const nd_option nd_job_option_table[] = {
    {.help = "What of a page is compared"},
    {"navigation", "drop|keep", ND_OPTION_SWITCH, AT(content.navigation),
     .help = "nav, footer, aside, search, dialog, select, button; what stands outside main, where "
             "half is left",
     .kept = ND_KEPT_IN_RESULT},
    {"links", "drop|keep", ND_OPTION_SWITCH, AT(content.links),
     .help = "short blocks that are mostly links", .kept = ND_KEPT_IN_RESULT},
    {"templates", "N", ND_OPTION_NUMBER, AT(content.sample),
     .help = "find a site's template by a sample of N of its pages, and drop it; 0: keep templates",
     .kept = ND_KEPT_IN_RESULT},
    {"site", "domain|host", ND_OPTION_SWITCH, AT(content.by_domain),
     .help = "what a site is: the URL's registered domain or its host", .kept = ND_KEPT_IN_RESULT},
    {"small-site", "N", ND_OPTION_NUMBER, AT(content.templates.small_site),
     .help = "on sites of up to N pages 3 classes make a template, not 4", .rare = true,
     .kept = ND_KEPT_IN_RESULT},
    {"link-tokens", "N", ND_OPTION_NUMBER, AT(content.link_tokens),
     .help = "a page with fewer tokens left, or an index page, gets back the links that its site "
             "does not repeat; 0: none does",
     .rare = true, .kept = ND_KEPT_IN_RESULT},

    {.help = "How pairs become sets"},
    {"transitivity", "verified|bounded|full", ND_OPTION_WORD, AT(transitivity),
     .help = "components of verified pairs; the paper's sorted leaders inside components of pairs "
             "that pass the exact bounds; the same inside components of shared fingerprints",
     .rare = true, .kept = ND_KEPT_IN_RESULT},
    {"slack", "X", ND_OPTION_REAL, AT(guard),
     .help = "verified: every page of a set has at least the threshold less X to the set's "
             "representative; 0: not asked, so sets may be chains",
     .old = "guard", .kept = ND_KEPT_IN_RESULT, .given = AT(own_guard)},
    {"group-pairs", "N", ND_OPTION_NUMBER, AT(group_pairs),
     .help = "all pages that share a key are candidates where they are at most N; in larger groups "
             "the 8 next by length",
     .rare = true, .kept = ND_KEPT_IN_RESULT, .bounded = true, .least = 2, .most = ND_GROUP_RUN},
    {"set-cap", "N", ND_OPTION_NUMBER, AT(set_cap),
     .help = "bounded, full: most pages of a component; a larger one is cut where rare keys do not "
             "join it, then by length, and that is reported",
     .rare = true, .kept = ND_KEPT_IN_RESULT, .bounded = true, .least = 2},
    {"record-pages", "split|join", ND_OPTION_SWITCH, AT(forms_apart),
     .help =
         "a set of many pages of one site, hardly any two of which are nearly identical, is one "
         "template filled with other records: its pages are split up, or stay together",
     .kept = ND_KEPT_IN_RESULT},
    {"forms", "apart|together", ND_OPTION_SWITCH, AT(forms_apart),
     .help = "--record-pages split|join", .hidden = true},
    {"thin", "apart|copies", ND_OPTION_SWITCH, AT(thin_apart),
     .help = "thin pages (see --sentence-tokens) are each a set of their own, or share one with "
             "pages of equal text: a frame that says \"Loading\" is no copy of another",
     .kept = ND_KEPT_IN_RESULT},
    {"min-confidence", "X", ND_OPTION_REAL, AT(certain),
     .help = "a page leaves its set if the probability that it belongs there is below X "
             "(/pages/certainty); 0: none does",
     .old = "certain", .kept = ND_KEPT_IN_RESULT, .given = AT(own_certain)},
    {"pairs", "keep|drop", ND_OPTION_SWITCH, AT(keep_pairs),
     .help = "verified: the result holds all pairs that the method calls similar, of pages of "
             "different contents: equal ones are compared once",
     .kept = ND_KEPT_IN_RESULT},
    {"contained", "T", ND_OPTION_REAL, AT(contained),
     .help =
         "the result says which pages are contained in pages of other sets: T (0 to 1) of their "
         "tokens stand there, in order; sets stay as they are; 0: it does not",
     .kept = ND_KEPT_IN_RESULT, .bounded = true, .most = 1},
    {"contained-query", "NAME", ND_OPTION_TEXT, AT(contained_of),
     .help = "only pages of this collection (NAME=INPUT) are looked for, and in the others: the "
             "items of a test in a crawl",
     .old = "contained-of", .kept = ND_KEPT_IN_WORK},

    {.help = "How inputs are read"},
    {"hash-seed", "N", ND_OPTION_NUMBER, AT(hash_seed),
     .help = "seed of the hashes by which texts and words are compared, so that nobody can write "
             "pages that collide: whoever knows it can. 0: it follows from the bytes of all "
             "inputs, or with --index it is the index's. The result's parameters have it",
     .rare = true, .kept = ND_KEPT_IN_RESULT},
    {"jsonl-text", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_text),
     .help = "the text of a page in a JSONL line (text): a name, or doc.text or /doc/text inside",
     .kept = ND_KEPT_IN_WORK, .brief = "the field of JSONL that is the text (text)"},
    {"jsonl-id", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_id), .help = "likewise, its id (id)",
     .rare = true, .kept = ND_KEPT_IN_WORK},
    {"jsonl-url", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_url), .help = "likewise, its URL (url)",
     .kept = ND_KEPT_IN_WORK, .brief = "the field that is the URL (url)"},
    {"jsonl-html", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_html),
     .help = "likewise, its HTML (html)", .rare = true, .kept = ND_KEPT_IN_WORK},
    {"jsonl-date", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_date),
     .help = "likewise, the date of its capture (none): ISO 8601 or seconds since 1970",
     .rare = true, .kept = ND_KEPT_IN_WORK},
    {"max-page", "SIZE", ND_OPTION_SIZE, AT(reader.max_page_bytes),
     .help = "longer pages are skipped (128M, or a twelfth of --memory if that is less)",
     .rare = true, .kept = ND_KEPT_IN_WORK},
    {"max-expansion", "N", ND_OPTION_NUMBER, AT(reader.max_expansion),
     .help = "pages of more than 1M that unpack to more than N times their bytes are skipped (200)",
     .rare = true, .kept = ND_KEPT_IN_WORK},
    {"dedup-inputs", NULL, ND_OPTION_FLAG, AT(skip_copies),
     .help = "leave out input files with the same bytes as another file of their collection; the "
             "same file under two names is always read once",
     .rare = true},
    {"same-content", "skip|keep", ND_OPTION_SWITCH, AT(skip_copies), .help = "--dedup-inputs",
     .hidden = true},
    {"split-size", "SIZE", ND_OPTION_SIZE, AT(unit_bytes),
     .help = "inputs are read in pieces of this size (chosen)", .rare = true, .old = "unit"},

    {.help = "Across crawls"},
    {"index", "INDEX", ND_OPTION_TEXT, AT(against),
     .help = "the pages of earlier runs, as --write-index has kept them: new pages join their sets "
             "or open new ones; existing sets keep their pages. The result has all pages, the "
             "index's first. Options have to be those of the index",
     .old = "against", .kept = ND_KEPT_IN_WORK, .brief = "add new pages to those of earlier runs"},
    {"recluster", NULL, ND_OPTION_FLAG, AT(rejoin),
     .help = "make all sets anew from the pairs of earlier runs and the new ones, as one run over "
             "all would: pages of the index may change their sets, and sets their numbers",
     .old = "rejoin"},
    {"reread", NULL, ND_OPTION_FLAG, AT(reread),
     .help = "read the inputs of earlier runs again, which have to be as they were, before the new "
             "ones: all is what one run over all of them makes, templates too, and takes as long"},
    {"write-index", "INDEX", ND_OPTION_TEXT, AT(keep_index),
     .help = "make a folder with what a later run with --index needs from all pages; it appears "
             "when it is complete",
     .old = "keep-index", .kept = ND_KEPT_IN_WORK,
     .brief = "keep what a later run with --index needs"},
    {"index-texts", "inputs|inside", ND_OPTION_SWITCH, AT(texts_in_inputs),
     .help = "what is compared of this run's pages is kept in the index, or in the inputs alone: "
             "an index a fifth as large, with which later runs read those old pages again that "
             "they compare, and need all inputs unchanged",
     .rare = true, .kept = ND_KEPT_IN_WORK},

    {.help = "How it runs"},
    {"work", "DIR", ND_OPTION_TEXT, AT(work),
     .help = "keep checkpoints in DIR, which all ranks must see; it is removed when the result is "
             "there. SIGTERM, SIGUSR1 and Ctrl-C then end the job at the next checkpoint, a second "
             "Ctrl-C at once. mpirun hands USR1 on to the ranks; after Ctrl-C or TERM it gives "
             "them a second and kills them: kill -USR1 MPIRUN'S-PID instead, or start it with "
             "--mca odls_base_sigkill_timeout 600. Without it what outgrows memory goes to "
             "OUT.h5.spill, and nothing is kept",
     .brief = "keep checkpoints in DIR until the result is there"},
    {"resume", NULL, ND_OPTION_FLAG, AT(resume),
     .help = "go on from the checkpoints in DIR, if there are any, on any number of ranks",
     .brief = "go on from the checkpoints in DIR"},
    {"checkpoint", "SECONDS", ND_OPTION_REAL, AT(checkpoint_seconds),
     .help = "while reading and comparing, most time between checkpoints", .rare = true,
     .bounded = true},
    {"no-disk-check", NULL, ND_OPTION_FLAG, AT(ignore_space),
     .help = "start a run that cannot fit on the disk, too", .rare = true},
    {"space", "ignore|check", ND_OPTION_SWITCH, AT(ignore_space), .help = "--no-disk-check",
     .hidden = true},
    {"progress", "none|lines|bar|auto", ND_OPTION_WORD, AT(progress),
     .help = "what is shown while it runs; auto: bar on a terminal, else lines",
     .brief = "what is shown while it runs (auto)"},
    {0},
};
