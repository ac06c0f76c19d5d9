#include "io/store/packing.h"

#include "io/store/spool.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/text/page.h"

#include <zstd.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ==== blocks */

/* More gains a hundredth of the bytes and takes several times as long. */
enum { LEVEL = 3 };

/* ---- values, byte by byte */

/* Append one byte of each value, packed, after the number of the bytes that it takes. */
static nd_status pack_plane(const uint8_t *bytes, size_t count, size_t width, uint8_t *plane,
                            nd_buffer *out) {
    nd_status st = ND_OK;
    const size_t room = ZSTD_compressBound(count);
    uint32_t size = 0;
    for (size_t i = 0; i < count; i++) {
        plane[i] = bytes[i * width];
    }
    nd_buffer_reserve(out, sizeof size + room);
    const size_t made =
        ZSTD_compress(out->data + out->size + sizeof size, room, plane, count, LEVEL);
    if (ZSTD_isError(made)) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a zstd encoder");
        goto out;
    }
    size = (uint32_t)made;
    memcpy(out->data + out->size, &size, sizeof size);
    out->size += sizeof size + made;
out:
    return st;
}

static nd_status pack_values(const uint8_t *bytes, size_t size, size_t width, nd_buffer *out) {
    nd_status st = ND_OK;
    uint8_t *plane = NULL;
    nd_new_room(&plane, size / width, 1);
    for (size_t b = 0; b < width; b++) {
        ND_TRY(pack_plane(bytes + b, size / width, width, plane, out));
    }
out:
    free(plane);
    return st;
}

static nd_status damaged(void) {
    return nd_fail(ND_ERR_FORMAT, "a packed block or text is damaged");
}

/* Take so many bytes off the front. */
static nd_status take(nd_span *from, uint64_t size, const uint8_t **bytes) {
    if (size > from->size) {
        return damaged();
    }
    *bytes = from->data;
    from->data = size > 0 ? from->data + size : from->data; /* of nothing there is no address */
    from->size -= (size_t)size;
    return ND_OK;
}

static nd_status take_size(nd_span *from, uint32_t *size) {
    const uint8_t *bytes = NULL;
    const nd_status st = take(from, sizeof *size, &bytes);
    if (st == ND_OK) {
        memcpy(size, bytes, sizeof *size);
    }
    return st;
}

static nd_status unpack_values(nd_span *packed, size_t size, size_t width, uint8_t *out) {
    nd_status st = ND_OK;
    uint8_t *plane = NULL;
    const uint8_t *bytes = NULL;
    uint32_t length = 0;
    const size_t count = size / width;
    nd_new_room(&plane, count, 1);
    for (size_t b = 0; b < width; b++) {
        ND_TRY(take_size(packed, &length));
        ND_TRY(take(packed, length, &bytes));
        if (ZSTD_decompress(plane, count, bytes, length) != count) {
            st = damaged();
            goto out;
        }
        for (size_t i = 0; i < count; i++) {
            out[i * width + b] = plane[i];
        }
    }
out:
    free(plane);
    return st;
}

/* ---- tokens */

/* The distinct tokens, those that occur most first, and of each token its place among them. */
static void rank_tokens(const uint32_t *tokens, size_t count, uint32_t *distinct,
                        uint32_t *distinct_count, uint32_t *ranks) {
    nd_key_value *places = NULL; /* (token, its place), then by place the rank */
    nd_key_value *order = NULL;  /* (how often, descending; first of its places) */
    size_t found = 0;
    nd_new_room(&places, count, sizeof *places);
    nd_new_room(&order, count, sizeof *order);
    for (size_t i = 0; i < count; i++) {
        places[i] = (nd_key_value){tokens[i], i};
    }
    nd_radix_sort(places, count);
    for (size_t i = 0, end = 0; i < count; i = end) {
        end = (size_t)nd_key_end(places, count, i, places[i].key);
        order[found++] = (nd_key_value){UINT64_MAX - (end - i), i};
    }
    nd_radix_sort(order, found);
    for (size_t rank = 0; rank < found; rank++) {
        const size_t begin = (size_t)order[rank].value;
        const size_t end = begin + (size_t)(UINT64_MAX - order[rank].key);
        distinct[rank] = (uint32_t)places[begin].key;
        for (size_t i = begin; i < end; i++) {
            ranks[places[i].value] = (uint32_t)rank;
        }
    }
    *distinct_count = (uint32_t)found;
    free(places);
    free(order);
}

