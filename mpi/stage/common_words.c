#include "mpi/stage/common_words.h"

#include "mpi/comm/exchange.h"
#include "mpi/stage/index_pages.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* ---- a sample */

/* One page in so many, or fewer if their words do not fit in a round. */
enum { EVERY = 16 };

/* Bring equal words together: key and value are a word and how often it came. \return how many are
 * left */
static uint64_t sum_up(nd_key_value *words, uint64_t count) {
    uint64_t kept = 0;
    nd_radix_sort(words, (size_t)count);
    for (uint64_t i = 0; i < count; i++) {
        if (kept > 0 && words[kept - 1].key == words[i].key) {
            words[kept - 1].value += words[i].value;
        } else {
            words[kept++] = words[i];
        }
    }
    return kept;
}

/* The words of a sample of this rank's pages. Not of those of an index, which may be far away. */
static nd_status sample(nd_job *job, nd_key_value **words, uint64_t *count) {
    nd_status st = ND_OK;
    nd_page_store *store = &job->state->pages;
    nd_document document;
    const uint64_t room = job->comm.round_bytes / sizeof **words + 1;
    uint64_t tokens = 0;
    *count = 0;
    nd_new_room(words, room, sizeof **words);
    for (size_t i = 0; i < store->count; i++) {
        tokens += store->pages[i].token_count;
    }
    const size_t every = (size_t)nd_max(EVERY, tokens / room + 1);
    for (size_t i = nd_index_own_count(job); i < store->count; i += every) {
        ND_TRY(nd_page_store_tokens(store, i, &document));
        const uint64_t all = nd_min(document.token_count, room - *count);
        for (uint64_t k = 0; k < all; k++) {
            (*words)[(*count)++] = (nd_key_value){document.tokens[k], 1};
        }
    }
    *count = sum_up(*words, *count);
out:
    return st;
}

/* ---- the words of all ranks */

static int word_owner(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(nd_mix64(((const nd_key_value *)record)->key), size);
}

/* Words as numbers that put the more frequent ones first, and then the smaller ones. Those that
 * came once are none: they would be the words of single pages. */
static uint64_t order_words(const nd_key_value *words, uint64_t count, uint64_t *ordered) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (words[i].value > 1) {
            const uint64_t seldom = UINT32_MAX - nd_min(words[i].value, UINT32_MAX);
            ordered[kept++] = seldom << 32 | words[i].key;
        }
    }
    return nd_numbers_distinct(ordered, kept);
}

/* This rank's words are of all alike, so the first of each rank's are about the first of all.
 * \param[out] ordered  of all ranks */
static nd_status gather(nd_comm *comm, const nd_key_value *words, uint64_t count,
                        uint64_t **ordered, uint64_t *total) {
    nd_status st = ND_OK;
    const uint64_t size = (uint64_t)comm->size;
    const uint64_t most = (ND_WORD_SHORT_CODES + ND_WORD_LONG_CODES) / size;
    uint64_t *own = NULL;
    uint64_t *sent = NULL;
    uint64_t *counts = NULL;
    nd_new_room(&own, count, sizeof *own);
    nd_new_room(&counts, 2 * size, sizeof *counts);
    const uint64_t each = nd_min(order_words(words, count, own), most);
    nd_new_room(&sent, size * each, sizeof *sent);
    for (uint64_t r = 0; r < size; r++) {
        counts[r] = each;
        if (each > 0) {
            memcpy(sent + r * each, own, each * sizeof *own);
        }
    }
    ND_TRY(nd_exchange(comm, sent, counts, sizeof *sent, ordered, counts + size, total));
    *total = nd_numbers_distinct(*ordered, *total);
out:
    free(own);
    free(sent);
    free(counts);
    return st;
}

static size_t pack(const void *context, const uint8_t *bytes, size_t size, uint8_t *packed) {
    return nd_word_codes_pack(context, bytes, size, packed);
}

static bool unpack(const void *context, nd_span packed, uint8_t *bytes, size_t size) {
    return nd_word_codes_unpack(context, packed, bytes, size);
}

nd_status nd_common_words_find(nd_job *job, const bool *packs) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    nd_common_words *common = &job->state->common_words;
    nd_key_value *counted = NULL;
    uint64_t *ordered = NULL;
    uint32_t *words = NULL;
    uint64_t count = 0;
    ND_TRY(nd_comm_agree(comm, sample(job, &counted, &count)));
    ND_TRY(nd_shuffle(comm, &counted, &count, sizeof *counted, word_owner, NULL));
    count = sum_up(counted, count);
    ND_TRY(gather(comm, counted, count, &ordered, &count));
    nd_new_room(&words, count, sizeof *words);
    for (uint64_t i = 0; i < count; i++) {
        words[i] = (uint32_t)ordered[i];
    }
    nd_common_words_close(common);
    nd_word_codes_open(&common->codes, words, (uint32_t)count);
    nd_new_room(&common->packs, (size_t)comm->size, sizeof *packs);
    memcpy(common->packs, packs, (size_t)comm->size * sizeof *packs);
    common->known = true;
    common->wire = (nd_wire){.packs = common->packs,
                             .context = &common->codes,
                             .most = nd_word_codes_most,
                             .pack = pack,
                             .unpack = unpack};
out:
    free(counted);
    free(ordered);
    free(words);
    return st;
}

nd_status nd_common_words_wire(nd_job *job, const nd_wire **wire) {
    nd_status st = ND_OK;
    const nd_job_options *o = &job->options;
    nd_common_words *common = &job->state->common_words;
    bool *packs = NULL;
    bool any = false;
    *wire = NULL;
    if (!o->method->sequences || nd_method_compares_digests(o->method, &o->method_options)) {
        return ND_OK; /* what travels is no words */
    }
    if (!common->known) {
        nd_new_room(&packs, (size_t)job->comm.size, sizeof *packs);
        nd_comm_elsewhere(&job->comm, packs);
        for (int r = 0; r < job->comm.size; r++) {
            any = any || packs[r];
        }
        /* where one rank has others on another node, all do */
        ND_TRY(any ? nd_common_words_find(job, packs) : ND_OK);
        common->known = true;
    }
    *wire = common->packs != NULL ? &common->wire : NULL;
out:
    free(packs);
    return st;
}

void nd_common_words_close(nd_common_words *words) {
    nd_word_codes_close(&words->codes);
    free(words->packs);
    *words = (nd_common_words){0};
}
