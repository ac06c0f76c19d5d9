/** \file src/method/method.h
 * The table of methods (`--method`): what the stages need to know of a way to find near-
 * duplicates. A method signs a page (keys under which it meets other pages, a small digest for
 * exact bounds), bounds the similarity of two pages by their digests, and compares their payloads.
 * Everything in mpi/ serves any row; a new method is its functions and a row in methods.c. Which
 * methods there are is not said here.
 */
#ifndef ND_METHOD_METHOD_H
#define ND_METHOD_METHOD_H

#include "src/base/option.h"
#include "src/compare/cosine.h"
#include "src/compare/score.h"
#include "src/hash/md5.h"
#include "src/hash/rabin.h"
#include "src/lcs/lcs.h"
#include "src/sketch/fingerprint.h"
#include "src/sketch/minhash.h"
#include "src/sketch/simhash.h"
#include "src/text/address.h"

#include <stdbool.h>

/* ---- what a method sees of a page */

/** A sentence: the digest of its normalised text, its hash with digits masked (what templates are
 * known by), its length, and what block it stands in. No padding. */
typedef struct nd_sentence_digest {
    nd_md5 digest;   /**< MD5; where the method makes no keys of it, a nd_joined_digest */
    uint64_t masked; /**< 0 where templates are not looked for */
    uint32_t token_count;
    uint32_t flags; /**< ND_SENTENCE_*, see src/text/page.h */
} nd_sentence_digest;

/** Hash of 128 bits of a text, with the run's seed: what is equal by it counts as equal. */
typedef struct nd_text_hash {
    uint64_t high;
    uint64_t low;
} nd_text_hash;

typedef struct nd_document {
    const uint32_t *tokens; /**< low 32 bits of the hash of each token */
    uint32_t token_count;
    const nd_sentence_digest *sentences; /**< in order of appearance */
    uint32_t sentence_count;
    nd_text_hash hash; /**< of what is compared, once that is selected */
    nd_origin origin;
} nd_document;

/* ---- What a method works with from page to page: tables that follow from the options, and scratch
 * memory. Each part is made by the first page that needs it, so most stay empty. */

/** All zero is valid. It serves one method, one set of derived options and one caller at a time;
 * after a failure it may only be freed. */
typedef struct nd_method_work {
    /* shingles and minima of the latest page, see signature.h, and its tokens, so that a page
     * that comes again, to be signed after its digest was made, costs nothing */
    uint32_t *tokens;
    uint64_t *shingles; /**< distinct, ascending; room for one more in front */
    uint64_t *minima;
    size_t token_count, token_capacity, shingle_count, shingle_capacity;
    bool has_shingles, has_minima, any_minima;
    nd_rabin *rabin;
    nd_minhash minhash;

    nd_term_vector terms; /**< of the latest page */
    uint64_t *words;      /**< features of the latest page, or its payload */
    uint32_t *numbers;    /**< weights of its features, or its shingles cut to 32 bits */
    size_t word_capacity, number_capacity;

    nd_simhash_tables simhash;
    nd_lcs_work lcs;
} nd_method_work;

/** Free everything; it is all zero then. */
void nd_method_work_free(nd_method_work *work);

/* ---- rows */

/** How shingles become numbers. */
typedef enum nd_shingle_hash { ND_SHINGLE_XXHASH, ND_SHINGLE_RABIN } nd_shingle_hash;

/** The kinds of Henzinger's combined algorithm, see methods.c. */
typedef enum nd_henzinger {
    ND_HENZINGER_BASIC,
    ND_HENZINGER_SITE_VARIANT,
    ND_HENZINGER_UNION
} nd_henzinger;

/** Options of all methods; each names those it uses (nd_method.options), the table of
 * method.h says how they are written. */
