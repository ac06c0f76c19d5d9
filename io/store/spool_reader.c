/* Reading a spool of fixed-size records from front to end. */
#include "io/store/spool.h"

#include "src/base/status.h"
#include "src/base/util.h"

#include <string.h>

void nd_spool_reader_open(nd_spool_reader *reader, const nd_spool *spool, size_t record_size,
                          uint64_t begin, uint64_t end, size_t window) {
    ND_ASSERT(record_size > 0 && begin <= end && end <= spool->size / record_size, begin, end,
              spool->size);
    *reader = (nd_spool_reader){.spool = spool,
                                .record_size = record_size,
                                .offset = begin * record_size,
                                .end = end * record_size,
                                .window = (size_t)nd_max(window / record_size, 1) * record_size};
}

nd_status nd_spool_reader_next(nd_spool_reader *reader, const void **records, uint64_t *count) {
    nd_status st = ND_OK;
    const size_t size = (size_t)nd_min(reader->end - reader->offset, reader->window);
    const uint8_t *bytes = NULL;
    *count = 0;
    ND_TRY(nd_spool_read(reader->spool, reader->offset, size, &reader->scratch, &bytes));
    reader->offset += size;
    ND_ASSERT(reader->offset <= reader->end && size % reader->record_size == 0, reader->offset,
              reader->end, size);
    *records = bytes;
    *count = size / reader->record_size;
out:
    return st;
}

void nd_spool_reader_close(nd_spool_reader *reader) {
    nd_buffer_free(&reader->scratch);
    *reader = (nd_spool_reader){0};
}

nd_status nd_spool_reader_take(nd_spool_reader *reader, void *records, uint64_t room,
                               uint64_t *count) {
    const uint64_t now = nd_min((reader->end - reader->offset) / reader->record_size, room);
    const uint8_t *bytes = NULL;
    ND_ASSERT(reader->offset <= reader->end, reader->offset, reader->end);
    *count = 0;
    if (now == 0) {
        return ND_OK;
    }
    const nd_status st =
        nd_spool_read(reader->spool, reader->offset, (size_t)(now * reader->record_size),
                      &reader->scratch, &bytes);
    if (st == ND_OK) {
        memcpy(records, bytes, (size_t)(now * reader->record_size));
        reader->offset += now * reader->record_size;
        *count = now;
    }
    return st;
}
