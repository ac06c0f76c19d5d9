#include "mpi/job/checkpoint.h"

#include "io/store/own_file.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

const char *nd_checkpoint_cure(const nd_checkpoint *checkpoint) {
    return checkpoint->sealed ? "take a copy of the index, or make it anew"
                              : "remove the work folder and start anew";
}

nd_status nd_checkpoint_refuse(const nd_checkpoint *checkpoint, const char *array,
                               const char *format, ...) {
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return nd_fail(ND_ERR_FORMAT, "%s: damaged: %s: %s: %s", checkpoint->folder.path, array, what,
                   nd_checkpoint_cure(checkpoint));
}

uint64_t nd_checkpoint_count(const nd_checkpoint *checkpoint, const char *array) {
    size_t count = 0;
    const nd_manifest_piece *pieces = nd_manifest_array(&checkpoint->manifest, array, &count);
    return count == 0 ? 0 : pieces[count - 1].first + pieces[count - 1].count;
}

nd_status nd_checkpoint_records(const nd_checkpoint *checkpoint, const char *array,
                                uint64_t *count) {
    size_t pieces = 0;
    const nd_manifest_piece *piece = nd_manifest_array(&checkpoint->manifest, array, &pieces);
    *count = nd_checkpoint_count(checkpoint, array);
    return pieces == 0 || piece->first == 0
               ? ND_OK
               : nd_checkpoint_refuse(checkpoint, array, "begins with record %" PRIu64,
                                      piece->first);
}

bool nd_checkpoint_is_one_piece(const nd_checkpoint *checkpoint, const char *array, uint64_t first,
                                uint64_t count) {
    size_t pieces = 0;
    size_t i = 0; /* the first that ends after the first record */
    const nd_manifest_piece *piece = nd_manifest_array(&checkpoint->manifest, array, &pieces);
    if (count == 0) {
        return pieces == 0 || (first >= piece[0].first &&
                               first <= piece[pieces - 1].first + piece[pieces - 1].count);
    }
    ND_FIND_FIRST(i, 0, pieces, piece[i].first + piece[i].count > first);
    return i < pieces && first >= piece[i].first &&
           count <= piece[i].count - (first - piece[i].first);
}

nd_kept_file nd_checkpoint_file(const nd_checkpoint *checkpoint, const nd_manifest_piece *piece,
                                char path[ND_WORK_PATH_SIZE]) {
    char name[NAME_MAX + 1];
    const nd_manifest *manifest = &checkpoint->manifest;
    nd_manifest_file(manifest, piece, name);
    nd_work_folder_join(&checkpoint->folder, name, path);
    return (nd_kept_file){.path = path,
                          .size = piece->count * nd_manifest_array_of(manifest, piece)->record_size,
                          .checksum = piece->checksum,
                          .checked = piece->checked || piece->generation > checkpoint->earlier,
                          .cure = nd_checkpoint_cure(checkpoint)};
}

/* Bytes of the file of a piece. Of all of it the checksum is that of what was read. */
static nd_status read_piece(const nd_checkpoint *checkpoint, nd_manifest_piece *piece,
                            uint64_t offset, uint64_t size, void *bytes) {
    nd_status st = ND_OK;
    int descriptor = -1;
    char path[ND_WORK_PATH_SIZE];
    nd_kept_file file = nd_checkpoint_file(checkpoint, piece, path);
    const bool checks = !file.checked && size == file.size;
    file.checked = file.checked || checks;
    ND_TRY(nd_kept_file_open(&file, &descriptor));
    ND_TRY(nd_own_file_read(descriptor, path, offset, bytes, (size_t)size));
    ND_TRY(checks && XXH3_64bits(bytes, (size_t)size) != file.checksum ? nd_kept_file_refuse(&file)
                                                                       : ND_OK);
    piece->checked = true;
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return st;
}

nd_status nd_checkpoint_load(const nd_checkpoint *checkpoint, const char *array, size_t record_size,
                             uint64_t begin, uint64_t end, void *records) {
    nd_status st = ND_OK;
    size_t count = 0;
    size_t i = 0; /* the first piece that ends after the first record */
    const nd_manifest *manifest = &checkpoint->manifest;
    nd_manifest_piece *pieces = nd_manifest_array(manifest, array, &count);
    uint8_t *to = records;
    ND_ASSERT(begin <= end, begin, end);
    ND_FIND_FIRST(i, 0, count, pieces[i].first + pieces[i].count > begin);
    for (; begin < end; i++) {
        if (i >= count || pieces[i].first > begin ||
            nd_manifest_array_of(manifest, pieces)->record_size != record_size) {
            return nd_checkpoint_refuse(checkpoint, array,
                                        "there is no record %" PRIu64 " of %zu bytes", begin,
                                        record_size);
        }
        const uint64_t part_end = nd_min(pieces[i].first + pieces[i].count, end);
        const uint64_t part_size = (part_end - begin) * record_size;
        ND_TRY(read_piece(checkpoint, &pieces[i], (begin - pieces[i].first) * record_size,
                          part_size, to));
        ND_ASSERT(part_end > begin, begin, part_end, i);
        to += part_size;
        begin = part_end;
    }
out:
    return st;
}

nd_status nd_checkpoint_number(const nd_checkpoint *checkpoint, const char *name, uint64_t *value) {
    const nd_manifest_value *found = nd_manifest_find(&checkpoint->manifest, name);
    if (found == NULL || found->text != NULL) {
        return nd_checkpoint_refuse(checkpoint, name, "there is no such number");
    }
    *value = found->number;
    return ND_OK;
}

nd_status nd_checkpoint_text(const nd_checkpoint *checkpoint, const char *name, const char **text) {
    const nd_manifest_value *found = nd_manifest_find(&checkpoint->manifest, name);
    if (found == NULL || found->text == NULL) {
        return nd_checkpoint_refuse(checkpoint, name, "there is no such text");
    }
    *text = found->text;
    return ND_OK;
}

static nd_status check_pieces(const nd_checkpoint *checkpoint, bool contents) {
    nd_status st = ND_OK;
    char path[ND_WORK_PATH_SIZE];
    const nd_manifest *manifest = &checkpoint->manifest;
    const size_t size = (size_t)checkpoint->comm->size;
    if (!checkpoint->enabled && !checkpoint->sealed) {
        return ND_OK;
    }
    for (size_t i = (size_t)checkpoint->comm->rank; i < manifest->piece_count; i += size) {
        int descriptor = -1;
        nd_kept_file file = nd_checkpoint_file(checkpoint, &manifest->pieces[i], path);
        file.checked = false;
        ND_TRY(contents ? nd_kept_file_open(&file, &descriptor) : nd_kept_file_look(&file));
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
    }
out:
    return nd_comm_agree(checkpoint->comm, st);
}

nd_status nd_checkpoint_check_sizes(const nd_checkpoint *checkpoint) {
    return check_pieces(checkpoint, false);
}

nd_status nd_checkpoint_check(const nd_checkpoint *checkpoint) {
    return check_pieces(checkpoint, true);
}