static nd_status pack_tokens(const void *tokens, size_t size, nd_buffer *out) {
    nd_status st = ND_OK;
    uint32_t *distinct = NULL;
    uint32_t *ranks = NULL;
    uint32_t count = 0;
    nd_new_room(&distinct, size, 1);
    nd_new_room(&ranks, size, 1);
    rank_tokens(tokens, size / sizeof *ranks, distinct, &count, ranks);
    nd_buffer_append(out, &count, sizeof count);
    nd_buffer_append(out, distinct, count * sizeof *distinct);
    ND_TRY(pack_values((const uint8_t *)ranks, size, sizeof *ranks, out));
out:
    free(distinct);
    free(ranks);
    return st;
}

static nd_status unpack_tokens(nd_span *packed, size_t size, uint32_t *tokens) {
    nd_status st = ND_OK;
    uint32_t count = 0;
    const uint8_t *distinct = NULL;
    ND_TRY(take_size(packed, &count));
    ND_TRY(take(packed, count * sizeof *tokens, &distinct));
    ND_TRY(unpack_values(packed, size, sizeof *tokens, (uint8_t *)tokens));
    for (size_t i = 0; i < size / sizeof *tokens; i++) {
        if (tokens[i] >= count) {
            st = damaged();
            goto out;
        }
        memcpy(&tokens[i], distinct + tokens[i] * sizeof *tokens, sizeof *tokens);
    }
out:
    return st;
}

/* ---- either */

nd_status nd_pack(nd_packing packing, const void *bytes, size_t size, nd_buffer *out) {
    return packing == ND_PACKING_TOKENS ? pack_tokens(bytes, size, out)
                                        : pack_values(bytes, size, sizeof(uint16_t), out);
}

nd_status nd_unpack(nd_packing packing, nd_span packed, void *out, size_t size) {
    const nd_status st = packing == ND_PACKING_TOKENS
                             ? unpack_tokens(&packed, size, out)
                             : unpack_values(&packed, size, sizeof(uint16_t), out);
    return st != ND_OK || packed.size == 0 ? st : damaged();
}

/* ==== texts */

enum {
    LEAST_MEMORY = 16 << 10,
    FIRST_SETS = 1 << 13, /* of a table, at least, if there is memory for as many */
    MOST_NUMBER = 10,     /* bytes of a number */
    OTHER_FLAGS = 63      /* they follow, in full */
};

/* Where the body of a sentence is. */
typedef enum body_is { BODY_HERE, BODY_BEFORE, BODY_COMMON, BODY_KINDS } body_is;

/* What of a sentence comes before its tokens: its digest, its masked hash; or that one is the
 * tokens' hash. */
enum {
    HAS_DIGEST = 1,
    HAS_MASKED = 2,
    HAS_PLAIN = 4,
    MOST_HEAD = sizeof(nd_md5) + sizeof(uint64_t)
};

/* ---- numbers */

static size_t put_number(uint8_t *to, uint64_t number) {
    size_t size = 0;
    for (; number >= 128; number >>= 7) {
        to[size++] = (uint8_t)(number | 128);
    }
    to[size++] = (uint8_t)number;
    return size;
}

static nd_status take_number(nd_span *from, uint64_t *number) {
    *number = 0;
    for (size_t i = 0; i < from->size && i < MOST_NUMBER; i++) {
        *number |= (uint64_t)(from->data[i] & 127U) << (7 * i);
        if (from->data[i] < 128) {
            from->data += i + 1;
            from->size -= i + 1;
            return ND_OK;
        }
    }
    return damaged();
}

/* Of a difference, small ones small whatever their sign. */
static uint64_t fold(uint64_t from, uint64_t to) {
    return to < from ? (from - to) * 2 - 1 : (to - from) * 2;
}

static uint64_t unfold(uint64_t from, uint64_t folded) {
    return folded % 2 == 1 ? from - (folded / 2 + 1) : from + folded / 2;
}

/* ---- words */

enum {
    IN_BUCKET = 8,
    /* A token gets a code once it came so often, and is so many millionths of what was written. */
    LEAST_LONG = 4,
    LONG_SHARE = 1,
    LEAST_SHORT = 64,
    SHORT_SHARE = 1000
};

