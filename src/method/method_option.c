#include "src/method/method_option.h"

#include "src/base/parse.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const shingle_hashes[] = {
    [ND_SHINGLE_XXHASH] = "xxhash", [ND_SHINGLE_RABIN] = "rabin", NULL};
static const char *const henzinger_kinds[] = {[ND_HENZINGER_BASIC] = "basic",
                                              [ND_HENZINGER_SITE_VARIANT] = "site-variant",
                                              [ND_HENZINGER_UNION] = "union",
                                              NULL};

#define AT(field) offsetof(nd_method_options, field)

static const nd_method_option rows[] = {
    {"score", ND_OPTION_SCORE, AT(score), false, NULL, "NAME: how tokens are compared, see above"},
    {"threshold", ND_OPTION_REAL, AT(threshold), false, NULL,
     "T: similar from this score on, in (0, 1] (lcs 0.46, pku 0.8;\n"
     "lsh 0.7, sketch and cosine 0.9)"},
    {"short-tokens", ND_OPTION_COUNT, AT(short_tokens), true, NULL,
     "N: with --site-tokens M and --short-extra X, X is added to the\n"
     "threshold where a page has fewer than N tokens, or both are of\n"
     "one site and one has fewer than M: forms filled with other data\n"
     "(50, 1100, 0.1; pku 0, 0, 0; X is 0 in all methods but lcs)"},
    {"site-tokens", ND_OPTION_COUNT, AT(site_tokens), true, NULL, "M: see --short-tokens"},
    {"short-extra", ND_OPTION_REAL, AT(short_extra), true, NULL, "X: see --short-tokens"},
    {"notice-tokens", ND_OPTION_COUNT, AT(notice_tokens), true, NULL,
     "N: with --notice-extra X, X is added to the threshold between\n"
     "pages of different sites of which one has fewer than N tokens:\n"
     "error and login pages of equal wording (110, 0.2; pku 0, 0; X is\n"
     "0 in all methods but lcs)"},
    {"notice-extra", ND_OPTION_REAL, AT(notice_extra), true, NULL, "X: see --notice-tokens"},
    {"index-share", ND_OPTION_REAL, AT(index_share), false, NULL,
     "S: a page is an index page, and gets its links back, if its own\n"
     "text is less than this share of it and of the links that its\n"
     "site does not repeat (0.6)"},
    {"index-shift", ND_OPTION_REAL, AT(index_shift), false, NULL,
     "D: an index page and a page of its site are windows on one list\n"
     "if what only one has stands this far from what only the other\n"
     "has, as a share of what both have (0.5)"},
    {"index-threshold", ND_OPTION_REAL, AT(index_threshold), false, NULL,
     "T: and then similar from this score on, 0: there are no index\n"
     "pages (0.95; pku 0)"},
    {"buckets", ND_OPTION_COUNT, AT(fingerprint.buckets), false, NULL,
     "N: fingerprints of a page (14; pku 7)"},
    {"smallest", ND_OPTION_COUNT, AT(fingerprint.smallest), false, NULL,
     "N: smallest sentence digests in a fingerprint (2; pku 3)"},
    {"sentence-tokens", ND_OPTION_COUNT, AT(sentence_tokens), false, NULL,
     "N: shorter sentences are no features where there are enough\n"
     "others (8; pku 1)"},
    {"chunk-sentences", ND_OPTION_COUNT, AT(chunk_sentences), false, NULL,
     "N: a page with fewer such sentences gets as many fingerprints\n"
     "of chunks of some 8 tokens besides (28; pku 0)"},
    {"fingerprints", ND_OPTION_SWITCH, AT(fingerprints), false, NULL,
     "on|off: pages meet by their fingerprints; off: every page meets\n"
     "every other, for samples of up to --group-pairs pages (--set-cap\n"
     "with --transitivity full): what stage one saves (on)"},
    {"seed", ND_OPTION_NUMBER, AT(seed), true, NULL,
     "N: other keys and sketches, to see what chance does (0)"},
    {"image-terms", ND_OPTION_SWITCH, AT(image_terms), true, NULL,
     "on|off: the URL of an image is a token, on the page's own host\n"
     "its file name (off; broder, charikar and henzinger on, as in US\n"
     "2008/0044016. URLs in the text are cut at slashes and dots in\n"
     "any case)"},
    {"shingle-tokens", ND_OPTION_COUNT, AT(shingle_tokens), false, NULL,
     "K: tokens of a shingle (sketch 4, lsh 5, broder and henzinger 8;\n"
     "simhash and charikar 1: tokens)"},
    {"wrap-around", ND_OPTION_SWITCH, AT(wrap_around), false, NULL,
     "on|off: shingles go on from the end of a page to its beginning\n"
     "(off; broder and henzinger on)"},
    {"thinning", ND_OPTION_COUNT, AT(thinning), false, NULL,
     "P: only shingles that are 0 modulo P are kept (1: all)"},
    {"shingle-hash", ND_OPTION_WORD, AT(shingle_hash), false, shingle_hashes,
     "xxhash|rabin: how shingles become numbers (xxhash; broder and\n"
     "henzinger rabin)"},
    {"minima", ND_OPTION_COUNT, AT(minima), false, NULL,
     "P: minima of a sketch (sketch 100, broder and henzinger 84)"},
    {"bands", ND_OPTION_COUNT, AT(bands), false, NULL,
     "B: of a sketch; pages that share one are compared (lsh 25;\n"
     "sketch 0: the fewest that lose no pair)"},
    {"rows", ND_OPTION_COUNT, AT(rows), false, NULL, "R: minima of a band of lsh (5)"},
    {"verify", ND_OPTION_SWITCH, AT(verify), false, NULL,
     "on|off: lsh compares the shingles of pages (on) or the minima\n"
     "of their sketches; lcs compares pages (on) or nothing: sets are\n"
     "then the perhaps-similar ones of shared fingerprints, with no\n"
     "threshold and no guard, the similarity is the share of common\n"
     "fingerprints, 0 for pages that met through others alone"},
    {"filters", ND_OPTION_SWITCH, AT(filters), false, NULL,
     "on|off: exact bounds by lengths and histograms, and limits and\n"
     "filters of tokens inside the comparison; off: every candidate is\n"
     "compared whole, r by Myers' algorithm alone. The sets are the\n"
     "same, the time is not (on)"},
    {"supershingles", ND_OPTION_COUNT, AT(supershingles), false, NULL, "N: of a page (6)"},
    {"supershingle-minima", ND_OPTION_COUNT, AT(supershingle_minima), false, NULL,
     "N: minima in a supershingle (14)"},
    {"agree", ND_OPTION_COUNT, AT(agree), false, NULL,
     "N: pages are similar if so many supershingles agree (broder and\n"
     "henzinger 2), or so many bits (charikar 0: 97 %, 372 of 384)"},
    {"bits", ND_OPTION_COUNT, AT(bits), false, NULL,
     "B: of a projection (charikar and henzinger 384)"},
    {"pieces", ND_OPTION_COUNT, AT(pieces), false, NULL,
     "N: projections that agree in one of N pieces are compared (12:\n"
     "no pair is lost that agrees in 373 of 384 bits; bits - agree + 1\n"
     "lose none at all)"},
    {"distance", ND_OPTION_COUNT, AT(distance), false, NULL,
     "K: simhash: most of the 64 bits that differ, 1 to 8 (3)"},
    {"simhash-blocks", ND_OPTION_COUNT, AT(simhash_blocks), false, NULL,
     "N: of the 64 bits, K of them left open in each of C(N, K) tables\n"
     "(0: K + 3, which is 20 tables for K = 3)"},
    {"henzinger", ND_OPTION_WORD, AT(henzinger), false, henzinger_kinds,
     "basic|site-variant|union: pages found by supershingles and\n"
     "filtered by bits; the same on one site, by bits alone between\n"
     "sites; basic and pages found by bits alone (basic)"},
    {"filter-bits", ND_OPTION_COUNT, AT(filter_bits), false, NULL,
     "N: bits that agree from the filter on (0: 97 %, 372 of 384; the\n"
     "paper's 355 is found best with --pieces 30)"},
    {"charikar-bits", ND_OPTION_COUNT, AT(charikar_bits), false, NULL,
     "N: bits that agree of pages found by bits alone (0: 97 %)"},
};

