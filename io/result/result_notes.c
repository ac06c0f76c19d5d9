#include "io/result/result_notes.h"

#include "src/base/buffer.h"
#include "src/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

size_t nd_column_size(nd_column_type type) {
    static const size_t sizes[] = {[ND_COLUMN_U8] = 1,  [ND_COLUMN_U16] = 2, [ND_COLUMN_U32] = 4,
                                   [ND_COLUMN_U64] = 8, [ND_COLUMN_F32] = 4, [ND_COLUMN_F64] = 8};
    return sizes[type];
}

uint64_t nd_result_notes_sum(uint64_t checksum, const void *bytes, size_t size) {
    return XXH3_64bits_withSeed(bytes, size, checksum);
}

static void note(nd_result_notes *notes, const char *name, nd_result_note added) {
    if (nd_grow(&notes->notes, &notes->capacity, notes->count + 1, sizeof *notes->notes) != ND_OK) {
        (void)snprintf(notes->lost, sizeof notes->lost, "%s", nd_fail_text());
        return;
    }
    (void)snprintf(added.name, sizeof added.name, "%s", name);
    notes->notes[notes->count++] = added;
}

void nd_result_notes_column(nd_result_notes *notes, const char *name, nd_column_type type,
                            const nd_slab *slab, const void *values) {
    uint64_t checksum = 0;
    const size_t size = nd_column_size(type);
    const uint64_t step = ND_NOTE_PIECE_BYTES / size;
    if (!notes->on) {
        return;
    }
    for (uint64_t i = 0; i < slab->count; i += step) {
        const uint64_t count = nd_min(slab->count - i, step);
        checksum =
            nd_result_notes_sum(checksum, (const char *)values + i * size, (size_t)count * size);
    }
    note(notes, name,
         (nd_result_note){
             .what = ND_NOTE_COLUMN, .type = type, .slab = *slab, .checksum = checksum});
}

void nd_result_notes_attribute(nd_result_notes *notes, const char *name, bool text,
                               const void *value, size_t size) {
    if (notes->on) {
        note(notes, name,
             (nd_result_note){.what = text ? ND_NOTE_TEXT : ND_NOTE_NUMBER,
                              .checksum = nd_result_notes_sum(0, value, size)});
    }
}

void nd_result_notes_free(nd_result_notes *notes) {
    free(notes->notes);
    *notes = (nd_result_notes){.on = false};
}