static bool is_often(const nd_text_packer *p, uint64_t seen, uint64_t least, uint64_t share) {
    return seen >= least && seen * 1000000 >= share * p->seen;
}

/* Give a token the next code, or a shorter one, if it comes often enough. */
static void give_code(nd_text_packer *p, uint32_t token, uint64_t seen, uint16_t *code) {
    nd_text_words *w = &p->words;
    if (w->short_count < ND_WORD_SHORT_CODES && is_often(p, seen, LEAST_SHORT, SHORT_SHARE)) {
        w->shorts[w->short_count++] = token;
        *code = (uint16_t)w->short_count;
    } else if (*code == 0 && w->long_count < ND_WORD_LONG_CODES &&
               is_often(p, seen, LEAST_LONG, LONG_SHARE)) {
        nd_grow(&w->longs, &w->capacity, w->long_count + 1, sizeof *w->longs);
        w->longs[w->long_count++] = token;
        *code = (uint16_t)(ND_WORD_SHORT_CODES + w->long_count);
    }
}

/* Remember a token in place of the one that came least, which a code makes stay (the frequent items
 * of Misra and Gries, in each bucket). */
static void admit(nd_text_bucket *bucket, uint32_t token) {
    int least = -1;
    for (int i = 0; i < IN_BUCKET; i++) {
        if (bucket->code[i] == 0 && (least < 0 || bucket->seen[i] < bucket->seen[least])) {
            least = i;
        }
    }
    if (least >= 0 && bucket->seen[least] > 1) {
        bucket->seen[least]--;
    } else if (least >= 0) {
        bucket->word[least] = token;
        bucket->seen[least] = 1;
    }
}

/* The code of a token that is being written, plus one; 0: it has none. */
static uint32_t find_code(nd_text_packer *p, uint32_t token) {
    nd_text_bucket *bucket =
        &p->buckets[(uint32_t)(token * UINT32_C(0x9e3779b1)) >> (32 - p->bucket_bits)];
    p->seen++;
    for (int i = 0; i < IN_BUCKET; i++) {
        if (bucket->word[i] == token && bucket->seen[i] > 0) {
            bucket->seen[i] = (uint16_t)(bucket->seen[i] + (bucket->seen[i] < UINT16_MAX));
            if (bucket->code[i] == 0 || bucket->code[i] > ND_WORD_SHORT_CODES) {
                give_code(p, token, bucket->seen[i], &bucket->code[i]);
            }
            return bucket->code[i];
        }
    }
    admit(bucket, token);
    return 0;
}

static size_t put_tokens(nd_text_packer *p, const uint32_t *tokens, uint32_t count, uint8_t *to) {
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t code = find_code(p, tokens[i]);
        size += nd_word_put(to + size, code > 0 ? code - 1 : ND_WORD_NO_CODE, tokens[i]);
    }
    return size;
}

/* Append the tokens that have these codes, no more than `most` bytes in all: their room follows
 * from the bytes of the codes, which damage makes no longer than their record. */
static nd_status append_tokens(const nd_text_words *words, nd_span codes, size_t most,
                               nd_buffer *tokens, uint32_t *count) {
    const uint8_t *p = codes.data;
    *count = 0;
    if (codes.size == 0) {
        return ND_OK;
    }
    const uint8_t *const end = p + codes.size;
    nd_buffer_reserve(tokens, codes.size * sizeof(uint32_t));
    uint32_t *const first_token = (uint32_t *)(void *)(tokens->data + tokens->size);
    uint32_t *next = first_token;
    while (p < end) {
        uint32_t token = 0;
        uint32_t code = 0;
        const size_t taken = nd_word_take(p, (size_t)(end - p), &code, &token);
        if (taken == 0) {
            return damaged();
        }
        if (code < words->short_count) {
            *next++ = words->shorts[code];
        } else if (code >= ND_WORD_SHORT_CODES && code - ND_WORD_SHORT_CODES < words->long_count) {
            *next++ = words->longs[code - ND_WORD_SHORT_CODES];
        } else if (code == ND_WORD_NO_CODE) {
            *next++ = token;
        } else {
            return damaged();
        }
        p += taken;
    }
    const size_t size = (size_t)(next - first_token) * sizeof *next;
    if (size > most - tokens->size) {
        return damaged();
    }
    tokens->size += size;
    *count = (uint32_t)(next - first_token);
    return ND_OK;
}

