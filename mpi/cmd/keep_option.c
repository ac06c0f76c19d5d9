#include "mpi/cmd/keep_option.h"

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
