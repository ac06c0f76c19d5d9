#include "io/input/file_window.h"

#include "io/store/foreign_file.h"
#include "src/base/fault.h"
#include "src/base/util.h"
#include "src/hash/xxh3_64.h"

#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* ---- checksums */

/* Where the first block begins that does so at `place` or after it, or the file ends. */
static uint64_t first_block(uint64_t place, uint64_t file_bytes) {
    const uint64_t passed = place % ND_SUMMED_BLOCK;
    const uint64_t left = passed > 0 ? ND_SUMMED_BLOCK - passed : 0;
    return place < file_bytes && file_bytes - place > left ? place + left : file_bytes;
}

/* Begin with the blocks that begin in bytes [begin, end) of a file of so many.
 * \return ND_OK or ND_ERR_MEMORY */
static nd_status block_sum_begin(nd_block_sum *sum, uint64_t begin, uint64_t end,
                                 uint64_t file_bytes) {
    *sum = (nd_block_sum){.next = first_block(begin, file_bytes),
                          .end = first_block(end, file_bytes),
                          .state = XXH3_createState()};
    if (sum->state == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a checksum");
    }
    return ND_OK;
}

/* Take bytes that stand at `place`: those from `next` on, if it is among them. */
static void block_sum_add(nd_block_sum *sum, uint64_t place, nd_span bytes) {
    while (sum->next < sum->end && sum->next >= place && sum->next - place < bytes.size) {
        const uint64_t block = sum->next / ND_SUMMED_BLOCK;
        const uint64_t block_end = nd_min((block + 1) * ND_SUMMED_BLOCK, sum->end);
        const size_t passed = (size_t)(sum->next - place);
        const size_t taken = (size_t)nd_min(bytes.size - passed, block_end - sum->next);
        const nd_span part = {bytes.data + passed, taken};
        const bool begins = sum->next % ND_SUMMED_BLOCK == 0;
        sum->next += taken;
        if (begins && sum->next == block_end) {
            sum->sum += nd_xxh3_64(part, block);
            continue;
        }
        if (begins) {
            (void)XXH3_64bits_reset_withSeed(sum->state, block);
        }
        (void)XXH3_64bits_update(sum->state, part.data, part.size);
        sum->sum += sum->next == block_end ? XXH3_64bits_digest(sum->state) : 0;
    }
}

static void block_sum_free(nd_block_sum *sum) {
    (void)XXH3_freeState(sum->state);
    *sum = (nd_block_sum){0};
}

/* ---- the window */

/* Bytes asked of the system at a time: large enough that a call costs nothing beside the decoding
 * and that a network file system sees large requests, small beside a rank's memory. */
enum { READ_BYTES = ND_STEP(1 << 20) };

static uint64_t nanoseconds(const struct timespec *time) {
    return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_nsec;
}

nd_file_identity nd_file_identity_of(const struct stat *info) {
    return (nd_file_identity){.inode = (uint64_t)info->st_ino,
                              .bytes = (uint64_t)info->st_size,
                              .modified = nanoseconds(&info->st_mtim),
                              .altered = nanoseconds(&info->st_ctim)};
}

nd_status nd_file_identity_now(const char *path, nd_file_identity *now) {
    struct stat info;
    nd_file_window file;
    nd_status st = nd_fault(ND_FAULT_INPUT_OPEN);
    if (st == ND_OK && stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        *now = nd_file_identity_of(&info);
    } else if (st == ND_OK) { /* a part, or what is wrong is said */
        st = nd_file_window_open(&file, path);
        *now = file.identity;
        nd_file_window_close(&file);
    }
    return st;
}

nd_status nd_file_window_open(nd_file_window *file, const char *path) {
    *file = (nd_file_window){.path = path, .descriptor = -1};
    struct stat info;
    nd_status st = nd_fault(ND_FAULT_INPUT_OPEN);
    if (st != ND_OK) {
        return st;
    }
    st = nd_foreign_file_open(path, &file->descriptor, &info);
    if (st == ND_OK) {
        file->begin = (uint64_t)lseek(file->descriptor, 0, SEEK_CUR);
        file->file_bytes = (uint64_t)info.st_size;
        file->identity = nd_file_identity_of(&info);
    } else {
        nd_file_window_close(file);
    }
    return st;
}

static nd_status became_shorter(const nd_file_window *file, uint64_t end) {
    return nd_fail(ND_ERR_CHANGED,
                   "%s: has become shorter while it was read: it ends at byte %llu of %llu",
                   file->path, (unsigned long long)end, (unsigned long long)file->file_bytes);
}