nd_status nd_text_words_take(nd_text_words *words, nd_text_source source, void *context,
                             uint64_t size) {
    nd_status st = ND_OK;
    nd_span bytes;
    uint64_t counts[3] = {0, 0, 0};
    const uint8_t *part = NULL;
    nd_text_words_free(words);
    if (size < sizeof counts) {
        return damaged();
    }
    ND_TRY(source(context, size - sizeof counts, sizeof counts, &bytes));
    ND_TRY(take(&bytes, sizeof counts, &part));
    memcpy(counts, part, sizeof counts);
    if (counts[0] > ND_WORD_SHORT_CODES || counts[1] > ND_WORD_LONG_CODES) {
        return damaged();
    }
    const uint64_t of_shorts = counts[0] * sizeof *words->shorts;
    const uint64_t of_longs = counts[1] * sizeof *words->longs;
    const uint64_t of_words = of_shorts + of_longs + sizeof counts;
    if (of_words > size || counts[2] > size - of_words) {
        return damaged();
    }
    ND_TRY(source(context, size - of_words, (size_t)(of_shorts + of_longs), &bytes));
    ND_TRY(take(&bytes, of_shorts, &part));
    if (counts[0] > 0) {
        memcpy(words->shorts, part, (size_t)of_shorts);
    }
    ND_TRY(take(&bytes, of_longs, &part));
    if (counts[1] > 0) {
        nd_grow(&words->longs, &words->capacity, counts[1], sizeof *words->longs);
        memcpy(words->longs, part, (size_t)of_longs);
    }
    words->short_count = (uint32_t)counts[0];
    words->long_count = (uint32_t)counts[1];
    words->common = size - of_words - counts[2];
out:
    return st;
}

void nd_text_words_free(nd_text_words *words) {
    free(words->longs);
    *words = (nd_text_words){.capacity = 0};
}

/* ---- packing */

/* The power of two that is not above, and the next one is; `most` is above 0. */
static uint32_t bits_of(uint64_t most) {
    return 63U - (uint32_t)__builtin_clzll(most);
}

static size_t table_bytes(uint64_t sets) {
    return (size_t)sets * ND_TEXT_SET * sizeof(nd_text_place);
}

void nd_text_packer_open(nd_text_packer *packer, uint64_t window, uint64_t memory) {
    enum { MOST_BUCKETS = 2 * (ND_WORD_LONG_CODES + ND_WORD_SHORT_CODES) / IN_BUCKET, A_PART = 8 };
    const uint64_t all = nd_max(memory, LEAST_MEMORY);
    const uint32_t bits =
        bits_of(nd_min(all / A_PART / sizeof(nd_text_bucket), (uint64_t)MOST_BUCKETS));
    const uint64_t left = all - (sizeof(nd_text_bucket) << bits);
    uint64_t sets = left / table_bytes(1);
    const uint32_t doubled = sets < 2 * FIRST_SETS ? 0 : bits_of(sets / FIRST_SETS);
    sets = sets >> doubled << doubled; /* it grows by doubling */
    *packer = (nd_text_packer){
        .words = packer->words, .bucket_bits = bits, .most_sets = sets, .window = window};
}

static nd_text_place *set_of(const nd_text_packer *p, const uint64_t key[2]) {
    return p->table + ND_TEXT_SET * ((key[1] >> 32) * p->sets >> 32);
}

/* Make a place the newest of a set, instead of the one with a number, or of the oldest. */
static void put_first(nd_text_place *set, size_t number, nd_text_place place) {
    for (size_t i = nd_min(number, ND_TEXT_SET - 1); i > 0; i--) {
        set[i] = set[i - 1];
    }
    set[0] = place;
}

/* Twice the room for places, where it is needed and there is memory: what lies in a set goes to two
 * that follow each other, so that it is done in place from the last set on. A table larger than it
 * need be would be memory that others have use for. */
