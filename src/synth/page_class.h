/** \file src/synth/page_class.h
 * What a synthetic page is to the others: the original of a story, a copy of it edited in one of
 * several ways, or a page that looks like others without being a copy. Names and what the truth
 * says of each; how they are made is not said here.
 */
#ifndef ND_SYNTH_PAGE_CLASS_H
#define ND_SYNTH_PAGE_CLASS_H

typedef enum nd_page_class {
    ND_PAGE_ORIGINAL,
    ND_PAGE_SAME,      /**< P0: the same text in another template */
    ND_PAGE_STAMPED,   /**< P1: other URL, and maybe time stamp, session, visitor count */
    ND_PAGE_INSERTED,  /**< P2: advertisements or comments inserted */
    ND_PAGE_REVISED,   /**< P3: 1 to 10 % of the words edited */
    ND_PAGE_EXTENDED,  /**< P4: title, byline, or a paragraph of up to 10 % added or removed */
    ND_PAGE_NOISY,     /**< P5: other markup, entities and punctuation */
    ND_PAGE_REORDERED, /**< P6: the paragraphs in another order */
    ND_PAGE_REWRITTEN, /**< U1: 10 to 40 % of the words edited */
    ND_PAGE_PARTIAL,   /**< U2: an excerpt of the original, or the original among other stories */
    ND_PAGE_TEMPLATE,  /**< N1: a short story of its own in a site's large template */
    ND_PAGE_FORM,      /**< N2: a form of a site, filled with data of its own */
    ND_PAGE_SERIES,    /**< N3: a part of a series; the parts share title and introduction */
    ND_PAGE_QUOTING,   /**< N4: an article of its own that quotes an agency's paragraph */
    ND_PAGE_INDEX,     /**< N5: a list of headlines, most of which stand on other lists */
    ND_PAGE_TOPIC,     /**< N6: the topic of other articles, in other words */
    ND_PAGE_ERROR,     /**< N7: an error or login page, or one without text */
    ND_PAGE_CLASSES    /**< how many there are */
} nd_page_class;

/** What the truth says of a class. */
typedef enum nd_page_truth {
    ND_TRUTH_COPY,      /**< original and positive: of its story's cluster */
    ND_TRUTH_UNDECIDED, /**< loose: no pair with it is evaluated */
    ND_TRUTH_ALONE,     /**< near-duplicate of no other page */
    ND_TRUTH_SITE       /**< of one cluster with the same site's pages of the same wording */
} nd_page_truth;

typedef struct nd_page_class_row {
    const char *name;    /**< as in the label files: O, P0, ... N7 */
    const char *summary; /**< one line */
    nd_page_truth truth;
} nd_page_class_row;

/** The row of a class; `class` is below ND_PAGE_CLASSES. */
const nd_page_class_row *nd_page_class_get(nd_page_class class);

#endif
