#include "mpi/job/checkpoint.h"

#include "io/store/own_file.h"
#include "mpi/comm/exchange.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== writing */

/* ---- the same text on all ranks */

/* What to do about a damaged one. */
static const char *checkpoint_cure(const nd_checkpoint *checkpoint) {
    return checkpoint->sealed ? "take a copy of the index, or make it anew"
                              : "remove the work folder and start anew";
}

static void manifest_path(const nd_checkpoint *checkpoint, char *path) {
    nd_work_folder_join(&checkpoint->folder, nd_work_manifest_name, path);
}

/* Collective. Rank 0's text as a manifest on every rank; an empty text is an empty manifest. */
static nd_status share_manifest(const nd_checkpoint *checkpoint, nd_buffer *text,
                                nd_manifest *manifest) {
    nd_status st = ND_OK;
    char path[ND_WORK_PATH_SIZE];
    manifest_path(checkpoint, path);
    nd_comm_share_bytes(checkpoint->comm, text);
    if (text->size > 0) {
        st = nd_manifest_parse(manifest, nd_buffer_span(text), path);
        st = st != ND_OK ? st : nd_manifest_check_whole(manifest, path);
        if (st == ND_ERR_FORMAT) {
            char why[ND_FAIL_TEXT_SIZE];
            (void)snprintf(why, sizeof why, "%s", nd_fail_text());
            st = nd_fail(st, "%s: %s", why, checkpoint_cure(checkpoint));
        }
    }
    ND_TRY(nd_comm_agree(checkpoint->comm, st));
out:
    return st;
}

/* ---- opening */

/* What is left of closing when nothing is waited for. */
static void release(nd_checkpoint *checkpoint) {
    nd_work_folder_close(&checkpoint->folder);
    nd_manifest_free(&checkpoint->manifest);
    nd_manifest_free(&checkpoint->changes);
    *checkpoint = (nd_checkpoint){0};
}

nd_status nd_checkpoint_open(nd_checkpoint *checkpoint, nd_comm *comm, const char *path,
                             bool resume) {
    nd_status st = ND_OK;
    nd_buffer text = {0};
    const char **files = NULL;
    char file[ND_WORK_PATH_SIZE];
    char owner[ND_LOCK_OWNER_SIZE] = "";
    bool found = false;
    *checkpoint = (nd_checkpoint){.comm = comm};
    if (path == NULL) {
        return ND_OK;
    }
    st = nd_work_folder_open(&checkpoint->folder, path);
    if (st == ND_OK && comm->rank == 0) { /* what does the folder hold already? */
        manifest_path(checkpoint, file);
        st = nd_work_folder_lock(&checkpoint->folder);
        st = st != ND_OK ? st : nd_manifest_read(&text, file, &found);
    }
    if (st == ND_OK && found && text.size == 0) {
        st = nd_fail(ND_ERR_FORMAT, "%s: damaged: empty: %s", file, checkpoint_cure(checkpoint));
    } else if (st == ND_OK && found && !resume) {
        st = nd_fail(ND_ERR_USAGE,
                     "%s: holds the checkpoints of an earlier run: give --resume to go on with it, "
                     "or remove the folder",
                     checkpoint->folder.path);
    }
    ND_TRY(nd_comm_agree(comm, st));
    /* do all ranks see the folder that rank 0 has locked? */
    memcpy(owner, checkpoint->folder.owner, sizeof owner);
    ND_MPI(MPI_Bcast(owner, (int)sizeof owner, MPI_CHAR, 0, comm->handle));
    st = comm->rank == 0 ? ND_OK : nd_work_folder_verify(&checkpoint->folder, owner);
    ND_TRY(nd_comm_agree(comm, st));
    ND_TRY(share_manifest(checkpoint, &text, &checkpoint->manifest));
    if (comm->rank == 0) { /* only what the manifest names stays */
        files = nd_manifest_files(&checkpoint->manifest);
        st = nd_work_folder_remove(&checkpoint->folder, files, checkpoint->manifest.piece_count,
                                   true);
    }
    ND_TRY(nd_comm_agree(comm, st));
    checkpoint->spools =
        (nd_spool_folder){.path = checkpoint->folder.path, .keeps = true, .rank = comm->rank};
    checkpoint->earlier = checkpoint->manifest.generation;
    checkpoint->enabled = true;
out:
    free(files);
    nd_buffer_free(&text);
    if (st != ND_OK) {
        if (checkpoint->folder.made) {
            nd_work_folder_discard(&checkpoint->folder);
        }
        release(checkpoint);
    }
    return st;
}