static nd_status make_room(nd_text_packer *p) {
    nd_status st = ND_OK;
    const uint64_t before = p->sets;
    uint64_t sets = before > 0 ? 2 * before : p->most_sets;
    void *table = NULL;
    if (before == p->most_sets || 2 * p->places < 5 * before) {
        return ND_OK;
    }
    while (before == 0 && sets >= 2 * FIRST_SETS) {
        sets /= 2;
    }
    ND_TRY(nd_mapping_grow(p->table, table_bytes(before), table_bytes(sets), "a table", &table));
    p->table = table;
    p->sets = sets;
    for (uint64_t i = before; i-- > 0;) {
        nd_text_place moved[ND_TEXT_SET];
        memcpy(moved, p->table + i * ND_TEXT_SET, sizeof moved);
        memset(p->table + i * ND_TEXT_SET, 0, sizeof moved);
        for (size_t k = ND_TEXT_SET; k-- > 0;) { /* the newest last */
            if (moved[k].place > 0) {
                put_first(set_of(p, moved[k].key), ND_TEXT_SET, moved[k]);
            }
        }
    }
out:
    return st;
}

static void make_keys(nd_text_packer *p, const nd_document *document) {
    const uint32_t *tokens = document->tokens;
    nd_grow(&p->keys, &p->key_capacity, document->sentence_count, sizeof *p->keys);
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        const nd_sentence_digest *sentence = &document->sentences[k];
        const nd_tokens_hash hash = nd_tokens_hash_of(tokens, sentence->token_count);
        uint64_t digest[2];
        memcpy(digest, &sentence->digest, sizeof digest);
        p->keys[k].key[0] =
            digest[0] ^ hash.high ^ (sentence->masked * UINT64_C(0x9e3779b97f4a7c15));
        p->keys[k].key[1] = digest[1] ^ hash.low;
        p->keys[k].tokens = hash.low;
        const nd_text_place *set = set_of(p, p->keys[k].key);
        __builtin_prefetch(set);
        __builtin_prefetch(set + ND_TEXT_SET / 2);
        __builtin_prefetch(set + ND_TEXT_SET - 1);
        tokens = sentence->token_count > 0 ? tokens + sentence->token_count : tokens;
    }
}

/* Where the body of a sentence is to be found, that is about to be written `here`.
 * \param[out] place  of the body; common: there, even if it is not yet */
static body_is find_body(nd_text_packer *p, const nd_text_key *key, uint64_t here,
                         uint64_t *place) {
    enum { TIMES = 4, COMMON = TIMES - 1 };
    nd_text_place *set = set_of(p, key->key);
    nd_text_place found = {{key->key[0], key->key[1]}, here * TIMES};
    body_is is = BODY_HERE;
    size_t i = 0;
    while (i < ND_TEXT_SET &&
           (set[i].key[0] != found.key[0] || set[i].key[1] != found.key[1] || set[i].place == 0)) {
        i++;
    }
    if (i < ND_TEXT_SET) {
        const uint64_t times = set[i].place % TIMES;
        *place = set[i].place / TIMES;
        if (times == COMMON) {
            found.place = set[i].place;
            is = BODY_COMMON;
        } else if (here - *place <= p->window - p->most_common) {
            return BODY_BEFORE;
        } else if (times < COMMON - 1 || p->common.size >= p->most_common) {
            found.place += nd_min(times + 1, COMMON - 1);
        } else {
            *place = p->common.size;
            found.place = *place * TIMES + COMMON;
            is = BODY_COMMON;
        }
    }
    put_first(set, i, found);
    p->places += i == ND_TEXT_SET;
    return is;
}

static size_t put_flags(uint8_t *to, uint32_t flags, body_is is) {
    const bool other = flags >= OTHER_FLAGS;
    to[0] = (uint8_t)((other ? OTHER_FLAGS : flags) * 4 + is);
    if (other) {
        memcpy(to + 1, &flags, sizeof flags);
    }
    return other ? 1 + sizeof flags : 1;
}

static bool are_tokens(const nd_document *document) {
    uint64_t tokens = 0;
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        tokens += document->sentences[k].token_count;
    }
    return tokens == document->token_count;
}

