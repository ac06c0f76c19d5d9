#include "io/result_written.h"

#include "src/base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Bytes of a column that are read at a time. */
enum { PIECE_BYTES = 1 << 20 };

enum { NAME_SIZE = 64 };

/* A part of a column, or an attribute. */
struct nd_written {
    char name[NAME_SIZE];
    enum { PART, TEXT, NUMBER } what;
    nd_column_type type;
    nd_slab slab;
    uint64_t checksum;
};

/* Of values that come in pieces: each piece's has that of the pieces before as its seed. */
static uint64_t add_piece(uint64_t checksum, const void *bytes, size_t size) {
    return XXH3_64bits_withSeed(bytes, size, checksum);
}

static nd_status note(nd_result *result, const char *name, struct nd_written written) {
    if (!result->notes) {
        return ND_OK;
    }
    const nd_status st = nd_grow(&result->written, &result->written_capacity,
                                 result->written_count + 1, sizeof *result->written);
    if (st == ND_OK) {
        (void)snprintf(written.name, sizeof written.name, "%s", name);
        result->written[result->written_count++] = written;
    }
    return st;
}

nd_status nd_result_written_column(nd_result *result, const char *name, nd_column_type type,
                                   const nd_slab *slab, const void *values) {
    uint64_t checksum = 0;
    const size_t size = nd_column_size(type);
    const uint64_t step = PIECE_BYTES / size;
    for (uint64_t i = 0; result->notes && i < slab->count; i += step) {
        const uint64_t count = slab->count - i < step ? slab->count - i : step;
        checksum = add_piece(checksum, (const char *)values + i * size, (size_t)count * size);
    }
    return note(
        result, name,
        (struct nd_written){.what = PART, .type = type, .slab = *slab, .checksum = checksum});
}

nd_status nd_result_written_attribute(nd_result *result, const char *name, bool text,
                                      const void *value, size_t size) {
    return note(
        result, name,
        (struct nd_written){.what = text ? TEXT : NUMBER, .checksum = add_piece(0, value, size)});
}

/* ---- reading again */

static nd_status check_column(const nd_result *file, const struct nd_written *w, void *values,
                              bool *same) {
    nd_status st = ND_OK;
    uint64_t rows = 0;
    uint64_t checksum = 0;
    const size_t size = nd_column_size(w->type);
    const uint64_t step = PIECE_BYTES / size;
    ND_TRY(nd_result_rows(file, w->name, w->type, &rows));
    *same = rows == w->slab.total;
    for (uint64_t i = 0; *same && i < w->slab.count; i += step) {
        const uint64_t count = w->slab.count - i < step ? w->slab.count - i : step;
        ND_TRY(nd_result_read(file, w->name, w->type, w->slab.offset + i, count, values));
        checksum = add_piece(checksum, values, (size_t)count * size);
    }
    *same = *same && checksum == w->checksum;
out:
    return st;
}

static nd_status check_attribute(const nd_result *file, const struct nd_written *w, bool *same) {
    nd_status st = ND_OK;
    uint64_t number = 0;
    char *text = NULL;
    if (w->what == TEXT) {
        ND_TRY(nd_result_get_text(file, w->name, &text));
        *same = add_piece(0, text, strlen(text) + 1) == w->checksum;
    } else {
        ND_TRY(nd_result_get_number(file, w->name, &number));
        *same = add_piece(0, &number, sizeof number) == w->checksum;
    }
out:
    free(text);
    return st;
}

nd_status nd_result_written_check(const nd_result *result) {
    nd_status st = ND_OK;
    nd_result file = {.file = H5I_INVALID_HID};
    const char *at = "its head";
    void *values = NULL;
    bool differs = false;
    char reason[ND_FAIL_TEXT_SIZE];
    ND_TRY(nd_new((char **)&values, PIECE_BYTES, 1));
    ND_TRY(nd_result_open_file(&file, result->path));
    for (size_t i = 0; i < result->written_count; i++) {
        const struct nd_written *w = &result->written[i];
        bool same = false;
        at = w->name;
        ND_TRY(w->what == PART ? check_column(&file, w, values, &same)
                               : check_attribute(&file, w, &same));
        if (!same) {
            differs = true;
            st = ND_ERR_FORMAT;
            goto out;
        }
    }
out:
    if (st == ND_ERR_FORMAT || st == ND_ERR_IO || st == ND_ERR_INPUT) {
        (void)snprintf(reason, sizeof reason, "%s", differs ? "other values" : nd_fail_text());
        st = nd_fail(ND_ERR_IO,
                     "%s: %s is not in the file as it was written (is the disk full?): %.512s",
                     result->path, at, reason);
    }
    const nd_status closed = nd_result_close(&file);
    free(values);
    return st != ND_OK ? st : closed;
}

void nd_result_written_free(nd_result *result) {
    free(result->written);
    result->written = NULL;
    result->written_count = 0;
    result->written_capacity = 0;
}
