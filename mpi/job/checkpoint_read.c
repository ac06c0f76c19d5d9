#include "mpi/job/checkpoint.h"

#include "io/store/own_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

uint64_t nd_checkpoint_count(const nd_checkpoint *checkpoint, const char *array) {
    size_t count = 0;
    const nd_manifest_piece *pieces = nd_manifest_array(&checkpoint->manifest, array, &count);
    return count == 0 ? 0 : pieces[count - 1].first + pieces[count - 1].count;
}

/* Open the file of a piece, which has to have its size. */
static nd_status open_piece(const nd_checkpoint *checkpoint, const nd_manifest_piece *piece,
                            char *path, int *descriptor) {
    nd_work_folder_join(&checkpoint->folder, piece->file, path);
    const uint64_t size = piece->count * piece->record_size;
    uint64_t bytes = 0;
    const nd_status st = nd_own_file_open(path, descriptor, &bytes);
    if (st == ND_OK && bytes != size) {
        (void)close(*descriptor);
        return nd_fail(ND_ERR_FORMAT,
                       "%s: damaged: has %" PRIu64 " bytes of %" PRIu64
                       ": remove the work folder and start anew",
                       path, bytes, size);
    }
    return st == ND_END ? nd_fail(ND_ERR_IO, "%s: cannot open: %s", path, strerror(ENOENT)) : st;
}

static nd_status load_part(const nd_checkpoint *checkpoint, const nd_manifest_piece *piece,
                           uint64_t begin, uint64_t end, void *records) {
    char path[ND_WORK_PATH_SIZE];
    int descriptor = -1;
    nd_status st = open_piece(checkpoint, piece, path, &descriptor);
    if (st == ND_OK) {
        st = nd_own_file_read(descriptor, path, (begin - piece->first) * piece->record_size,
                              records, (size_t)((end - begin) * piece->record_size));
        (void)close(descriptor);
    }
    return st;
}

/* The first piece of `count` that ends after a record; `count` if none does. */
static size_t piece_after(const nd_manifest_piece *pieces, size_t count, uint64_t record) {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pieces[middle].first + pieces[middle].count <= record) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

nd_status nd_checkpoint_load(const nd_checkpoint *checkpoint, const char *array, size_t record_size,
                             uint64_t begin, uint64_t end, void *records) {
    nd_status st = ND_OK;
    size_t count = 0;
    const nd_manifest_piece *pieces = nd_manifest_array(&checkpoint->manifest, array, &count);
    uint8_t *to = records;
    for (size_t i = piece_after(pieces, count, begin); begin < end; i++) {
        if (i >= count || pieces[i].first > begin || pieces[i].record_size != record_size) {
            return nd_fail(ND_ERR_FORMAT,
                           "the checkpoint has no record %" PRIu64 " of %zu bytes in array %s",
                           begin, record_size, array);
        }
        const uint64_t piece_end = pieces[i].first + pieces[i].count;
        const uint64_t part_end = piece_end < end ? piece_end : end;
        ND_TRY(load_part(checkpoint, &pieces[i], begin, part_end, to));
        to += (part_end - begin) * record_size;
        begin = part_end;
    }
out:
    return st;
}

nd_status nd_checkpoint_number(const nd_checkpoint *checkpoint, const char *name, uint64_t *value) {
    const nd_manifest_value *found = nd_manifest_find(&checkpoint->manifest, name);
    if (found == NULL || found->text != NULL) {
        return nd_fail(ND_ERR_FORMAT, "the checkpoint has no number %s", name);
    }
    *value = found->number;
    return ND_OK;
}

nd_status nd_checkpoint_text(const nd_checkpoint *checkpoint, const char *name, const char **text) {
    const nd_manifest_value *found = nd_manifest_find(&checkpoint->manifest, name);
    if (found == NULL || found->text == NULL) {
        return nd_fail(ND_ERR_FORMAT, "the checkpoint has no text %s", name);
    }
    *text = found->text;
    return ND_OK;
}

static nd_status check_piece(const nd_checkpoint *checkpoint, const nd_manifest_piece *piece) {
    nd_status st = ND_OK;
    char path[ND_WORK_PATH_SIZE];
    int descriptor = -1;
    uint64_t checksum = 0;
    ND_TRY(open_piece(checkpoint, piece, path, &descriptor));
    (void)close(descriptor);
    ND_TRY(nd_spool_checksum(path, &checksum));
    if (checksum != piece->checksum) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: damaged: its checksum does not match: remove the work folder and start "
                     "anew",
                     path);
    }
out:
    return st;
}

nd_status nd_checkpoint_check(nd_checkpoint *checkpoint) {
    nd_status st = ND_OK;
    if (!checkpoint->enabled) {
        return ND_OK;
    }
    const size_t size = (size_t)checkpoint->comm->size;
    for (size_t i = (size_t)checkpoint->comm->rank;
         st == ND_OK && i < checkpoint->manifest.piece_count; i += size) {
        st = check_piece(checkpoint, &checkpoint->manifest.pieces[i]);
    }
    return nd_comm_agree(checkpoint->comm, st);
}
