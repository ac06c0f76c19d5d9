/** \file io/store/page_store.h
 * The pages of one rank between the stages. What is known of every page (nd_stored_page) is held in
 * memory; its tokens and sentence digests (its text), and its id and URL (its names), lie in
 * spools: in memory as far as they fit, the rest in files of the work folder, some of which earlier
 * runs or other ranks may have written. Texts lie in memory as they are, up to a quarter of what
 * there is for them; those after that are packed (packing.h), and all where they are to be
 * kept. What is not compared of a packed text is masked, and stays. Pages are appended in order and
 * then only read, by local index. Nothing is compared here.
 */
#ifndef ND_STORE_PAGE_STORE_H
#define ND_STORE_PAGE_STORE_H

#include "io/store/packing.h"
#include "io/store/page_claim.h"
#include "io/store/spool.h"
#include "src/method/method.h"

#include <stdbool.h>

enum {
    ND_PAGE_INDEX = 1, /**< links outweigh its own text */
    ND_PAGE_THIN = 2,  /**< what is compared of it is shorter than a sentence that counts */
    ND_PAGE_REVISIT =
        4,           /**< it has no text: it is a copy of another capture; set when it is read */
    ND_PAGE_TEXT = 8 /**< plain text, no HTML; set when it is read */
};

/** What is known of a stored page besides its bytes. No padding: it is kept as bytes. */
typedef struct nd_stored_page {
    nd_text_hash text_hash;    /**< of the whole text, by its normalised bytes */
    nd_text_hash content_hash; /**< of what is compared; set by content selection */
    uint64_t site;             /**< hash of the URL's host (src/text/address.h) */
    uint64_t offset;           /**< where its record starts in the source */
    uint64_t date;             /**< of its capture, seconds since 1970 UTC; 0: unknown */
    uint64_t checksum;         /**< of its record, as it lies in the source */
    uint64_t text;             /**< where its tokens, or its packed text, start; set by the store */
    uint64_t sentences;        /**< where its sentence digests start; or ND_PAGE_PACKED and where
                                    its mask is, if it has one; set by the store */
    uint64_t names;            /**< where its names start; set by the store */
    uint32_t id_size;          /**< bytes; set by the store */
    uint32_t url_size;
    uint32_t source;         /**< row of the sorted list of inputs */
    uint32_t text_tokens;    /**< length of the whole text */
    uint32_t token_count;    /**< of what is kept of it */
    uint32_t sentence_count; /**< likewise */
    uint16_t collection;
    uint16_t flags;      /**< ND_PAGE_*; set by content selection, but for two */
    uint16_t claim_size; /**< bytes of its claim, which follows its names; set by the store */
    uint16_t subject;    /**< of a page of HTML, or ND_SUBJECT_TEXT (src/text/address.h) */
} nd_stored_page;

/** Of nd_stored_page.sentences: of a packed text, and of one without a mask. */
#define ND_PAGE_PACKED (UINT64_C(1) << 63)
#define ND_PAGE_WHOLE  UINT64_MAX

static inline bool nd_stored_page_is_packed(const nd_stored_page *page) {
    return (page->sentences & ND_PAGE_PACKED) != 0;
}

static inline bool nd_stored_page_is_masked(const nd_stored_page *page) {
    return nd_stored_page_is_packed(page) && page->sentences != ND_PAGE_WHOLE;
}

static inline nd_origin nd_stored_page_origin(const nd_stored_page *page) {
    return (nd_origin){page->site, page->subject, (page->flags & ND_PAGE_TEXT) != 0};
}

/** A run of bytes of all texts, of all sentences, or of all names. */
typedef struct nd_page_part {
    uint64_t first; /**< number of its first byte, as nd_stored_page counts them */
    nd_spool spool;
    nd_text_words *words; /**< of packed texts in a file that is open; NULL: not read yet */
} nd_page_part;

/** However many files there are, a bounded number is open: the others are opened when they are
 * read. */
typedef struct nd_page_parts {
    nd_page_part *parts; /**< ascending by first */
    size_t count, capacity;
    size_t open;   /**< of kept files, so many are */
    size_t oldest; /**< where the one that was opened first is looked for */
} nd_page_parts;

/** How the memory is shared out among a store's bytes: texts as they are, packed ones, what was
 * read of those in files, what they are packed by, and names. Texts that are kept are all packed,
 * and what they are packed by is gone before any is read: that part is one of all of the memory.
 */
enum {
    ND_PAGE_STORE_PARTS = 16,
    ND_PAGE_STORE_PLAIN = 4,
    ND_PAGE_STORE_PACKED = 4,
    ND_PAGE_STORE_READ = 5,
    ND_PAGE_STORE_PACKER = 2,
    ND_PAGE_STORE_NAMES = 1,
    ND_PAGE_STORE_READ_KEPT = 15,
    ND_PAGE_STORE_PACKER_KEPT = 12
};

/** Bytes of packed texts that are read at a time, as the system reads them. Pages to be compared
 * lie anywhere, and from larger blocks far more would be read for each. */
enum { ND_PAGE_STORE_BLOCK = 4 << 10 };

/** A block that was read from a file. */
typedef struct nd_page_block {
    uint64_t number; /**< of the part and the block in it, plus one; 0: none */
    nd_buffer bytes;
} nd_page_block;

