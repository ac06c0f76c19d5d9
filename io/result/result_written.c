#include "io/result/result_written.h"

#include "src/base/buffer.h"
#include "src/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* \param[out] same  does the file hold what the note says? \param values  room for a piece */
static nd_status compare(const nd_result *file, const nd_result_note *w, void *values, bool *same) {
    nd_status st = ND_OK;
    uint64_t rows = 0;
    uint64_t number = 0;
    uint64_t checksum = 0;
    char *text = NULL;
    *same = true;
    if (w->what == ND_NOTE_TEXT) {
        ND_TRY(nd_result_get_text(file, w->name, &text));
        checksum = nd_result_notes_sum(0, text, strlen(text) + 1);
    } else if (w->what == ND_NOTE_NUMBER) {
        ND_TRY(nd_result_get_number(file, w->name, &number));
        checksum = nd_result_notes_sum(0, &number, sizeof number);
    } else {
        const size_t size = nd_column_size(w->type);
        const uint64_t step = ND_NOTE_PIECE_BYTES / size;
        ND_TRY(nd_result_rows(file, w->name, w->type, &rows));
        *same = rows == w->slab.total;
        for (uint64_t i = 0; *same && i < w->slab.count; i += step) {
            const uint64_t count = nd_min(w->slab.count - i, step);
            ND_TRY(nd_result_read(file, w->name, w->type, w->slab.offset + i, count, values));
            checksum = nd_result_notes_sum(checksum, values, (size_t)count * size);
        }
    }
    *same = *same && checksum == w->checksum;
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
    if (result->notes.lost[0] != '\0') {
        return nd_fail(ND_ERR_MEMORY, "%s", result->notes.lost);
    }
    nd_new((char **)&values, ND_NOTE_PIECE_BYTES, 1);
    ND_TRY(nd_result_open_file(&file, result->path));
    for (size_t i = 0; i < result->notes.count; i++) {
        const nd_result_note *w = &result->notes.notes[i];
        bool same = false;
        at = w->name;
        ND_TRY(compare(&file, w, values, &same));
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