/* What comes before the codes of a body. \param[in] tokens  their hash */
static size_t put_head(uint8_t *to, const nd_sentence_digest *s, uint64_t tokens, size_t codes) {
    static const nd_md5 none;
    const bool digest = memcmp(&s->digest, &none, sizeof none) != 0;
    const bool plain = s->masked != 0 && s->masked == tokens;
    const bool masked = s->masked != 0 && !plain;
    const uint64_t has =
        (digest ? HAS_DIGEST : 0) | (masked ? HAS_MASKED : 0) | (plain ? HAS_PLAIN : 0);
    size_t size = put_number(to, codes * 8 + has);
    if (digest) {
        memcpy(to + size, &s->digest, sizeof s->digest);
        size += sizeof s->digest;
    }
    if (masked) {
        memcpy(to + size, &s->masked, sizeof s->masked);
        size += sizeof s->masked;
    }
    return size;
}

static size_t put_body(nd_text_packer *p, const nd_sentence_digest *s, uint64_t hash,
                       const uint32_t *tokens, uint8_t *to) {
    nd_buffer_reserve(&p->codes, s->token_count * (size_t)ND_WORD_MOST_BYTES);
    const size_t codes = put_tokens(p, tokens, s->token_count, p->codes.data);
    const size_t head = put_head(to, s, hash, codes);
    if (codes > 0) {
        memcpy(to + head, p->codes.data, codes);
    }
    return head + codes;
}

/* \param[in] place  of the body's first byte */
static size_t put_sentences(nd_text_packer *p, uint64_t place, const nd_document *document,
                            uint8_t *body, size_t size) {
    const uint32_t *tokens = document->tokens;
    uint64_t last[BODY_KINDS] = {[BODY_BEFORE] = place}; /* that was named */
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        const nd_sentence_digest *s = &document->sentences[k];
        const size_t flags = s->flags >= OTHER_FLAGS ? 1 + sizeof s->flags : 1;
        uint64_t found = 0;
        const body_is is = find_body(p, &p->keys[k], place + size + flags, &found);
        size += put_flags(body + size, s->flags, is);
        if (is == BODY_COMMON && found == p->common.size) {
            nd_buffer_reserve(&p->common, MOST_NUMBER + MOST_HEAD +
                                              s->token_count * (size_t)ND_WORD_MOST_BYTES);
            p->common.size +=
                put_body(p, s, p->keys[k].tokens, tokens, p->common.data + p->common.size);
        }
        if (is == BODY_HERE) {
            size += put_body(p, s, p->keys[k].tokens, tokens, body + size);
        } else {
            size += put_number(body + size, fold(last[is], found));
            last[is] = found;
        }
        tokens = s->token_count > 0 ? tokens + s->token_count : tokens;
    }
    return size;
}

static size_t put_as_it_is(const nd_document *document, uint8_t *body, size_t size) {
    const size_t tokens = document->token_count * sizeof *document->tokens;
    const size_t sentences = document->sentence_count * sizeof *document->sentences;
    size += put_number(body + size, document->token_count);
    if (tokens > 0) {
        memcpy(body + size, document->tokens, tokens);
    }
    if (sentences > 0) {
        memcpy(body + size + tokens, document->sentences, sentences);
    }
    return size + tokens + sentences;
}

nd_status nd_text_pack(nd_text_packer *packer, uint64_t place, const nd_document *document,
                       nd_span *record) {
    enum { OF_SENTENCE = 1 + sizeof(uint32_t) + MOST_NUMBER };
    nd_status st = ND_OK;
    nd_text_packer *p = packer;
    const bool loose = !are_tokens(document);
    const size_t room = sizeof(uint32_t) + 2 * MOST_NUMBER +
                        document->token_count * (size_t)ND_WORD_MOST_BYTES +
                        document->sentence_count * (sizeof *document->sentences + OF_SENTENCE);
    ND_TRY(make_room(p));
    if (p->buckets == NULL) {
        ND_ASSERT(p->most_sets > 0, place);
        nd_new(&p->buckets, (size_t)1 << p->bucket_bits, sizeof *p->buckets);
    }
    p->record.size = 0;
    nd_buffer_reserve(&p->record, room);
    size_t size = sizeof(uint32_t);
    size += put_number(p->record.data + size, (uint64_t)document->sentence_count * 2 + loose);
    if (loose) {
        size = put_as_it_is(document, p->record.data, size);
    } else {
        make_keys(p, document);
        size = put_sentences(p, place, document, p->record.data, size);
    }
    ND_ASSERT(size <= room, size, room);
    if (size - sizeof(uint32_t) > UINT32_MAX) {
        st = nd_fail(ND_ERR_LIMIT, "a page's text of %zu bytes is too long", size);
        goto out;
    }
    const uint32_t rest = (uint32_t)(size - sizeof rest);
    memcpy(p->record.data, &rest, sizeof rest);
    *record = (nd_span){p->record.data, size};
out:
    return st;
}