/** All zero is a valid empty store that holds everything in memory. */
typedef struct nd_page_store {
    nd_spool_folder *folder; /**< borrowed; NULL: everything in memory */
    uint64_t memory;         /**< bytes of all that is here; without a folder there is no bound */
    uint64_t per_page; /**< of these, bytes that each page takes without its text and names, here or
                            elsewhere */
    uint64_t lent; /**< bytes more for what is read of packed texts, until contents are selected: of
                        what is needed later, */
    uint64_t lent_per_page; /**< and of what each page takes later */
    uint64_t expected;      /**< pages there will be in all, as far as one knows; 0: unknown, */
    uint64_t most_expected; /**< and where what is taken for them cannot be given back */
    nd_stored_page *pages;
    size_t count, capacity;
    bool keeps; /**< what is appended will be kept in files: texts are packed at once */
    nd_page_parts text, sentences, names;
    nd_page_parts packed, masks;
    nd_text_packer packer;
    nd_text_reader reader;
    size_t entered;        /**< index of the page whose packed text was read last */
    size_t entered_part;   /**< of its text */
    bool misread;          /**< bytes of it could not be read */
    nd_page_block *blocks; /**< of packed texts in files */
    size_t block_count;
    nd_buffer text_scratch, sentence_scratch, name_scratch, packed_scratch, mask_scratch;
} nd_page_store;

/** Bytes that the tokens and sentences, or the names, of all pages take. */
uint64_t nd_page_store_text_bytes(const nd_page_store *store);
uint64_t nd_page_store_name_bytes(const nd_page_store *store);

/** Tokens of all pages that are kept. */
uint64_t nd_page_store_token_count(const nd_page_store *store);

/** Append one page; everything is copied.
 * \param[in] page  token_count and sentence_count give the lengths of the two arrays
 * \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO; on failure the store is only good for being freed */
nd_status nd_page_store_append(nd_page_store *store, const nd_stored_page *page,
                               const uint32_t *tokens, const nd_sentence_digest *sentences,
                               nd_span id, nd_span url);

/** Keep the claim of the page that was appended last, if it has any. \return as above */
nd_status nd_page_store_append_claim(nd_page_store *store, const nd_page_claim *claim);

/** Append the text of a page that is of another store, or has none yet, as it is, to the last
 * parts; its places are set. \return as above */
nd_status nd_page_store_append_text(nd_page_store *store, nd_stored_page *page,
                                    const uint32_t *tokens, const nd_sentence_digest *sentences);

/** The packed texts are all there and about to be kept: append the words that they need.
 * \return as above */
nd_status nd_page_store_end_texts(nd_page_store *store);

/** One more part, the spool of which is still to be opened. */
nd_page_part *nd_page_parts_add(nd_page_parts *parts, uint64_t first);

/** Add bytes that were kept in a file: `first` is the number of its first byte. The file is opened,
 * and checked, when it is first read. */
void nd_page_store_add_part(nd_page_store *store, nd_page_parts *parts, uint64_t first,
                            const nd_kept_file *file);

/** Page `index` as a method signs it; borrowed until the next call for this store.
 * \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO; ND_ERR_FORMAT if a packed text is damaged */
nd_status nd_page_store_document(nd_page_store *store, size_t index, nd_document *document);

/** The same without its sentences: as a method compares it. */
nd_status nd_page_store_tokens(nd_page_store *store, size_t index, nd_document *document);

/** Are a page's sentences, which may come from anyone's file, its tokens? Who goes through the one
 * by the other asks. \return ND_OK or ND_ERR_FORMAT */
nd_status nd_page_check_sentences(const nd_document *document);

/** Contents are selected, here or by an earlier run: what was lent is given back. Of what was read
 * as much stays as there is room for. */
void nd_page_store_give_back(nd_page_store *store);

/** Forget the sentences of all pages: from now on they have none. */
void nd_page_store_drop_sentences(nd_page_store *store);

/** Forget the texts of all pages: only what else is known of them may be read from now on. */
void nd_page_store_drop_texts(nd_page_store *store);

/** Id and URL of page `index`, borrowed likewise. */
nd_status nd_page_store_names(nd_page_store *store, size_t index, nd_span *id, nd_span *url);

/** The claim of page `index`. */
nd_status nd_page_store_claim(nd_page_store *store, size_t index, nd_page_claim *claim);

/** Free everything but the folder and what is said of memory; the store is empty. */
void nd_page_store_free(nd_page_store *store);

/* ---- Keeping some sentences of every stored page and forgetting the others, with the bytes they
 * take. Which ones is the caller's choice. */

/** Chooses sentences of one page: keep[k] is false on entry for each of its sentences. */
typedef nd_status (*nd_sentence_choice)(void *context, size_t index, const nd_document *document,
                                        bool *keep);

/** Takes what is kept of the page, as nd_page_store_document() gives it afterwards. */
typedef nd_status (*nd_content_sink)(void *context, size_t index, const nd_document *content);

/** Keep the chosen sentences of all pages, with their tokens; the pages' counts follow. No more is
 * in memory meanwhile than the store may have, and a page's text.
 * \param[in] take  called for each page once its sentences are chosen; NULL: nobody wants it
 * \return ND_OK or a failure; on failure the store is only good for being freed */
nd_status nd_page_store_select(nd_page_store *store, nd_sentence_choice choose,
                               nd_content_sink take, void *context);

#endif
