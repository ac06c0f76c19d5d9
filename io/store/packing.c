#include "io/store/packing.h"

#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <xxhash.h>
#include <zstd.h>

#include <stdlib.h>
#include <string.h>

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
    from->data += size;
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
    MOST_NUMBER = 10, /* bytes of a number */
    OTHER_FLAGS = 127 /* they follow, in full */
};

/* What of a sentence comes before its tokens, in bytes: its digest and mask. */
enum { HEAD = sizeof(nd_md5) + sizeof(uint64_t) };

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

/* ---- packing */

void nd_text_packer_open(nd_text_packer *packer, uint64_t window, uint64_t memory) {
    size_t pairs = 1;
    const uint64_t most = nd_max(memory, LEAST_MEMORY) / (2 * sizeof *packer->table);
    while (pairs * 2 <= most) {
        pairs *= 2;
    }
    *packer = (nd_text_packer){.pairs = pairs, .window = window};
}

static void make_keys(nd_text_packer *p, const nd_document *document) {
    const uint32_t *tokens = document->tokens;
    nd_grow(&p->keys, &p->key_capacity, document->sentence_count, sizeof *p->keys);
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        const nd_sentence_digest *sentence = &document->sentences[k];
        const size_t size = sentence->token_count * sizeof *tokens;
        uint64_t digest[2];
        memcpy(digest, &sentence->digest, sizeof digest);
        p->keys[k].key[0] = digest[0] ^ (sentence->masked * UINT64_C(0x9e3779b97f4a7c15));
        p->keys[k].key[1] = digest[1] ^ XXH3_64bits(tokens, size);
        __builtin_prefetch(&p->table[2 * (p->keys[k].key[1] & (p->pairs - 1))]);
        tokens = size > 0 ? tokens + sentence->token_count : tokens;
    }
}

/* Where the same sentence lies, or 0; from now on it may be looked for there, or `here`. */
static uint64_t find_place(nd_text_packer *p, const nd_text_place *key, uint64_t here) {
    nd_text_place *pair = &p->table[2 * (key->key[1] & (p->pairs - 1))];
    for (int i = 0; i < 2; i++) {
        if (pair[i].place > 0 && pair[i].key[0] == key->key[0] && pair[i].key[1] == key->key[1]) {
            if (here - (pair[i].place - 1) <= p->window) {
                return pair[i].place;
            }
            pair[i].place = here + 1;
            return 0;
        }
    }
    pair[1] = pair[0];
    pair[0] = *key;
    pair[0].place = here + 1;
    return 0;
}

