/* The memory that a comparison reuses: below all kernels, which take theirs from it. */
#include "src/lcs/lcs.h"

#include <string.h>

void nd_lcs_room(nd_lcs_work *work, enum nd_lcs_memory use, size_t bytes, void *memory) {
    nd_buffer *buffer = &work->memory[use];
    nd_buffer_reserve(buffer, bytes == 0 ? 1 : bytes);
    void *data = buffer->data;
    memcpy(memory, &data, sizeof data);
}

void nd_lcs_work_free(nd_lcs_work *work) {
    for (size_t i = 0; i < sizeof work->memory / sizeof work->memory[0]; i++) {
        nd_buffer_free(&work->memory[i]);
    }
    work->shingle_tokens = 0;
    work->cover_tokens = 0;
}