typedef struct nd_method_options {
    double threshold;                   /**< pages are similar from here on, in (0, 1] */
    double site_threshold;              /**< the same for pages of one site, where it is another;
                                             0: it is not. Set by methods, not by users */
    const nd_score *score;              /**< how token sequences are compared */
    nd_fingerprint_options fingerprint; /**< buckets and smallest */
    uint32_t sentence_tokens;           /**< shorter sentences are no features, see
                                             signature.h */
    uint32_t chunk_sentences; /**< a page with fewer sentences of sentence_tokens gets keys
                                   of its chunks besides; 0: none does */
    bool fingerprints;        /**< off: all pages share one key, and so meet each other */
    uint64_t seed;            /**< another seed gives other keys; 0: the published ones */
    double site_extra;        /**< added to the threshold for pages that are of one site, or may be:
                                   its forms, filled with other data, are alike all over; three
                                   times so much where their addresses name different things */
    double names;             /**< taken off the similarity for each time that a page repeats what
                                   it names and the other never does, per root of its tokens
                                   (compare/penalties.h); 0: names are not asked */
    bool lists;               /**< index pages get their links back, and are apart from pages of
                                   their site that show another part of the same list */
    bool image_terms;         /**< the URLs of a page's images are tokens of it, see
                                   src/text/extract.h */
    uint32_t text_urls;       /**< nd_text_urls */
    uint32_t shingle_tokens;  /**< k, tokens of a shingle */
    bool wrap_around;         /**< shingles go on from the end of the page to its beginning */
    bool shingle_counts;      /**< a shingle that a page repeats counts each time */
    uint32_t thinning;        /**< only shingles that are 0 modulo this are kept; 1: all */
    uint32_t shingle_hash;    /**< nd_shingle_hash */
    uint32_t minima;          /**< P, of a sketch */
    uint32_t bands, rows;     /**< b and r */
    bool own_bands, own_rows; /**< they were asked for: such a search may lose most pairs */
    bool verify;              /**< lsh: compare the shingles themselves, not the sketches; lcs:
                                   compare pages at all, see keys_suffice */
    bool keys_suffice;        /**< pages that share a key are similar, and so on from page to page:
                                   nothing else is compared. Set by methods, not by users */
    bool filters;             /**< lcs: exact bounds before the comparison and inside it */
    uint32_t supershingles;   /**< m' */
    uint32_t supershingle_minima; /**< l */
    uint32_t agree;               /**< supershingles, or bits, that agree from here on */
    uint32_t bits;                /**< of a projection */
    uint32_t pieces;              /**< in which a projection is cut for keys */
    uint32_t distance;            /**< simhash: most bits that differ */
    uint32_t simhash_blocks;      /**< of which `distance` are left open; 0: distance + 3 */
    uint32_t henzinger;           /**< nd_henzinger */
    uint32_t filter_bits;         /**< henzinger: agreeing bits of pages that supershingles found */
    uint32_t filter_tokens;       /**< henzinger: of the shingles of which bits are made */
    uint32_t charikar_bits;       /**< henzinger: agreeing bits of pages that bits alone found */
} nd_method_options;

/** An option that a method uses, and what it was published with. */
typedef struct nd_method_use {
    const char *name; /**< as in method.h */
    double value;     /**< ND_AS_PRESET: what the preset has is left */
} nd_method_use;

enum { ND_AS_PRESET = -1 };

/** What a page may get at most. */
typedef struct nd_method_sizes {
    size_t keys;
    size_t digest;    /**< bytes, a multiple of 8 */
    uint64_t payload; /**< bytes; 0 for a method that compares digests */
} nd_method_sizes;

