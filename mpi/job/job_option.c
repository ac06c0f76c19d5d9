#include "mpi/job/job_option.h"

#define AT(field) offsetof(nd_job_options, field)

/* Words stand in the order of their enums: nd_transitivity, nd_progress_mode. */
const nd_option nd_job_option_table[] = {
    {.help = "What of a page is compared"},
    {"navigation", "drop|keep", ND_OPTION_SWITCH, AT(content.navigation),
     .help = "nav, footer, aside, search, dialog, select and button elements; if half the text is "
             "inside main, everything outside it too",
     .kept = ND_KEPT_IN_RESULT},
    {"links", "drop|keep", ND_OPTION_SWITCH, AT(content.links),
     .help = "short blocks that are mostly links", .kept = ND_KEPT_IN_RESULT},
    {"templates", "N", ND_OPTION_NUMBER, AT(content.sample),
     .help = "find each site's template in a sample of N pages, and drop it; 0: keep templates",
     .kept = ND_KEPT_IN_RESULT},
    {"site", "domain|host", ND_OPTION_SWITCH, AT(content.by_domain),
     .help = "what counts as a site: the host in the URL, or its registered domain",
     .kept = ND_KEPT_IN_RESULT},
    {"small-site", "N", ND_OPTION_NUMBER, AT(content.templates.small_site),
     .help = "on sites with up to N pages three classes make a template, not four", .rare = true,
     .kept = ND_KEPT_IN_RESULT},
    {"link-tokens", "N", ND_OPTION_NUMBER, AT(content.link_tokens),
     .help = "a page with fewer tokens left, or an index page, gets back links that its site does "
             "not repeat; 0: none does",
     .rare = true, .kept = ND_KEPT_IN_RESULT},

    {.help = "How pairs become sets"},
    {"transitivity", "verified|bounded|full", ND_OPTION_WORD, AT(transitivity),
     .help = "verified: components of verified pairs. bounded: the paper's sorted representatives, "
             "inside components whose pairs pass the exact bounds. full: the same, inside "
             "components with shared fingerprints",
     .rare = true, .kept = ND_KEPT_IN_RESULT},
    {"slack", "X", ND_OPTION_REAL, AT(guard),
     .help = "verified: every page has at least the threshold less X to its set's representative; "
             "0: no such check, so sets may be chains",
     .old = "guard", .kept = ND_KEPT_IN_RESULT, .given = AT(own_guard)},
    {"group-pairs", "N", ND_OPTION_NUMBER, AT(group_pairs),
     .help = "pages that share a key are all candidates if there are at most N; in larger groups "
             "only the 8 next in length",
     .rare = true, .kept = ND_KEPT_IN_RESULT, .bounded = true, .least = 2, .most = ND_GROUP_RUN},
    {"set-cap", "N", ND_OPTION_NUMBER, AT(set_cap),
     .help = "bounded, full: most pages in a component. A larger one is reported and cut: first "
             "where no rare key joins it, then by length",
     .rare = true, .kept = ND_KEPT_IN_RESULT, .bounded = true, .least = 2},
    {"record-pages", "split|join", ND_OPTION_SWITCH, AT(forms_apart),
     .help = "a large set on one site with hardly any nearly identical pages is one template with "
             "many records: split its pages up, or let them join",
     .kept = ND_KEPT_IN_RESULT},
    {"forms", "apart|together", ND_OPTION_SWITCH, AT(forms_apart),
     .help = "--record-pages split|join", .hidden = true},
    {"thin", "apart|copies", ND_OPTION_SWITCH, AT(thin_apart),
     .help = "thin pages (see --sentence-tokens) each make a set alone, or share one with equal "
             "texts: two frames that say \"Loading\" are no copies",
     .kept = ND_KEPT_IN_RESULT},
    {"min-confidence", "X", ND_OPTION_REAL, AT(certain),
     .help =
         "a page leaves its set if it belongs there with a probability below X "
         "(/pages/certainty); 0: none leaves. .5 for the default's method and score, for which it "
         "was measured",
     .old = "certain", .kept = ND_KEPT_IN_RESULT, .given = AT(own_certain)},
    {"pairs", "keep|drop", ND_OPTION_SWITCH, AT(keep_pairs),
     .help = "verified: the result holds every pair that the method calls similar. Equal pages are "
             "compared once",
     .kept = ND_KEPT_IN_RESULT},
    {"contained", "T", ND_OPTION_REAL, AT(contained),
     .help = "also report pages contained in pages from other sets: a share T (0 to 1) of their "
             "tokens stands there, in order. Sets do not change; 0: no search",
     .kept = ND_KEPT_IN_RESULT, .bounded = true, .most = 1},
    {"contained-query", "NAME", ND_OPTION_TEXT, AT(contained_of),
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
    {"dedup-inputs", NULL, ND_OPTION_FLAG, AT(skip_copies),
     .help = "leave out an input file with the same bytes as another in its collection; one file "
             "under two names is always read once",
     .rare = true},
    {"same-content", "skip|keep", ND_OPTION_SWITCH, AT(skip_copies), .help = "--dedup-inputs",
     .hidden = true},
    {"split-size", "SIZE", ND_OPTION_SIZE, AT(unit_bytes),
     .help = "inputs are read in pieces of this size (chosen)", .rare = true, .old = "unit"},

    {.help = "Across crawls"},
    {"index", "INDEX", ND_OPTION_TEXT, AT(against),
     .help = "add to earlier runs, as --write-index kept them: new pages join existing sets or "
             "open new ones, and existing sets keep their pages. The result has all pages, the "
             "index's first. Options must equal the index's",
     .old = "against", .kept = ND_KEPT_IN_WORK, .brief = "add new pages to those of earlier runs"},
    {"recluster", NULL, ND_OPTION_FLAG, AT(rejoin),
     .help = "make all sets anew from old and new pairs, as one run over everything would. Indexed "
             "pages may change sets, and sets may change numbers",
     .old = "rejoin"},
    {"reread", NULL, ND_OPTION_FLAG, AT(reread),
     .help = "read the earlier inputs again, unchanged, before the new ones. The result equals one "
             "run over everything, templates too, and takes as long"},
    {"write-index", "INDEX", ND_OPTION_TEXT, AT(keep_index),
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
    {"no-disk-check", NULL, ND_OPTION_FLAG, AT(ignore_space),
     .help = "also start a run that cannot fit on the disk", .rare = true},
    {"space", "ignore|check", ND_OPTION_SWITCH, AT(ignore_space), .help = "--no-disk-check",
     .hidden = true},
    {"progress", "none|lines|bar|auto", ND_OPTION_WORD, AT(progress),
     .help = "what is shown while it runs; auto: bar on a terminal, else lines",
     .brief = "what is shown while it runs (auto)"},
    {0},
};