const nd_method_option *nd_method_option_row(size_t row) {
    return row < sizeof rows / sizeof rows[0] ? &rows[row] : NULL;
}

bool nd_method_uses(const nd_method *method, const nd_method_option *option) {
    bool uses = option->shared;
    for (const nd_method_use *use = method->options; use->name != NULL; use++) {
        uses = uses || strcmp(use->name, option->name) == 0;
    }
    return uses;
}

/* ---- values */

nd_status nd_method_option_set(const nd_method_option *option, const char *text,
                               nd_method_options *options) {
    void *field = (char *)options + option->offset;
    switch (option->kind) {
    case ND_OPTION_COUNT:
        return nd_parse_small(option->name, text, field);
    case ND_OPTION_NUMBER:
        return nd_parse_number(option->name, text, field);
    case ND_OPTION_REAL:
        return nd_parse_real(option->name, text, field);
    case ND_OPTION_SWITCH:
        return nd_parse_choice(option->name, text, "on", "off", field);
    case ND_OPTION_WORD:
        for (uint32_t i = 0; option->words[i] != NULL; i++) {
            if (strcmp(option->words[i], text) == 0) {
                *(uint32_t *)field = i;
                return ND_OK;
            }
        }
        return nd_fail(ND_ERR_USAGE, "--%s %s: there is no such choice, see --help", option->name,
                       text);
    default:
        *(const nd_score **)field = nd_score_find(text);
        return nd_score_find(text) != NULL
                   ? ND_OK
                   : nd_fail(ND_ERR_USAGE, "--score %s: there is no such score", text);
    }
}