/* Append what stands at `place` until there are `room` bytes, fewer where the file ends. */
static nd_status read_at(const nd_file_window *file, uint64_t place, size_t room, nd_buffer *to) {
    nd_status st = ND_OK;
    nd_buffer_reserve(to, room - (size_t)nd_min(to->size, room));
    ND_TRY(nd_fault(ND_FAULT_INPUT_READ));
    while (to->size < room) {
        const ssize_t got = pread(
            file->descriptor, to->data + to->size,
            (size_t)nd_min(room - to->size, file->file_bytes - nd_min(place, file->file_bytes)),
            (off_t)(file->begin + place));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            st = nd_fail(ND_ERR_INPUT, "%s: cannot be read at byte %llu: %s", file->path,
                         (unsigned long long)place, strerror(errno));
            goto out;
        }
        if (got == 0) {
            break;
        }
        to->size += (size_t)got;
        place += (uint64_t)got;
    }
out:
    return st;
}

/* Read what was passed over up to byte `place` and is to be summed up. */
static nd_status sum_passed(nd_file_window *file, uint64_t place) {
    nd_status st = ND_OK;
    nd_buffer passed = {0};
    nd_block_sum *blocks = &file->blocks;
    for (uint64_t to = nd_min(place, blocks->end); blocks->next < to;) {
        passed.size = 0;
        ND_TRY(read_at(file, blocks->next, (size_t)nd_min(to - blocks->next, READ_BYTES), &passed));
        ND_TRY(passed.size > 0 ? ND_OK : became_shorter(file, blocks->next));
        block_sum_add(blocks, blocks->next, nd_buffer_span(&passed));
    }
out:
    nd_buffer_free(&passed);
    return st;
}

/* Read on where the window ends, until it holds `want` bytes, or more: what the file had when it
 * was opened, so that one of a few bytes takes no more memory than these. */
static nd_status fill(nd_file_window *file, size_t want) {
    nd_status st = ND_OK;
    nd_buffer *window = &file->window;
    const size_t held = window->size;
    const uint64_t place = file->offset + held;
    const size_t room = (size_t)nd_min(nd_max(want, READ_BYTES), file->file_bytes - file->offset);
    ND_TRY(sum_passed(file, place));
    ND_TRY(read_at(file, place, room, window));
    const nd_span fresh = nd_span_part(nd_buffer_span(window), held, window->size);
    file->checksum = nd_xxh3_64(fresh, file->checksum);
    block_sum_add(&file->blocks, place, fresh);
    if (window->size < want) {
        st = became_shorter(file, file->offset + window->size);
    }
out:
    return st;
}

nd_status nd_file_window_at(nd_file_window *file, uint64_t offset, size_t want, nd_span *bytes) {
    nd_status st = ND_OK;
    *bytes = (nd_span){0};
    ND_TRY(nd_fault_if_tight(ND_FAULT_INPUT_READ));
    if (offset >= file->file_bytes) {
        goto out;
    }
    const size_t need = (size_t)nd_min(file->file_bytes - offset, want);
    nd_buffer *window = &file->window;
    if (offset < file->offset || offset - file->offset > window->size ||
        window->size - (size_t)(offset - file->offset) < need) {
        /* the window begins at `offset` now, with what it already holds from there on */
        if (offset >= file->offset && offset - file->offset < window->size) {
            window->size -= (size_t)(offset - file->offset);
            memmove(window->data, window->data + (offset - file->offset), window->size);
        } else {
            window->size = 0;
        }
        file->offset = offset;
        ND_TRY(fill(file, need));
    }
    const size_t passed = (size_t)(offset - file->offset);
    *bytes = (nd_span){window->data + passed, window->size - passed};
out:
    return st;
}

nd_status nd_file_window_look(const nd_file_window *file, uint64_t offset, size_t want,
                              nd_buffer *to) {
    const uint64_t passed = offset - nd_min(offset, file->offset);
    if (offset >= file->offset && passed < file->window.size &&
        file->window.size - passed >= want) {
        nd_buffer_append(to, file->window.data + passed, want);
        return ND_OK;
    }
    return read_at(file, offset, to->size + want, to);
}

nd_status nd_file_window_sum_blocks(nd_file_window *file, uint64_t begin, uint64_t end) {
    const nd_status st = block_sum_begin(&file->blocks, begin, end, file->file_bytes);
    if (st == ND_OK) {
        block_sum_add(&file->blocks, file->offset, nd_buffer_span(&file->window));
    }
    return st;
}

nd_status nd_file_window_block_sum(nd_file_window *file, uint64_t *sum) {
    const nd_status st = sum_passed(file, UINT64_MAX);
    *sum = file->blocks.sum;
    return st;
}

void nd_file_window_uncache(const nd_file_window *file, uint64_t begin, uint64_t end) {
    (void)posix_fadvise(file->descriptor, (off_t)(file->begin + begin), (off_t)(end - begin),
                        POSIX_FADV_DONTNEED);
}

void nd_file_window_close(nd_file_window *file) {
    if (file->path != NULL && file->descriptor >= 0) {
        (void)close(file->descriptor);
    }
    nd_buffer_free(&file->window);
    block_sum_free(&file->blocks);
    *file = (nd_file_window){.descriptor = -1};
}
