#include "mpi/cmd/keep_option.h"

const nd_option nd_keep_option_table[] = {
    {.help = "Which page of a set is kept"},
    {"keep", "RULE[,RULE...]", ND_OPTION_TEXT, offsetof(nd_keep_wish, rules),
     .help = "the first rule that finds one page better than another decides: representative "
             "(without this option), first (in the order of the inputs), longest, earliest, latest "
             "(dates; a page without one comes last), https, shortest-url, surt (whose URL comes "
             "first as web archives sort), collection:NAME (a page "
             "of that collection; for several in order collection:A,collection:B), field:NAME "
             "(the largest value of a field of JSONL, which is read again from the inputs: numbers "
             "as such, other texts by their bytes, as dates of ISO 8601, and after all numbers; "
             "without comes last). Pages that are alike by all: the first",
     .brief = "rules for the page that is kept, as longest,latest: neardup help keep "
              "(representative)",
     .word = nd_keep_rule_name},
    {"keep-each", "collection|set", ND_OPTION_SWITCH, offsetof(nd_keep_wish, each_collection),
     .help = "one page of each set, or of each set for each collection that it has pages of"},
    {"protect", "NAME[,NAME...]", ND_OPTION_TEXT, offsetof(nd_keep_wish, protect),
     .help = "all pages of these collections are kept, and one of them stands for the other pages "
             "of its set"},
    {"memory", "SIZE", ND_OPTION_SIZE, offsetof(nd_keep_wish, memory),
     .help =
         "for sorting (field:NAME, surt, --format cdxj): what is beyond it lies in a file in "
         "TMPDIR, or /tmp (512M). Where inputs are read again it limits lines of JSONL and windows "
         "of zstd, as it does in a run (not at all)",
     .rare = true},
    {0},
};