typedef struct nd_method {
    const char *name;
    const char *summary; /**< one line for --help, with its source */

    /** The options it uses beside those of all methods; one without a name after the last. */
    const nd_method_use *options;

    /** It makes keys of the MD5 digests of sentences; to others any digest is as good. */
    bool sentence_keys;

    /** The preset's rules hold for it: pages of one site must be more alike, windows on one list
     * are apart. */
    bool rules;

    /** It was published with the URLs of images as tokens. */
    bool image_terms;

    /** Payloads are the pages' tokens in order, compared by options->score. */
    bool sequences;

    /** Its paper counts all pairs of pages that share a key, so that by default groups as large as
     * ND_GROUP_RUN get them all. */
    bool all_pairs;

    /** How far below the threshold members may be of a set's leader, unless the user says. */
    double slack;

    /** Check the options that the method uses, and set those that follow from others: where it
     * counts what agrees, the threshold. NULL: nothing to do.
     * \return ND_OK, or ND_ERR_USAGE with a text that names the option and its range */
    nd_status (*derive)(nd_method_options *options);

    /** Most keys of a page, and the bytes of its digest and, if it has so many tokens, payload. */
    nd_method_sizes (*sizes)(const nd_method_options *options, uint64_t tokens);

    /** Sign a page.
     * \param[out] keys       room for sizes().keys
     * \param[out] key_count  keys written; a page without any meets nobody. */
    void (*sign)(const nd_method_options *options, nd_method_work *work,
                 const nd_document *document, uint64_t *keys, size_t *key_count);

    /** Fill the page's digest, a plain value without pointers. */
    void (*digest)(const nd_method_options *options, nd_method_work *work,
                   const nd_document *document, void *digest);

    /** Upper bound of the similarity of pages of these lengths in tokens; exact, cheap. NULL: 1,
     * lengths say nothing. Callers use nd_method_length_bound(). */
    double (*length_bound)(const nd_method_options *options, uint64_t a, uint64_t b);

    /** Upper bound of the similarity by digests; never below the similarity. */
    double (*bound)(const nd_method_options *options, const void *a, const void *b);

    /* The last two are NULL for a method that compares digests, and not used where keys suffice:
     * bound() is then the similarity itself. Callers use nd_method_payload_size(),
     * nd_method_payload() and nd_method_similarity().
     */

    /** What similarity() needs of a page: bytes borrowed from the document, or from the work until
     * its next use. */
    void (*payload)(const nd_method_options *options, nd_method_work *work,
                    const nd_document *document, nd_span *payload);

    /** The similarity of two payloads if it is >= threshold, else 0; symmetric. */
    void (*similarity)(const nd_method_options *options, nd_method_work *work, nd_span a, nd_span b,
                       double threshold, double *similarity);
} nd_method;

/** Does the method compare digests, so that a page's payload is its digest? */
bool nd_method_compares_digests(const nd_method *method, const nd_method_options *options);

/** Bytes of the payload of a page of that many tokens. */
uint64_t nd_method_payload_size(const nd_method *method, const nd_method_options *options,
                                uint64_t tokens);

/** What nd_method_similarity() does once for a payload that is the first of several pairs, one
 * after the other: per token as many times what a pair takes per token of its two. */
uint64_t nd_method_preparation(const nd_method *method, const nd_method_options *options);

/** What nd_method_similarity() needs of a page.
 * \param[in,out] scratch  where it is put if it has to be made (replaced, not appended to)
 * \param[out] payload     borrowed from the document, the work or scratch until their next use */
void nd_method_payload(const nd_method *method, const nd_method_options *options,
                       nd_method_work *work, const nd_document *document, nd_buffer *scratch,
                       nd_span *payload);

/** Upper bound of the similarity of pages of these lengths in tokens. */
static inline double nd_method_length_bound(const nd_method *method,
                                            const nd_method_options *options, uint64_t a,
                                            uint64_t b) {
    return method->length_bound != NULL ? method->length_bound(options, a, b) : 1;
}

/** The similarity of two payloads if it is >= threshold, else 0; symmetric. */
void nd_method_similarity(const nd_method *method, const nd_method_options *options,
                          nd_method_work *work, nd_span a, nd_span b, double threshold,
                          double *similarity);

/** What is known of two pages besides what is compared, as flags. */
enum {
    ND_PAIR_MAY_BE_SAME_SITE = 1, /**< they are, or one is HTML, one of no site, and nobody knows */
    ND_PAIR_INDEX = 2,            /**< one of them at least is an index page */
    ND_PAIR_TEXTS = 4,            /**< plain texts, of which one at least is of no site */
    ND_PAIR_OTHER_SUBJECT = 8,    /**< both are of a site, and their addresses name different
                                       things */
    ND_PAIR_COMMON = 16,          /**< short pages of two sites that share but what many pages say:
                                       such text is a server's or a generator's, as "Not found" */
    ND_PAIR_END = 2 * ND_PAIR_COMMON /**< all flags are less */
};

/** What is known of two pages by where they come from, without ND_PAIR_INDEX and ND_PAIR_COMMON. */
uint32_t nd_method_relation(nd_origin a, nd_origin b);

/** Is a page with so many tokens of its own and in links that are its own an index page? Never
 * where the options have no lists. */