void nd_method_option_set_number(const nd_method_option *option, double value,
                                 nd_method_options *options) {
    void *field = (char *)options + option->offset;
    switch (option->kind) {
    case ND_OPTION_REAL:
        *(double *)field = value;
        break;
    case ND_OPTION_SWITCH:
        *(bool *)field = value != 0;
        break;
    default:
        assert(option->kind == ND_OPTION_COUNT || option->kind == ND_OPTION_WORD);
        *(uint32_t *)field = (uint32_t)value;
    }
}

bool nd_method_option_print(const nd_method_option *option, const nd_method_options *options,
                            char text[ND_OPTION_TEXT_SIZE]) {
    const void *field = (const char *)options + option->offset;
    switch (option->kind) {
    case ND_OPTION_COUNT:
        (void)snprintf(text, ND_OPTION_TEXT_SIZE, "%" PRIu32, *(const uint32_t *)field);
        return true;
    case ND_OPTION_NUMBER:
        (void)snprintf(text, ND_OPTION_TEXT_SIZE, "%" PRIu64, *(const uint64_t *)field);
        return true;
    case ND_OPTION_REAL:
        nd_print_real(*(const double *)field, text, ND_OPTION_TEXT_SIZE);
        return true;
    case ND_OPTION_SWITCH:
        (void)snprintf(text, ND_OPTION_TEXT_SIZE, "%s", *(const bool *)field ? "on" : "off");
        return false;
    case ND_OPTION_WORD:
        (void)snprintf(text, ND_OPTION_TEXT_SIZE, "%s", option->words[*(const uint32_t *)field]);
        return false;
    default:
        (void)snprintf(text, ND_OPTION_TEXT_SIZE, "%s", (*(const nd_score *const *)field)->name);
        return false;
    }
}
