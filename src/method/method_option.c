#include "src/method/method_option.h"

#include <string.h>

static nd_status set_score(void *options, const char *text) {
    const nd_score *score = nd_score_find(text);
    ((nd_method_options *)options)->score = score;
    return score != NULL ? ND_OK
                         : nd_fail(ND_ERR_USAGE, "--score %s: there is no such score", text);
}

static const char *print_score(const void *options) {
    return ((const nd_method_options *)options)->score->name;
}

static const char *score_word(size_t i) {
    return nd_score_row(i) != NULL ? nd_score_row(i)->name : NULL;
}

#define AT(field) offsetof(nd_method_options, field)

/* Words stand in the order of their enums: nd_shingle_hash, nd_henzinger. */
const nd_option nd_method_option_table[] = {
    {.help = "Options of all methods"},
    {"site-extra", "X", ND_OPTION_REAL, AT(site_extra),
     .help = "added to the threshold for pages of one site, and where a page has no URL: a site's "
             "forms, filled with other data, are alike all over; three times so much where the "
             "addresses of two pages of HTML name different things, and once on two sites",
     .bounded = true, .most = 1, .rare = true},
    {"seed", "N", ND_OPTION_NUMBER, AT(seed),
     .help = "other keys and sketches, to see what chance does"},
    {"image-terms", "on|off", ND_OPTION_SWITCH, AT(image_terms),
     .help = "the URL of an image is a token, on the page's own host its file name (broder, "
             "charikar and henzinger: as in US 2008/0044016). URLs in the text are cut at slashes "
             "and dots in any case"},
    {.help = "Options of some methods"},
    {"score", "NAME", ND_OPTION_OWN, AT(score), .help = "how two pages are compared, see below",
     .set = set_score, .print = print_score, .word = score_word},
    {"threshold", "T", ND_OPTION_REAL, AT(threshold),
     .help = "similar from this score on, above 0 and at most 1",
     .brief = "pages are similar from this score on (of lcs 0.46)"},
    {"title-penalty", "X", ND_OPTION_REAL, AT(names),
     .help = "a page that begins with a word and repeats it differs in subject from a page that "
             "never says it: each repeat takes X / root of the shorter page's tokens off the "
             "similarity; 0: none does",
     .old = "names", .bounded = true, .most = 100, .rare = true},
    {"index-pages", "on|off", ND_OPTION_SWITCH, AT(lists),
     .help = "a page that is mostly links is an index page: it gets its links back, and is apart "
             "from a page of its site that shows another part of the same list",
     .old = "lists", .rare = true},
    {"buckets", "N", ND_OPTION_COUNT, AT(fingerprint.buckets), .help = "fingerprints of a page"},
    {"smallest", "N", ND_OPTION_COUNT, AT(fingerprint.smallest),
     .help = "smallest sentence digests in a fingerprint"},
    {"sentence-tokens", "N", ND_OPTION_COUNT, AT(sentence_tokens),
     .help =
         "shorter sentences are no features where there are enough others; a page of which fewer "
         "tokens are compared is thin: it shares a set with equal texts alone",
     .rare = true},
    {"chunk-sentences", "N", ND_OPTION_COUNT, AT(chunk_sentences),
     .help = "a page with fewer such sentences gets as many fingerprints of chunks of some 8 "
             "tokens besides",
     .rare = true},
    {"fingerprints", "on|off", ND_OPTION_SWITCH, AT(fingerprints),
     .help = "pages meet by their fingerprints; off: every page meets every other, for samples of "
             "up to --group-pairs pages (--set-cap with --transitivity full): what stage one saves",
     .rare = true},
    {"shingle-tokens", "K", ND_OPTION_COUNT, AT(shingle_tokens),
     .help = "tokens of a shingle; 1: tokens", .rare = true},
    {"wrap-around", "on|off", ND_OPTION_SWITCH, AT(wrap_around),
     .help = "shingles go on from the end of a page to its beginning", .rare = true},
    {"thinning", "P", ND_OPTION_COUNT, AT(thinning),
     .help = "only shingles that are 0 modulo P are kept; 1: all", .rare = true},
    {"shingle-hash", "xxhash|rabin", ND_OPTION_WORD, AT(shingle_hash),
     .help = "how shingles become numbers", .rare = true},
    {"minima", "P", ND_OPTION_COUNT, AT(minima), .help = "minima of a sketch", .rare = true},
    {"bands", "B", ND_OPTION_COUNT, AT(bands),
     .help = "of a sketch; pages that share one are compared; 0: the fewest that lose no pair",
     .rare = true, .given = AT(own_bands)},
    {"rows", "R", ND_OPTION_COUNT, AT(rows), .help = "minima of a band of lsh", .rare = true,
     .given = AT(own_rows)},
    {"verify", "on|off", ND_OPTION_SWITCH, AT(verify),
     .help = "lsh compares the shingles of pages (on) or the minima of their sketches; lcs "
             "compares pages (on) or nothing: sets are then the perhaps-similar ones of shared "
             "fingerprints, with no threshold and no slack, the similarity is the share of common "
             "fingerprints, 0 for pages that met through others alone",
     .rare = true},
    {"filters", "on|off", ND_OPTION_SWITCH, AT(filters),
     .help = "exact bounds by lengths and histograms, and limits and filters of tokens inside the "
             "comparison; off: every candidate is compared whole, r by Myers' algorithm alone. The "
             "sets are the same, the time is not",
     .rare = true},
    {"supershingles", "N", ND_OPTION_COUNT, AT(supershingles), .help = "of a page", .rare = true},
    {"supershingle-minima", "N", ND_OPTION_COUNT, AT(supershingle_minima),
     .help = "minima in a supershingle", .rare = true},
    {"agree", "N", ND_OPTION_COUNT, AT(agree),
     .help = "pages are similar if so many supershingles agree, or so many bits; charikar 0: 97 %, "
             "372 of 384",
     .rare = true},
    {"bits", "B", ND_OPTION_COUNT, AT(bits), .help = "of a projection", .rare = true},
    {"pieces", "N", ND_OPTION_COUNT, AT(pieces),
     .help = "projections that agree in one of N pieces are compared. 12: no pair is lost that "
             "agrees in 373 of 384 bits; bits - agree + 1 lose none at all",
     .rare = true},
    {"distance", "K", ND_OPTION_COUNT, AT(distance),
     .help = "simhash: most of the 64 bits that differ, 1 to 8", .rare = true},
    {"simhash-blocks", "N", ND_OPTION_COUNT, AT(simhash_blocks),
     .help = "of the 64 bits, K of them left open in each of C(N, K) tables; 0: K + 3, which is 20 "
             "tables for K = 3",
     .rare = true},
    {"henzinger", "basic|site-variant|union", ND_OPTION_WORD, AT(henzinger),
     .help = "pages found by supershingles and filtered by bits; the same on one site, by bits "
             "alone between sites; basic and pages found by bits alone",
     .rare = true},
    {"filter-bits", "N", ND_OPTION_COUNT, AT(filter_bits),
     .help = "bits that agree from the filter on; 0: 97 %, 372 of 384; the paper's 355 is found "
             "best with --pieces 30",
     .rare = true},
    {"charikar-bits", "N", ND_OPTION_COUNT, AT(charikar_bits),
     .help = "bits that agree of pages found by bits alone; 0: 97 %", .rare = true},
    {0},
};

bool nd_method_uses(const nd_method *method, const nd_option *option) {
    const nd_option *first = nd_method_option_table + 1;
    while (first->name != NULL && first != option) {
        first++;
    }
    bool uses = first == option; /* below the first heading */
    for (const nd_method_use *use = method->options; use->name != NULL; use++) {
        uses = uses || strcmp(use->name, option->name) == 0;
    }
    return uses;
}