nd_status nd_checkpoint_read(nd_checkpoint *checkpoint, nd_comm *comm, const char *path) {
    nd_status st = ND_OK;
    nd_buffer text = {0};
    char file[ND_WORK_PATH_SIZE];
    bool found = false;
    *checkpoint = (nd_checkpoint){.comm = comm, .sealed = true};
    st = nd_work_folder_open(&checkpoint->folder, path);
    if (st == ND_OK && comm->rank == 0) {
        manifest_path(checkpoint, file);
        st = nd_manifest_read(&text, file, &found);
        if (st == ND_OK && text.size == 0) {
            st = nd_fail(found ? ND_ERR_FORMAT : ND_ERR_USAGE, "%s: %s", path,
                         found ? "damaged: its manifest.json is empty"
                               : "is no index: it has no manifest.json");
        }
    }
    ND_TRY(nd_comm_agree(comm, st));
    st = share_manifest(checkpoint, &text, &checkpoint->manifest);
out:
    nd_buffer_free(&text);
    if (st != ND_OK) {
        release(checkpoint);
    }
    return st;
}

const char *nd_checkpoint_stage(const nd_checkpoint *checkpoint) {
    return checkpoint->manifest.stage;
}

/* ---- writing */

/* A state without what could not be saved must not be committed. */
static nd_status remember(nd_checkpoint *checkpoint, nd_status st) {
    checkpoint->saved = checkpoint->saved != ND_OK ? checkpoint->saved : st;
    return st;
}

/* A piece of this rank's next file. */
static nd_manifest_piece new_piece(nd_checkpoint *checkpoint, uint64_t first, uint64_t count) {
    return (nd_manifest_piece){.first = first,
                               .count = count,
                               .generation = (uint32_t)checkpoint->manifest.generation + 1,
                               .rank = (uint32_t)checkpoint->comm->rank,
                               .number = (uint32_t)checkpoint->next++};
}

static void name_piece(const nd_checkpoint *checkpoint, const char *array,
                       const nd_manifest_piece *piece, char path[ND_WORK_PATH_SIZE]) {
    char name[NAME_MAX + 1];
    nd_work_folder_part(piece->generation, array, (int)piece->rank, piece->number, name);
    nd_work_folder_join(&checkpoint->folder, name, path);
}

static nd_status keep_piece(nd_checkpoint *checkpoint, const char *array, size_t record_size,
                            uint64_t first, nd_spool *spool) {
    nd_status st = ND_OK;
    char path[ND_WORK_PATH_SIZE];
    ND_ASSERT(checkpoint->spools.rank == checkpoint->comm->rank && record_size > 0, record_size,
              checkpoint->spools.rank);
    nd_manifest_piece piece = new_piece(checkpoint, first, spool->size / record_size);
    if (spool->size % record_size != 0) {
        return nd_fail(ND_ERR_INTERNAL,
                       "checkpoint: %" PRIu64 " bytes of %s are no records of %zu bytes",
                       spool->size, array, record_size);
    }
    name_piece(checkpoint, array, &piece, path);
    ND_TRY(nd_spool_keep(spool, path, &piece.checksum));
    ND_TRY(nd_manifest_add_piece(&checkpoint->changes, array, record_size, &piece));
out:
    return st;
}

nd_status nd_checkpoint_keep(nd_checkpoint *checkpoint, const char *array, size_t record_size,
                             uint64_t first, nd_spool *spool) {
    if (!checkpoint->enabled || spool->size == 0) {
        return ND_OK;
    }
    return remember(checkpoint, keep_piece(checkpoint, array, record_size, first, spool));
}

nd_status nd_checkpoint_save(nd_checkpoint *checkpoint, const char *array, size_t record_size,
                             uint64_t first, const void *records, uint64_t count) {
    nd_status st = ND_OK;
    nd_spool spool;
    if (!checkpoint->enabled || count == 0) {
        return ND_OK;
    }
    nd_spool_open(&spool, &checkpoint->spools, 0);
    ND_TRY(nd_spool_append(&spool, records, (size_t)count * record_size));
    ND_TRY(keep_piece(checkpoint, array, record_size, first, &spool));
out:
    nd_spool_close(&spool);
    return remember(checkpoint, st);
}

