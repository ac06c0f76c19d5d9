#include "mpi/cmd/filter/annotation.h"

#include "io/input/records.h"
#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { SIMILARITY_DIGITS = 6 };

/* A field of what strangers wrote: no line end of theirs ends it. */
static void append_field(nd_buffer *out, const char *name, nd_span text) {
    const size_t room = text.size * ND_PRINTABLE_GROWTH + 1;
    nd_buffer_append_text(out, name);
    nd_buffer_reserve(out, room);
    out->size += nd_printable_put(ND_PRINTABLE_MESSAGE, text, (char *)out->data + out->size, room);
    nd_buffer_append_text(out, "\r\n");
}

nd_status nd_annotation_warc(const nd_annotation *a, const char *date, nd_buffer *out) {
    nd_status st = ND_OK;
    nd_buffer block = {0};
    char id[64];
    char numbers[256];
    (void)snprintf(numbers, sizeof numbers,
                   "neardup-page: %" PRIu64 "\r\nneardup-set: %" PRIu64
                   "\r\nneardup-set-size: %" PRIu64 "\r\nneardup-similarity: %.*g\r\n"
                   "neardup-kept-page: %" PRIu64 "\r\n",
                   a->page, a->set, a->set_pages, SIMILARITY_DIGITS, (double)a->similarity,
                   a->kept);
    nd_buffer_append_text(&block, numbers);
    append_field(&block, "neardup-kept-id: ", a->kept_id);
    append_field(&block, "neardup-kept-uri: ", a->kept_url);
    if (*a->reason != '\0') {
        const nd_span reason = {(const uint8_t *)a->reason, strlen(a->reason)};
        append_field(&block, "neardup-reason: ", reason);
    }
    const XXH128_hash_t hash =
        XXH3_128bits_withSeed(a->id.data, a->id.size, XXH3_64bits(block.data, block.size));
    (void)snprintf(id, sizeof id, "urn:uuid:%08x-%04x-8%03x-8%03x-%012" PRIx64,
                   (unsigned)(hash.high64 >> 32), (unsigned)(hash.high64 >> 16 & 0xffff),
                   (unsigned)(hash.high64 & 0xfff), (unsigned)(hash.low64 >> 48 & 0xfff),
                   hash.low64 & UINT64_C(0xffffffffffff));
    const nd_warc_header header = {.type = "metadata",
                                   .id = {(const uint8_t *)id, strlen(id)},
                                   .url = a->url,
                                   .with = a->id,
                                   .date = date,
                                   .content_type = "application/warc-fields"};
    const nd_span parts[2] = {nd_buffer_span(&block), {NULL, 0}};
    ND_TRY(nd_warc_append(out, &header, parts));
out:
    nd_buffer_free(&block);
    return st;
}

nd_status nd_annotation_json(const nd_annotation *a, nd_buffer *out) {
    nd_status st = ND_OK;
    json_object *object = json_object_new_object();
    nd_json_add_number(object, "page", a->page);
    nd_json_add_number(object, "set", a->set);
    nd_json_add_number(object, "set_size", a->set_pages);
    nd_json_add_real(object, "similarity", (double)a->similarity, SIMILARITY_DIGITS);
    nd_json_add_number(object, "kept", a->kept);
    ND_TRY(nd_json_add_text(object, "kept_id", a->kept_id));
    ND_TRY(nd_json_add_text(object, "kept_url", a->kept_url));
    ND_TRY(*a->reason != '\0' ? nd_json_add_words(object, "reason", a->reason) : ND_OK);
    const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
    if (text == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: an annotation");
        goto out;
    }
    nd_buffer_append_text(out, ",\"neardup\":");
    nd_buffer_append_text(out, text);
out:
    (void)json_object_put(object);
    return st;
}