void nd_text_packer_end(const nd_text_packer *packer, nd_buffer *out) {
    const nd_text_words *words = &packer->words;
    const uint64_t counts[3] = {words->short_count, words->long_count, packer->common.size};
    nd_buffer_append(out, words->shorts, words->short_count * sizeof *words->shorts);
    if (words->long_count > 0) {
        nd_buffer_append(out, words->longs, words->long_count * sizeof *words->longs);
    }
    nd_buffer_append(out, counts, sizeof counts);
}

void nd_text_packer_rest(nd_text_packer *packer) {
    const nd_text_words words = packer->words;
    if (packer->table != NULL) {
        (void)munmap(packer->table, table_bytes(packer->sets));
    }
    free(packer->buckets);
    free(packer->keys);
    nd_buffer_free(&packer->common);
    nd_buffer_free(&packer->record);
    nd_buffer_free(&packer->codes);
    *packer = (nd_text_packer){.words = words};
}

void nd_text_packer_close(nd_text_packer *packer) {
    nd_text_packer_rest(packer);
    nd_text_words_free(&packer->words);
}

/* ---- unpacking */

/* So many bytes from a place on, or it is damaged. */
static nd_status read_whole(const nd_text_reader *reader, uint64_t place, size_t size,
                            nd_span *bytes) {
    const nd_status st = reader->source(reader->context, place, size, bytes);
    return st != ND_OK || bytes->size >= size ? st : damaged();
}

nd_status nd_text_reader_enter(nd_text_reader *reader, uint64_t place) {
    nd_status st = ND_OK;
    nd_text_reader *r = reader;
    nd_span bytes;
    uint32_t rest = 0;
    uint64_t number = 0;
    ND_TRY(read_whole(r, place, sizeof rest, &bytes));
    memcpy(&rest, bytes.data, sizeof rest);
    ND_TRY(read_whole(r, place + sizeof rest, rest, &bytes));
    ND_TRY(take_number(&bytes, &number));
    if (number / 2 > UINT32_MAX) {
        st = damaged();
        goto out;
    }
    r->record.size = 0;
    nd_buffer_append(&r->record, bytes.data, bytes.size);
    r->place = place;
    r->sentences = (uint32_t)(number / 2);
    r->loose = number % 2 == 1;
out:
    return st;
}

/* A body, of which the codes are to become tokens. */
typedef struct text_body {
    nd_span codes;
    bool plain; /* the masked hash is that of the tokens */
} text_body;

/* Take what comes before the codes off the front. */
static nd_status take_head(nd_span *from, nd_sentence_digest *sentence, uint64_t *codes,
                           text_body *body) {
    nd_status st = ND_OK;
    const uint8_t *bytes = NULL;
    uint64_t number = 0;
    ND_TRY(take_number(from, &number));
    if ((number & HAS_DIGEST) != 0) {
        ND_TRY(take(from, sizeof sentence->digest, &bytes));
        memcpy(&sentence->digest, bytes, sizeof sentence->digest);
    }
    if ((number & HAS_MASKED) != 0) {
        ND_TRY(take(from, sizeof sentence->masked, &bytes));
        memcpy(&sentence->masked, bytes, sizeof sentence->masked);
    }
    body->plain = (number & HAS_PLAIN) != 0;
    *codes = number / 8;
out:
    return st;
}

/* Take a body off the front. */
static nd_status take_body(nd_span *from, nd_sentence_digest *sentence, text_body *body) {
    nd_status st = ND_OK;
    uint64_t codes = 0;
    ND_TRY(take_head(from, sentence, &codes, body));
    ND_TRY(take(from, codes, &body->codes.data));
    body->codes.size = (size_t)codes;
out:
    return st;
}