static nd_status take_piece(nd_checkpoint *checkpoint, const nd_checkpoint *from,
                            const nd_manifest_piece *piece, uint64_t first) {
    nd_status st = ND_OK;
    char path[ND_WORK_PATH_SIZE];
    char to[ND_WORK_PATH_SIZE];
    const nd_kept_array *array = nd_manifest_array_of(&from->manifest, piece);
    nd_manifest_piece taken = new_piece(checkpoint, first + piece->first, piece->count);
    const nd_kept_file file = nd_checkpoint_file(from, piece, path);
    taken.checksum = piece->checksum;
    name_piece(checkpoint, array->name, &taken, to);
    ND_TRY(file.own ? ND_OK : nd_kept_file_check(&file));
    ND_TRY(nd_own_file_take(path, to));
    ND_TRY(nd_manifest_add_piece(&checkpoint->changes, array->name, array->record_size, &taken));
out:
    return st;
}

nd_status nd_checkpoint_take(nd_checkpoint *checkpoint, const nd_checkpoint *from,
                             const char *array, uint64_t first) {
    nd_status st = ND_OK;
    size_t count = 0;
    const nd_comm *comm = checkpoint->comm;
    const nd_manifest_piece *pieces = nd_manifest_array(&from->manifest, array, &count);
    for (size_t i = (size_t)comm->rank; st == ND_OK && i < count; i += (size_t)comm->size) {
        st = take_piece(checkpoint, from, &pieces[i], first);
    }
    return remember(checkpoint, st);
}

void nd_checkpoint_set_number(nd_checkpoint *checkpoint, const char *name, uint64_t value) {
    if (checkpoint->enabled) {
        nd_manifest_set_number(&checkpoint->changes, name, value);
    }
}

void nd_checkpoint_set_text(nd_checkpoint *checkpoint, const char *name, const char *text) {
    if (checkpoint->enabled) {
        nd_manifest_set_text(&checkpoint->changes, name, text);
    }
}

void nd_checkpoint_drop(nd_checkpoint *checkpoint, const char *array) {
    size_t count = 0;
    nd_manifest_piece *pieces = nd_manifest_array(&checkpoint->manifest, array, &count);
    for (size_t i = 0; i < count; i++) {
        pieces[i].dropped = true;
    }
}

/* ---- the commit */

/* This rank's share of the files, those that are not named any more or all. What stays is no harm:
 * the next open removes it. */
static void remove_files(const nd_checkpoint *checkpoint, bool all) {
    char name[NAME_MAX + 1];
    const nd_manifest *manifest = &checkpoint->manifest;
    const size_t size = (size_t)checkpoint->comm->size;
    for (size_t i = (size_t)checkpoint->comm->rank; i < manifest->piece_count; i += size) {
        if (all || manifest->pieces[i].dropped) {
            nd_manifest_file(manifest, &manifest->pieces[i], name);
            (void)nd_work_folder_remove_file(&checkpoint->folder, name);
        }
    }
}

