/** \file io/store/packing.h
 * Bytes packed into fewer: those of one kind, a block at a time, and the texts of pages, a record
 * each. Where blocks and records lie is the caller's to know. Invariant: what is unpacked is what
 * was packed, or a failure.
 */
#ifndef ND_STORE_PACKING_H
#define ND_STORE_PACKING_H

#include "src/base/buffer.h"
#include "src/method/method.h"
#include "src/text/word_codes.h"

#include <stdbool.h>

/* ---- blocks: numbers of a fixed width byte by byte, so that what is alike stands together,
 * then zstd. Tokens, which are hashes and so look like noise, first become their ranks
 * among those of the block by how often they occur. What a block holds is the caller's to
 * know. */

/** What is packed. */
typedef enum nd_packing {
    ND_PACKING_TOKENS, /**< uint32_t, of which many repeat */
    ND_PACKING_COUNTS  /**< uint16_t, most of them small; anything else too */
} nd_packing;

/** Append the packed block to `out`.
 * \param[in] size  of a whole number of values, below 2 GiB \return ND_OK or ND_ERR_MEMORY */
nd_status nd_pack(nd_packing packing, const void *bytes, size_t size, nd_buffer *out);

/** Unpack a block of `size` bytes into `out`, which has room for them.
 * \return ND_OK; ND_ERR_FORMAT if it is no such block; ND_ERR_MEMORY */
nd_status nd_unpack(nd_packing packing, nd_span packed, void *out, size_t size);

/* ---- The texts of pages in fewer bytes: a page becomes a record, in which a sentence that one of
 * the records before it has in full is only named by its place (as LZ77 does, by sentences), and
 * words that come often are codes of one or two bytes. A record is read by itself, with those bytes
 * before it that it names and the words of the sequence, so any page can be entered. Where records
 * lie, in memory or a file, is the caller's to know: places are numbers of bytes in one sequence
 * of records. Invariant: what is unpacked is what was packed, or a failure.
 *
 * A record: its bytes after these (uint32_t); sentences times two, plus one if they are not the
 * page's tokens. Then of each sentence a byte, its flags times four (252: they follow in full),
 * plus one if it is only named: the place of its body follows then, as its distance from the one
 * that was named last, or from the record; plus two if that place is among the common ones, counted
 * from their first byte. A body is the number of bytes that its tokens take, times eight plus what
 * else it has (HAS_ in packing.c); its digest, unless that is 0; the masked hash, unless that is 0
 * or the tokens' own; tokens. If the sentences are not the tokens: the number of tokens, these, and
 * the sentences as they are. Numbers have 7 bits a byte, the lowest first.
 *
 * Sentences that come again and again, but too far apart to be named, are common: their bodies
 * stand together, once, after the records of the sequence, and before the words. */

/** The tokens that have codes (src/text/word_codes.h), by code; codes are only ever added, so that
 * no record changes its meaning. All zero: none has. */
typedef struct nd_text_words {
    uint32_t short_count, long_count;
    uint32_t shorts[ND_WORD_SHORT_CODES];
    uint32_t *longs;
    size_t capacity; /**< of longs */
    uint64_t common; /**< where the common sentences begin; set when it is read */
} nd_text_words;

/** Places that are remembered together: a new one takes the place of the oldest. */
enum { ND_TEXT_SET = 8 };

/** What is remembered of a sentence. */
typedef struct nd_text_place {
    uint64_t key[2]; /**< of all that is packed of it */
    uint64_t place;  /**< of its body, times four, plus how often it had come too far from its
                          last place, or three if it is common; 0: none */
} nd_text_place;

/** Eight tokens, how often each came, and its code plus one, the short ones first; 0: none. */
typedef struct nd_text_bucket {
    uint32_t word[8];
    uint16_t seen[8], code[8];
} nd_text_bucket;

/** What a sentence is known by while its page is packed. */
typedef struct nd_text_key {
    uint64_t key[2]; /**< as of a place */
    uint64_t tokens; /**< the lower half of their hash */
} nd_text_key;

/** nd_text_packer_open() first; all zero may only be closed. */
typedef struct nd_text_packer {
    nd_text_words words;
    nd_text_bucket *buckets; /**< a power of two */
    uint32_t bucket_bits;
    uint64_t seen;        /**< tokens that were written */
    nd_text_place *table; /**< sets of ND_TEXT_SET places, the newest of each first */
    uint64_t sets, most_sets;
    uint64_t places;      /**< that were added */
    uint64_t window;      /**< bytes that readers have at hand: before a record, and common */
    uint64_t most_common; /**< of these, what common sentences may take, about */
    nd_buffer common;     /**< their bodies */
    nd_buffer record, codes;
    nd_text_key *keys; /**< of the sentences of the page; scratch */
    size_t key_capacity;
} nd_text_packer;

/** Of a packer that is all zero, or rests: nothing is allocated yet.
 * \param[in] window  readers have so many bytes before a record at hand
 * \param[in] memory  bytes to remember sentences and words by; below 16 KiB it is taken as that */
void nd_text_packer_open(nd_text_packer *packer, uint64_t window, uint64_t memory);

/** Pack a page's text. \param[in] place  where the record will lie; they ascend
 * \param[out] record  borrowed until the next call \return ND_OK, ND_ERR_MEMORY, or
 * ND_ERR_LIMIT for one of 4 GiB */
nd_status nd_text_pack(nd_text_packer *packer, uint64_t place, const nd_document *document,
                       nd_span *record);

/** Append what ends a sequence of records after the common sentences: their size, and the words. */
void nd_text_packer_end(const nd_text_packer *packer, nd_buffer *out);

/** Free all but the words. If it is opened again, others are learned beside them. */
void nd_text_packer_rest(nd_text_packer *packer);

void nd_text_packer_close(nd_text_packer *packer);

/** Gives bytes of the sequence, from a place on. \param[in] most  there may be fewer, at its end
 * \param[out] bytes  borrowed until the next call */
typedef nd_status (*nd_text_source)(void *context, uint64_t place, size_t most, nd_span *bytes);

/** A record that is being read; all zero is a valid start. */
typedef struct nd_text_reader {
    nd_text_source source;
    void *context;
    const nd_text_words *words; /**< of the sequence; borrowed */
    uint64_t place;             /**< of the record */
    uint32_t sentences;         /**< in all */
    bool loose;                 /**< they are not the page's tokens */
    nd_buffer record;           /**< what follows the number of sentences */
} nd_text_reader;

/** Read the words that end a sequence of so many bytes. \param[out] words  replaced; empty on
 * failure \return ND_OK, ND_ERR_FORMAT if it ends with none, or a failure of the source */
nd_status nd_text_words_take(nd_text_words *words, nd_text_source source, void *context,
                             uint64_t size);

void nd_text_words_free(nd_text_words *words);

/** Read a record: its number of sentences is then known. \return ND_OK, ND_ERR_FORMAT if there is
 * no record, or a failure of the source */
nd_status nd_text_reader_enter(nd_text_reader *reader, uint64_t place);

/** Unpack it. \param[in] mask  bit k: sentence k is wanted; NULL: all are
 * \param[in]  token_count  of those
 * \param[out] tokens     theirs, replaced
 * \param[out] sentences  nd_sentence_digest, replaced; NULL: not wanted
 * \return ND_OK, ND_ERR_FORMAT if it is damaged, or a failure of the source */
nd_status nd_text_unpack(nd_text_reader *reader, const uint8_t *mask, uint32_t token_count,
                         nd_buffer *tokens, nd_buffer *sentences);

void nd_text_reader_close(nd_text_reader *reader);

#endif
