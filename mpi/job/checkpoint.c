#include "mpi/job/checkpoint.h"

#include "io/store/own_file.h"
#include "src/base/status.h"

#include "mpi/comm/exchange.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the same text on all ranks */

static void manifest_path(const nd_checkpoint *checkpoint, char *path) {
    nd_work_folder_join(&checkpoint->folder, nd_work_manifest_name, path);
}

/* Collective. Rank 0's text as a manifest on every rank; an empty text is an empty manifest. */
static nd_status share_manifest(const nd_checkpoint *checkpoint, nd_buffer *text,
                                nd_manifest *manifest) {
    nd_status st = ND_OK;
    char path[ND_WORK_PATH_SIZE];
    manifest_path(checkpoint, path);
    ND_TRY(nd_comm_share_bytes(checkpoint->comm, text));
    if (text->size > 0) {
        st = nd_manifest_parse(manifest, nd_buffer_span(text), path);
        st = st != ND_OK ? st : nd_manifest_check_whole(manifest, path);
        if (st == ND_ERR_FORMAT) {
            char why[ND_FAIL_TEXT_SIZE];
            (void)snprintf(why, sizeof why, "%s", nd_fail_text());
            st = nd_fail(st, "%s: %s", why, nd_checkpoint_cure(checkpoint));
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
        st = nd_fail(ND_ERR_FORMAT, "%s: damaged: empty: %s", file, nd_checkpoint_cure(checkpoint));
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
    checkpoint->spools = (nd_spool_folder){.path = checkpoint->folder.path, .rank = comm->rank};
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
    int descriptor = -1;
    char path[ND_WORK_PATH_SIZE];
    char to[ND_WORK_PATH_SIZE];
    const nd_kept_array *array = nd_manifest_array_of(&from->manifest, piece);
    nd_manifest_piece taken = new_piece(checkpoint, first + piece->first, piece->count);
    nd_kept_file file = nd_checkpoint_file(from, piece, path);
    taken.checksum = piece->checksum;
    name_piece(checkpoint, array->name, &taken, to);
    if (!file.checked) {
        ND_TRY(nd_kept_file_open(&file, &descriptor));
        (void)close(descriptor);
    }
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

/* This rank's share of the files that are not named any more. What stays is no harm: the next open
 * removes it. */
static void remove_dropped(const nd_checkpoint *checkpoint) {
    char name[NAME_MAX + 1];
    const nd_manifest *manifest = &checkpoint->manifest;
    const size_t size = (size_t)checkpoint->comm->size;
    for (size_t i = (size_t)checkpoint->comm->rank; i < manifest->piece_count; i += size) {
        if (manifest->pieces[i].dropped) {
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

    /* the state before and the changes of all ranks, which come as texts, on rank 0 */
    st = checkpoint->saved;
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
    nd_manifest_take_checked(&shared, &checkpoint->manifest);
    remove_dropped(checkpoint);
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