nd_status nd_checkpoint_commit(nd_checkpoint *checkpoint, const char *stage) {
    nd_status st = ND_OK;
    nd_comm *comm = checkpoint->comm;
    nd_manifest next = {.generation = checkpoint->manifest.generation + 1};
    nd_manifest shared = {0}; /* the next state, on all ranks */
    nd_buffer text = {0};
    uint64_t *sizes = nd_alloc_zero(2 * (size_t)comm->size, sizeof *sizes); /* [rank] of this
        rank's text for it, then of its text */
    uint8_t *texts = NULL;
    uint64_t total = 0;
    char path[ND_WORK_PATH_SIZE];
    if (!checkpoint->enabled) {
        goto out;
    }
    manifest_path(checkpoint, path);

    /* the state before and the changes of all ranks, which come as texts, on rank 0: all names of
     * a rank's files are brought to the disk at once */
    st = checkpoint->saved;
    if (st == ND_OK && checkpoint->changes.piece_count > 0) {
        st = nd_fault(ND_FAULT_SYNC);
        st = st != ND_OK ? st : nd_own_file_sync_names(path);
    }
    st = st != ND_OK ? st : nd_manifest_arrange(&checkpoint->changes);
    st = st != ND_OK ? st : nd_manifest_format(&checkpoint->changes, &text);
    ND_TRY(nd_comm_agree(comm, st));
    sizes[0] = text.size;
    ND_TRY(nd_exchange(comm, text.data, sizes, 1, &texts, sizes + comm->size, &total));
    ND_ASSERT((total > 0) == (comm->rank == 0), total); /* the others' texts are for rank 0 */
    if (comm->rank == 0) {
        const uint8_t *at = texts;
        st = nd_manifest_merge(&next, &checkpoint->manifest, true);
        for (int r = 0; st == ND_OK && r < comm->size; r++) {
            nd_manifest changes = {0};
            const size_t size = (size_t)sizes[comm->size + r];
            st = nd_manifest_parse(&changes, (nd_span){at, size}, "checkpoint");
            st = st != ND_OK ? st : nd_manifest_merge(&next, &changes, r == 0);
            nd_manifest_free(&changes);
            at += size;
        }
        text.size = 0;
        st = st != ND_OK ? st : nd_manifest_arrange(&next);
        nd_manifest_set_stage(&next, stage);
        st = st != ND_OK ? st : nd_manifest_format(&next, &text);
    }
    ND_TRY(nd_comm_agree(comm, st));

    /* all ranks have the new state before it is in place: nothing after that may fail */
    ND_TRY(share_manifest(checkpoint, &text, &shared));
    if (comm->rank == 0) {
        st = nd_manifest_write(nd_buffer_span(&text), path);
    }
    ND_TRY(nd_comm_agree(comm, st));
    ND_ASSERT(shared.generation == checkpoint->manifest.generation + 1 && shared.stage != NULL,
              shared.generation, checkpoint->manifest.generation);
    ND_ASSERT(shared.piece_count >= checkpoint->changes.piece_count, shared.piece_count,
              checkpoint->changes.piece_count);
    nd_manifest_take_sums(&shared, &checkpoint->manifest);
    remove_files(checkpoint, false);
    nd_manifest_free(&checkpoint->manifest);
    nd_manifest_free(&checkpoint->changes);
    checkpoint->manifest = shared;
    shared = (nd_manifest){0};
out:
    nd_manifest_free(&next);
    nd_manifest_free(&shared);
    nd_buffer_free(&text);
    free(texts);
    free(sizes);
    return st;
}

/* ---- closing */

void nd_checkpoint_discard(nd_checkpoint *checkpoint) {
    if (checkpoint->enabled) {
        int gone = 0; /* the manifest, so that nobody misses its files */
        ND_MPI(MPI_Barrier(checkpoint->comm->handle));
        if (checkpoint->comm->rank == 0) {
            gone = nd_work_folder_remove_manifest(&checkpoint->folder) == ND_OK;
        }
        ND_MPI(MPI_Bcast(&gone, 1, MPI_INT, 0, checkpoint->comm->handle));
        if (gone != 0) {
            remove_files(checkpoint, true);
        }
        ND_MPI(MPI_Barrier(checkpoint->comm->handle));
        if (checkpoint->comm->rank == 0) {
            nd_work_folder_discard(&checkpoint->folder);
        }
        ND_MPI(MPI_Barrier(checkpoint->comm->handle));
    }
    release(checkpoint);
}

void nd_checkpoint_seal(nd_checkpoint *checkpoint) {
    ND_MPI(MPI_Barrier(checkpoint->comm->handle));
    nd_work_folder_unlock(&checkpoint->folder);
    release(checkpoint);
}

void nd_checkpoint_close(nd_checkpoint *checkpoint) {
    if (checkpoint->enabled) { /* unlocked once no rank uses the folder any more */
        ND_MPI(MPI_Barrier(checkpoint->comm->handle));
    }
    release(checkpoint);
}

/* ==== reading */

nd_status nd_checkpoint_refuse(const nd_checkpoint *checkpoint, const char *array,
                               const char *format, ...) {
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return nd_fail(ND_ERR_FORMAT, "%s: damaged: %s: %s: %s", checkpoint->folder.path, array, what,
                   checkpoint_cure(checkpoint));
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
                          .own = piece->generation > checkpoint->earlier,
                          .cure = checkpoint_cure(checkpoint)};
}