/* Read the body at a place: most are short. */
static nd_status read_body(const nd_text_reader *reader, uint64_t place,
                           nd_sentence_digest *sentence, text_body *body) {
    enum { USUAL = MOST_NUMBER + MOST_HEAD + 64 };
    nd_status st = ND_OK;
    nd_span bytes;
    uint64_t codes = 0;
    ND_TRY(reader->source(reader->context, place, USUAL, &bytes));
    nd_span front = bytes;
    ND_TRY(take_head(&front, sentence, &codes, body));
    const uint64_t size = (bytes.size - front.size) + codes;
    if (size > bytes.size) {
        ND_TRY(read_whole(reader, place, (size_t)size, &bytes));
    }
    ND_TRY(take_body(&bytes, sentence, body));
out:
    return st;
}

static nd_status unpack_as_it_is(nd_span from, nd_buffer *tokens, nd_buffer *sentences,
                                 uint32_t sentence_count) {
    nd_status st = ND_OK;
    uint64_t count = 0;
    const uint8_t *bytes = NULL;
    const size_t size = sentence_count * sizeof(nd_sentence_digest);
    ND_TRY(take_number(&from, &count));
    if (count > UINT32_MAX) {
        return damaged();
    }
    ND_TRY(take(&from, count * sizeof(uint32_t), &bytes));
    nd_buffer_append(tokens, bytes, (size_t)count * sizeof(uint32_t));
    ND_TRY(take(&from, size, &bytes));
    if (sentences != NULL) {
        nd_buffer_append(sentences, bytes, size);
    }
    st = from.size == 0 ? ND_OK : damaged();
out:
    return st;
}

/* The next sentence. \param[in,out] last  places that were named last
 * \param[out] body  all zero if it is not wanted, and was not looked at */
static nd_status next_sentence(const nd_text_reader *r, nd_span *from, bool wanted,
                               uint64_t last[BODY_KINDS], nd_sentence_digest *sentence,
                               text_body *body) {
    nd_status st = ND_OK;
    const uint8_t *bytes = NULL;
    uint64_t number = 0;
    ND_TRY(take(from, 1, &bytes));
    const body_is is = (body_is)(bytes[0] % 4);
    uint32_t flags = bytes[0] / 4U;
    if (flags == OTHER_FLAGS) {
        ND_TRY(take(from, sizeof flags, &bytes));
        memcpy(&flags, bytes, sizeof flags);
    }
    if (is == BODY_HERE) {
        ND_TRY(take_body(from, sentence, body));
    } else if (is < BODY_KINDS) {
        ND_TRY(take_number(from, &number));
        last[is] = unfold(last[is], number);
        number = last[is] + (is == BODY_COMMON ? r->words->common : 0);
        ND_TRY(wanted ? read_body(r, number, sentence, body) : ND_OK);
    } else {
        st = damaged();
    }
    sentence->flags = flags;
out:
    return st;
}

nd_status nd_text_unpack(nd_text_reader *reader, const uint8_t *mask, uint32_t token_count,
                         nd_buffer *tokens, nd_buffer *sentences) {
    nd_status st = ND_OK;
    nd_span from = nd_buffer_span(&reader->record);
    uint64_t last[BODY_KINDS] = {[BODY_BEFORE] = reader->place};
    const size_t most = token_count * sizeof(uint32_t);
    tokens->size = 0;
    if (sentences != NULL) {
        sentences->size = 0;
    }
    if (reader->loose) {
        st = mask == NULL ? unpack_as_it_is(from, tokens, sentences, reader->sentences) : damaged();
        return st != ND_OK || tokens->size == most ? st : damaged();
    }
    for (uint32_t k = 0; k < reader->sentences; k++) {
        const bool wanted = mask == NULL || (mask[k / 8] >> k % 8 & 1) == 1;
        nd_sentence_digest sentence = {.token_count = 0};
        text_body body = {.plain = false};
        ND_TRY(next_sentence(reader, &from, wanted, last, &sentence, &body));
        if (wanted) {
            const size_t before = tokens->size;
            ND_TRY(append_tokens(reader->words, body.codes, most, tokens, &sentence.token_count));
            if (sentences != NULL) {
                const void *own =
                    body.plain && tokens->size > before ? tokens->data + before : NULL;
                sentence.masked =
                    body.plain ? nd_tokens_hash_of(own, sentence.token_count).low : sentence.masked;
                nd_buffer_append(sentences, &sentence, sizeof sentence);
            }
        }
    }
    st = from.size == 0 && tokens->size == most ? ND_OK : damaged();
out:
    return st;
}

void nd_text_reader_close(nd_text_reader *reader) {
    nd_buffer_free(&reader->record);
}
