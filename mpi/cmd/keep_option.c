#include "mpi/cmd/keep_option.h"

const nd_option nd_keep_option_table[] = {
    {.help = "Which page of a set is kept"},
    {"keep", "RULE[,RULE...]", ND_OPTION_TEXT, offsetof(nd_keep_wish, rules),
     .help = "the first rule that finds one page better than another decides: representative "
             "(without this option), first (in the order of the inputs), longest, earliest, latest "
             "(dates; a page without one comes last), https, shortest-url, collection:NAME (a page "
             "of that collection; for several in order collection:A,collection:B). Pages that are "
             "alike by all: the first"},
    {"keep-each", "collection|set", ND_OPTION_SWITCH, offsetof(nd_keep_wish, each_collection),
     .help = "one page of each set, or of each set for each collection that it has pages of"},
    {"protect", "NAME[,NAME...]", ND_OPTION_TEXT, offsetof(nd_keep_wish, protect),
     .help = "all pages of these collections are kept, and one of them stands for the other pages "
             "of its set"},
    {0},
};