/* Bytes of the file of a piece. */
static nd_status read_piece(const nd_checkpoint *checkpoint, nd_manifest_piece *piece,
                            uint64_t offset, uint64_t size, void *bytes) {
    nd_status st = ND_OK;
    int descriptor = -1;
    char path[ND_WORK_PATH_SIZE];
    nd_kept_file file = nd_checkpoint_file(checkpoint, piece, path);
    file.sums = piece->sums;
    ND_TRY(nd_kept_file_open(&file, &descriptor));
    piece->sums = file.sums;
    ND_TRY(nd_kept_file_read(&file, descriptor, offset, bytes, (size_t)size));
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
        const nd_kept_file file = nd_checkpoint_file(checkpoint, &manifest->pieces[i], path);
        ND_TRY(contents ? nd_kept_file_check(&file) : nd_kept_file_look(&file));
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

/* ==== packed arrays */

/* Bytes of a block: with more, tokens repeat more often; but all of it is unpacked for one page. */
enum { BLOCK_BYTES = 1 << 18 };

static void name_arrays(const char *array, char packed[32], char blocks[32]) {
    (void)snprintf(packed, 32, "%s.packed", array);
    (void)snprintf(blocks, 32, "%s.blocks", array);
}

nd_status nd_packed_extent_of(const nd_checkpoint *from, const char *array,
                              nd_packed_extent *extent) {
    nd_status st = ND_OK;
    char packed[32];
    char blocks[32];
    nd_packed_block last = {0};
    name_arrays(array, packed, blocks);
    *extent = (nd_packed_extent){.packed = nd_checkpoint_count(from, packed),
                                 .blocks = nd_checkpoint_count(from, blocks)};
    if (extent->blocks > 0) {
        ND_TRY(nd_checkpoint_load(from, blocks, sizeof last, extent->blocks - 1, extent->blocks,
                                  &last));
        if (last.size > UINT64_MAX - last.first) {
            return nd_fail(ND_ERR_FORMAT, "%s: damaged: %s", from->folder.path, blocks);
        }
        extent->bytes = last.first + last.size;
    }
out:
    return st;
}

/* ---- writing */

void nd_packer_open(nd_packer *packer, nd_packing packing, nd_spool_folder *folder,
                    uint64_t memory) {
    *packer = (nd_packer){.packing = packing};
    nd_spool_open(&packer->packed, folder, memory);
    nd_spool_open(&packer->blocks, folder, memory);
}

static nd_status end_block(nd_packer *packer) {
    nd_status st = ND_OK;
    nd_packer *p = packer;
    p->made.size = 0;
    ND_TRY(nd_pack(p->packing, p->block.data, p->block.size, &p->made));
    const nd_packed_block block = {p->size - p->block.size, p->block.size, p->packed.size,
                                   p->made.size};
    ND_TRY(nd_spool_append(&p->packed, p->made.data, p->made.size));
    ND_TRY(nd_spool_append(&p->blocks, &block, sizeof block));
    p->block.size = 0;
out:
    return st;
}

nd_status nd_packer_add(nd_packer *packer, const void *bytes, size_t size) {
    nd_status st = ND_OK;
    if (packer->block.size > 0 && packer->block.size + size > BLOCK_BYTES) {
        ND_TRY(end_block(packer));
    }
    nd_buffer_append(&packer->block, bytes, size);
    packer->size += size;
    ND_ASSERT(packer->block.size <= packer->size, packer->block.size, packer->size);
out:
    return st;
}

nd_status nd_packer_keep(nd_packer *packer, nd_status st, nd_checkpoint *to, const char *array,
                         const nd_packed_extent *before, uint64_t *first) {
    nd_packer *p = packer;
    char packed[32];
    char blocks[32];
    nd_spool table; /* with what comes before added */
    nd_spool_reader reader = {0};
    const void *records = NULL;
    uint64_t count = 1;
    name_arrays(array, packed, blocks);
    st = st == ND_OK && p->block.size > 0 ? end_block(p) : st;
    const uint64_t block_count = p->blocks.size / sizeof(nd_packed_block);
    *first = before->bytes + nd_comm_before(to->comm, p->size);
    const uint64_t place = before->packed + nd_comm_before(to->comm, p->packed.size);
    const uint64_t number = before->blocks + nd_comm_before(to->comm, block_count);
    nd_spool_open(&table, p->blocks.folder, 0);
    ND_TRY(st);
    nd_spool_reader_open(&reader, &p->blocks, sizeof(nd_packed_block), 0, block_count, 1 << 16);
    while (count > 0) {
        ND_TRY(nd_spool_reader_next(&reader, &records, &count));
        for (uint64_t i = 0; i < count; i++) {
            nd_packed_block block = ((const nd_packed_block *)records)[i];
            block.first += *first;
            block.place += place;
            ND_TRY(nd_spool_append(&table, &block, sizeof block));
        }
    }
    ND_TRY(nd_checkpoint_keep(to, packed, 1, place, &p->packed));
    ND_TRY(nd_checkpoint_keep(to, blocks, sizeof(nd_packed_block), number, &table));
out:
    nd_spool_reader_close(&reader);
    nd_spool_close(&table);
    return st;
}

void nd_packer_close(nd_packer *packer) {
    nd_buffer_free(&packer->block);
    nd_buffer_free(&packer->made);
    nd_spool_close(&packer->packed);
    nd_spool_close(&packer->blocks);
}

/* ---- reading */

nd_status nd_packed_reader_open(nd_packed_reader *reader, nd_packing packing,
                                const nd_checkpoint *from, const char *array) {
    *reader = (nd_packed_reader){.from = from, .packing = packing};
    name_arrays(array, reader->packed_name, reader->blocks_name);
    return nd_packed_extent_of(from, array, &reader->extent);
}

static nd_status damaged(const nd_packed_reader *reader) {
    return nd_fail(ND_ERR_FORMAT, "%s: damaged: %s", reader->from->folder.path,
                   reader->packed_name);
}

static bool holds(const nd_packed_block *block, uint64_t byte) {
    return byte >= block->first && byte - block->first < block->size;
}

/* Unpack the block that has a byte. */
static nd_status unpack_at(nd_packed_reader *reader, uint64_t byte) {
    nd_status st = ND_OK;
    nd_packed_reader *r = reader;
    uint64_t begin = 0;
    uint64_t end = r->extent.blocks; /* it is one of [begin, end) */
    nd_packed_block block = {0};
    uint64_t middle = r->block.size > 0 ? nd_min(r->block_number + 1, end - 1) : (begin + end) / 2;
    while (begin < end) { /* the next one as a rule */
        ND_TRY(
            nd_checkpoint_load(r->from, r->blocks_name, sizeof block, middle, middle + 1, &block));
        if (holds(&block, byte)) {
            break;
        }
        if (byte < block.first) {
            end = middle;
        } else {
            begin = middle + 1;
        }
        middle = begin + (end - begin) / 2;
    }
    r->block.size = 0;
    if (begin >= end || block.size > UINT32_MAX || block.packed_bytes > UINT32_MAX ||
        block.place > r->extent.packed || block.packed_bytes > r->extent.packed - block.place) {
        return damaged(r);
    }
    r->packed.size = r->bytes.size = 0;
    nd_buffer_reserve(&r->packed, block.packed_bytes);
    nd_buffer_reserve(&r->bytes, block.size);
    ND_TRY(nd_checkpoint_load(r->from, r->packed_name, 1, block.place,
                              block.place + block.packed_bytes, r->packed.data));
    st = nd_unpack(r->packing, (nd_span){r->packed.data, (size_t)block.packed_bytes}, r->bytes.data,
                   (size_t)block.size);
    ND_TRY(st == ND_ERR_FORMAT ? damaged(r) : st);
    r->block = block;
    r->block_number = middle;
out:
    return st;
}

nd_status nd_packed_read(nd_packed_reader *reader, uint64_t begin, size_t size, void *to) {
    nd_status st = ND_OK;
    uint8_t *next = to;
    if (begin > reader->extent.bytes || size > reader->extent.bytes - begin) {
        return damaged(reader);
    }
    for (uint64_t byte = begin, end = begin + size; byte < end;) {
        ND_TRY(holds(&reader->block, byte) ? ND_OK : unpack_at(reader, byte));
        const uint64_t at = byte - reader->block.first;
        ND_ASSERT(at < reader->block.size, byte, reader->block.first, reader->block.size);
        const size_t now = (size_t)nd_min(end - byte, reader->block.size - at);
        memcpy(next, reader->bytes.data + at, now);
        next += now;
        byte += now;
    }
out:
    return st;
}

void nd_packed_reader_close(nd_packed_reader *reader) {
    nd_buffer_free(&reader->packed);
    nd_buffer_free(&reader->bytes);
    *reader = (nd_packed_reader){0};
}