static size_t put_flags(uint8_t *to, uint32_t flags, bool named) {
    const bool other = flags >= OTHER_FLAGS;
    to[0] = (uint8_t)((other ? OTHER_FLAGS : flags) * 2 + named);
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

/* \param[in] place  of the body's first byte */
static size_t put_sentences(nd_text_packer *p, uint64_t place, const nd_document *document,
                            uint8_t *body, size_t size) {
    const uint32_t *tokens = document->tokens;
    uint64_t last = place; /* that was named */
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        const nd_sentence_digest *s = &document->sentences[k];
        const size_t bytes = s->token_count * sizeof *tokens;
        const size_t flags = s->flags >= OTHER_FLAGS ? 1 + sizeof s->flags : 1;
        const uint64_t found = find_place(p, &p->keys[k], place + size + flags);
        size += put_flags(body + size, s->flags, found > 0);
        if (found > 0) {
            size += put_number(body + size, fold(last, found - 1));
            last = found - 1;
        } else {
            size += put_number(body + size, s->token_count);
            memcpy(body + size, &s->digest, sizeof s->digest);
            memcpy(body + size + sizeof s->digest, &s->masked, sizeof s->masked);
            size += HEAD;
            if (bytes > 0) {
                memcpy(body + size, tokens, bytes);
            }
            size += bytes;
        }
        tokens = bytes > 0 ? tokens + s->token_count : tokens;
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
                        document->token_count * sizeof *document->tokens +
                        document->sentence_count * (sizeof *document->sentences + OF_SENTENCE);
    if (p->table == NULL) {
        nd_new(&p->table, 2 * p->pairs, sizeof *p->table);
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

void nd_text_packer_close(nd_text_packer *packer) {
    free(packer->table);
    free(packer->keys);
    nd_buffer_free(&packer->record);
    *packer = (nd_text_packer){0};
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

/* Take a body off the front. The first token may lie at any address. */
static nd_status take_body(nd_span *from, nd_sentence_digest *sentence, const uint8_t **tokens) {
    nd_status st = ND_OK;
    const uint8_t *head = NULL;
    uint64_t count = 0;
    ND_TRY(take_number(from, &count));
    ND_TRY(take(from, HEAD, &head));
    if (count > UINT32_MAX) {
        st = damaged();
        goto out;
    }
    memcpy(&sentence->digest, head, sizeof sentence->digest);
    memcpy(&sentence->masked, head + sizeof sentence->digest, sizeof sentence->masked);
    sentence->token_count = (uint32_t)count;
    ND_TRY(take(from, count * sizeof(uint32_t), tokens));
out:
    return st;
}

/* Read the body at a place: most are short. */
static nd_status read_body(const nd_text_reader *reader, uint64_t place,
                           nd_sentence_digest *sentence, const uint8_t **tokens) {
    enum { USUAL = MOST_NUMBER + HEAD + 32 * sizeof(uint32_t) };
    nd_status st = ND_OK;
    nd_span bytes;
    uint64_t count = 0;
    ND_TRY(reader->source(reader->context, place, USUAL, &bytes));
    nd_span front = bytes;
    ND_TRY(take_number(&front, &count));
    const uint64_t size = (bytes.size - front.size) + HEAD + count * sizeof(uint32_t);
    if (count > UINT32_MAX || size > SIZE_MAX) {
        st = damaged();
        goto out;
    }
    if (size > bytes.size) {
        ND_TRY(read_whole(reader, place, (size_t)size, &bytes));
    }
    ND_TRY(take_body(&bytes, sentence, tokens));
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

/* The next sentence. \param[in,out] last  place that was named last
 * \param[out] tokens  NULL if it is not wanted, and was not looked at */
static nd_status next_sentence(const nd_text_reader *r, nd_span *from, bool wanted, uint64_t *last,
                               nd_sentence_digest *sentence, const uint8_t **tokens) {
    nd_status st = ND_OK;
    const uint8_t *bytes = NULL;
    uint64_t number = 0;
    ND_TRY(take(from, 1, &bytes));
    const bool named = bytes[0] % 2 == 1;
    uint32_t flags = bytes[0] / 2U;
    if (flags == OTHER_FLAGS) {
        ND_TRY(take(from, sizeof flags, &bytes));
        memcpy(&flags, bytes, sizeof flags);
    }
    if (named) {
        ND_TRY(take_number(from, &number));
        *last = unfold(*last, number);
        ND_TRY(wanted ? read_body(r, *last, sentence, tokens) : ND_OK);
    } else {
        ND_TRY(take_body(from, sentence, tokens));
    }
    sentence->flags = flags;
out:
    return st;
}

nd_status nd_text_unpack(nd_text_reader *reader, const uint8_t *mask, uint32_t token_count,
                         nd_buffer *tokens, nd_buffer *sentences) {
    nd_status st = ND_OK;
    nd_span from = nd_buffer_span(&reader->record);
    uint64_t last = reader->place;
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
        const uint8_t *bytes = NULL;
        ND_TRY(next_sentence(reader, &from, wanted, &last, &sentence, &bytes));
        if (wanted) {
            const size_t size = sentence.token_count * sizeof(uint32_t);
            ND_TRY(size <= most - tokens->size ? ND_OK
                                               : damaged()); /* before there is room for it */
            nd_buffer_append(tokens, bytes, size);
            if (sentences != NULL) {
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