bool nd_method_is_index(const nd_method_options *options, uint64_t own, uint64_t linked);

/** Are two pages windows on one list, and so not similar unless they are equal? Asked of pages
 * that are or may be of one site, one of them an index page; never so where the options have no
 * lists.
 * \param[in] a, b  payloads */
void nd_method_is_pagination(const nd_method *method, const nd_method_options *options,
                             nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                             bool *pagination);

/** What is taken off the similarity of two pages. */
typedef struct nd_method_discount {
    bool asks_names;  /**< else the next two are 0 */
    uint64_t repeats; /**< of what one names and the other never does, see compare/penalties.h */
    double names;     /**< for these */
    double rewritten; /**< for the passages that only one of two texts has */
} nd_method_discount;

/** What is taken off for two pages that are not equal; sequences alone lose anything.
 * \param[in] a, b   payloads
 * \param[in] pair   ND_PAIR_*
 * \param[in] score  of the two, by nd_method_similarity() */
void nd_method_penalties(const nd_method *method, const nd_method_options *options,
                         nd_method_work *work, nd_span a, nd_span b, uint32_t pair, double score,
                         nd_method_discount *off);

/** nd_method_similarity() less what is taken off, and 0 for windows on one list; 0 if that is below
 * the threshold. Equal pages are similar in any case.
 * \param[in] pair  ND_PAIR_* */
void nd_method_compare(const nd_method *method, const nd_method_options *options,
                       nd_method_work *work, nd_span a, nd_span b, uint32_t pair, double threshold,
                       double *similarity);

/** The same of a set's leader and a page that links join to it, whose names were asked along the
 * links: the threshold is that of their texts, before names are taken off, and what reaches it is
 * above 0 whatever names take off. */
void nd_method_compare_member(const nd_method *method, const nd_method_options *options,
                              nd_method_work *work, nd_span a, nd_span b, uint32_t pair,
                              double threshold, double *similarity);

/** The defaults of the program, chosen on labelled pages. */
nd_method_options nd_method_default_options(void);

/** What Huang, Wang and Li published (CIKM 2008), trustable LCS and all, with 0.8 for the
 * threshold, of which they say nothing. */
nd_method_options nd_method_paper_options(void);

/** Set what the method was published with; the rest stays as the preset has it. */
void nd_method_set_defaults(const nd_method *method, nd_method_options *options);

/** The method's own options, on top of the program's defaults, ready for use.
 * \return ND_OK, or the failure of nd_method_derive() */
nd_status nd_method_own_options(const nd_method *method, nd_method_options *options);

/** The threshold for two pages by what is known of them (ND_PAIR_*); at most 1. Lower for pages
 * of one site only where the method has a site_threshold. */
double nd_method_threshold(const nd_method_options *options, uint32_t pair);

/** The same for a page and the leader of its set, of which --slack is to be taken off: what
 * addresses name is asked of pairs that join pages, not of these, since two versions of one page
 * would be parted else where the leader of one is of another name. */
double nd_method_leader_threshold(const nd_method_options *options, uint32_t pair);

/** The least threshold for two pages, whatever they are. */
double nd_method_least_threshold(const nd_method_options *options);

/** Check the options that all methods share against their ranges.
 * \return ND_OK, or ND_ERR_USAGE with a text that names the option and its range */
nd_status nd_method_check_options(const nd_method_options *options);

/** Make options ready for a method: derive() of the method, then nd_method_check_options(). To be
 * called once all options are set, and before a page is signed. */
nd_status nd_method_derive(const nd_method *method, nd_method_options *options);

/* ---- the options of methods: one table (src/base/option.h) over nd_method_options. What an option
 * means is said above and by the method; values are checked there too (nd_method_derive). */

/** All of them; those below the first heading are used by all methods. */
extern const nd_option nd_method_option_table[];

/** Does the method use the option, a row of the table? */
bool nd_method_uses(const nd_method *method, const nd_option *option);

/* ---- the table */

/** The row of that name; NULL if there is none. */
const nd_method *nd_method_find(const char *name);

/** Rows 0, 1, ... of the table; NULL after the last. The first is the default. */
const nd_method *nd_method_row(size_t row);

#endif
