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
     .help = "added to the threshold for two pages on one site, or HTML without a URL: a site's "
             "templates make its pages alike. Three times as much if the URLs of two HTML pages "
             "name different things, and once across sites in that case",
     .bounded = true, .most = 1, .rare = true},
    {"seed", "N", ND_OPTION_NUMBER, AT(seed),
     .help = "other keys and sketches, to see the effect of chance"},
    {"image-terms", "on|off", ND_OPTION_SWITCH, AT(image_terms),
     .help = "an image URL is a token; on the page's own host only its file name (broder, charikar "
             "and henzinger: as in US 2008/0044016). URLs in the text are cut at slashes and dots "
             "in any case"},
    {.help = "Options of some methods"},
    {"score", "NAME", ND_OPTION_OWN, AT(score), .help = "how two pages are compared, see below",
     .set = set_score, .print = print_score, .word = score_word},
    {"threshold", "T", ND_OPTION_REAL, AT(threshold),
     .help = "similar from this score on, above 0 and at most 1",
     .brief = "pages are similar from this score on (of lcs 0.46)"},
    {"title-penalty", "X", ND_OPTION_REAL, AT(names),
     .help = "a page that begins with a word and repeats it has another subject than a page that "
             "never says it. Each repeat takes X, divided by the root of the shorter page's "
             "tokens, off the similarity; 0: no penalty",
     .old = "names", .bounded = true, .most = 100, .rare = true},
    {"index-pages", "on|off", ND_OPTION_SWITCH, AT(lists),
     .help = "a page that is mostly links is an index page. It gets its links back, and is no copy "
             "of another part of the same list on its site",
     .old = "lists", .rare = true},
    {"buckets", "N", ND_OPTION_COUNT, AT(fingerprint.buckets), .help = "fingerprints of a page"},
    {"smallest", "N", ND_OPTION_COUNT, AT(fingerprint.smallest),
     .help = "smallest sentence digests in a fingerprint"},
    {"sentence-tokens", "N", ND_OPTION_COUNT, AT(sentence_tokens),
     .help = "shorter sentences are no features where there are enough others. A page with fewer "
             "tokens to compare is thin: it shares a set only with equal texts",
     .rare = true},
    {"chunk-sentences", "N", ND_OPTION_COUNT, AT(chunk_sentences),
     .help = "a page with fewer such sentences also gets as many fingerprints from chunks with "
             "some 8 tokens",
     .rare = true},
    {"fingerprints", "on|off", ND_OPTION_SWITCH, AT(fingerprints),
     .help =
         "pages meet by their fingerprints. off: every page meets every other, in samples up to "
         "--group-pairs pages (--set-cap with --transitivity full), to see what fingerprints save",
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
     .help = "lsh: compare the pages' shingles (on), or the minima in their sketches. lcs: compare "
             "pages (on), or nothing. Sets are then the perhaps-similar ones with shared "
             "fingerprints, without threshold and slack. The similarity is the share of common "
             "fingerprints, and 0 for pages that met only through others",
     .rare = true},
    {"filters", "on|off", ND_OPTION_SWITCH, AT(filters),
     .help = "exact bounds by length and histogram, and token limits inside the comparison. off: "
             "every candidate is compared whole, r by Myers' algorithm alone; the sets are the "
             "same, the time is not",
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
     .help = "projections that agree in one of N pieces are compared. 12 lose no pair that agrees "
             "in 373 of 384 bits; bits - agree + 1 lose none at all",
     .rare = true},
    {"distance", "K", ND_OPTION_COUNT, AT(distance),
     .help = "simhash: most of the 64 bits that differ, 1 to 8", .rare = true},
    {"simhash-blocks", "N", ND_OPTION_COUNT, AT(simhash_blocks),
     .help = "of the 64 bits, K of them left open in each of C(N, K) tables; 0: K + 3, which is 20 "
             "tables for K = 3",
     .rare = true},
    {"henzinger", "basic|site-variant|union", ND_OPTION_WORD, AT(henzinger),
     .help = "basic: found by supershingles, filtered by bits. site-variant: the same within a "
             "site, by bits alone between sites. union: basic, and pages found by bits alone",
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
