/* Stage 7: number the sets, write pages and sets together into one HDF5 file under a temporary
 * name, seal it, and give it its final name once it is complete. */
#define _GNU_SOURCE /* fallocate() */
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"

#include "io/result/result_file.h"
#include "io/result/result_order.h"
#include "io/result/result_schema.h"
#include "io/store/own_file.h"
#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/member_certainty.h"
#include "mpi/stage/result_tables.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is written besides the job's own state. */
typedef struct writer {
    nd_job *job;
    nd_result result;
    hid_t fapl, dxpl;
    char temporary[4096];
    bool made;             /* on rank 0: the temporary file is there */
    uint64_t *set_numbers; /* likewise */
    uint64_t *set_first;   /* set numbers by rank of the set's smallest page: size + 1 */
    nd_key_value *entries; /* (set, order within the set) of this rank's share of /sets */
    uint64_t entry_count;
} writer;

/* ---- numbers of sets */

/* Above every page number: members that are not the representative sort after it. */
static const uint64_t AFTER = UINT64_C(1) << 63;

/* Sets are numbered by their smallest page: a page that is the smallest of its set numbers it.
 * Their members go to the rank of the set's number. */
static nd_status number_sets(writer *w) {
    nd_job *job = w->job;
    const uint64_t own = nd_job_own_first(job);
    const uint64_t count = job->state->pages.count;
    uint64_t *smallest = NULL;
    uint64_t *table = NULL;
    uint64_t sets = 0;
    nd_status st = ND_OK;
    nd_new(&w->set_numbers, count, sizeof(uint64_t));
    nd_new(&w->set_first, (size_t)job->comm.size + 1, sizeof(uint64_t));
    nd_new(&smallest, count, sizeof(uint64_t));
    nd_new(&table, count, sizeof(uint64_t));
    for (uint64_t i = 0; i < count; i++) {
        smallest[i] = job->state->members[i].set;
        sets += smallest[i] == own + i;
    }
    nd_comm_ranges(&job->comm, sets, w->set_first);
    uint64_t next = w->set_first[job->comm.rank];
    for (uint64_t i = 0; i < count; i++) {
        table[i] = smallest[i] == own + i ? next++ : 0;
    }
    ND_TRY(nd_lookup(&job->comm, job->first, table, smallest, count, w->set_numbers));
    free(smallest);
    free(table);
    smallest = table = NULL;
    job->totals.sets = w->set_first[job->comm.size];
    nd_new(&w->entries, count, sizeof *w->entries);
    for (uint64_t i = 0; i < count; i++) {
        const bool leads = job->state->members[i].representative == own + i;
        w->entries[i] = (nd_key_value){w->set_numbers[i], leads ? own + i : (own + i) | AFTER};
    }
    w->entry_count = count;
    ND_TRY(nd_shuffle(&job->comm, &w->entries, &w->entry_count, sizeof *w->entries,
                      nd_shuffle_owner_of_item, w->set_first));
    nd_radix_sort(w->entries, w->entry_count);
    const uint64_t entries = nd_comm_sum(&job->comm, w->entry_count);
    ND_ASSERT(entries == job->totals.pages, entries, job->totals.pages); /* each page once */
out:
    free(smallest);
    free(table);
    return st;
}

/* ---- the columns */

static nd_status write_sets(writer *w) {
    nd_job *job = w->job;
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    uint64_t *pages = NULL;
    const uint64_t first_set = w->set_first[job->comm.rank];
    const uint64_t sets = w->set_first[job->comm.rank + 1] - first_set;
    const uint64_t before = nd_comm_before(&job->comm, w->entry_count);
    uint64_t largest = 0;
    uint64_t many = 0;
    nd_new(&offsets, sets + 1, sizeof(uint64_t));
    nd_new(&pages, w->entry_count, sizeof(uint64_t));
    for (uint64_t i = 0; i < w->entry_count; i++) {
        const nd_key_value *entry = &w->entries[i];
        const bool opens = i == 0 || entry[-1].key != entry->key;
        ND_ASSERT(entry->key - first_set < sets, entry->key, first_set, sets);
        ND_ASSERT(opens == ((entry->value & AFTER) == 0), entry->key, entry->value); /* who leads */
        offsets[w->entries[i].key - first_set + 1]++;
        pages[i] = w->entries[i].value & ~AFTER;
    }
    for (uint64_t s = 0; s < sets; s++) {
        ND_ASSERT(offsets[s + 1] > 0, s, sets); /* no set is empty */
        largest = nd_max(largest, offsets[s + 1]);
        many += offsets[s + 1] > 1;
    }
    offsets[0] = before;
    for (uint64_t s = 0; s < sets; s++) {
        offsets[s + 1] += offsets[s];
    }
    job->totals.largest_set = nd_comm_max(&job->comm, largest);
    job->totals.sets_of_many = nd_comm_sum(&job->comm, many);
    const nd_slab members = {job->totals.pages, before, w->entry_count, false};
    const nd_slab rows = {job->totals.sets, first_set, sets, false};
    ND_TRY(nd_result_put_offsets(job, &w->result, "/sets/offset", offsets, &rows));
    ND_TRY(nd_result_put(job, &w->result, "/sets/member", ND_COLUMN_U64, &members, pages));
out:
    free(offsets);
    free(pages);
    free(w->entries);
    w->entries = NULL;
    return st;
}

/* A column that copies take over from other pages: from `of` of them. \param[in] values  0 or 1 */
static nd_status write_flags(writer *w, const char *name, const uint64_t *values,
                             const uint64_t *of, const nd_slab *slab) {
    nd_job *job = w->job;
    nd_status st = ND_OK;
    uint64_t *found = NULL;
    uint8_t *flags = NULL;
    const size_t count = job->state->pages.count;
    nd_new_room(&found, count, sizeof *found);
    nd_new_room(&flags, count, sizeof *flags);
    ND_TRY(nd_lookup(&job->comm, job->first, values, of, count, found));
    for (size_t i = 0; i < count; i++) {
        ND_ASSERT(found[i] <= 1, found[i], of[i]);
        flags[i] = (uint8_t)found[i];
    }
    ND_TRY(nd_result_put(job, &w->result, name, ND_COLUMN_U8, slab, flags));
out:
    free(found);
    free(flags);
    return st;
}

/* A text is thin or not as its first page is: of copies that are not compared content is chosen
 * without all that is known of the site. A page is a form as the first page of its content is. */
static nd_status write_kinds(writer *w, const nd_slab *slab) {
    nd_job *job = w->job;
    nd_status st = ND_OK;
    uint64_t *values = NULL;
    nd_new_room(&values, job->state->pages.count, sizeof *values);
    for (size_t i = 0; i < job->state->pages.count; i++) {
        values[i] = (job->state->pages.pages[i].flags & ND_PAGE_THIN) != 0;
    }
    ND_TRY(write_flags(w, "/pages/thin", values, job->state->exact_of, slab));
    for (size_t i = 0; i < job->state->pages.count; i++) {
        values[i] = job->state->form[i];
    }
    ND_TRY(write_flags(w, "/pages/form", values, job->state->content_of, slab));
out:
    free(values);
    return st;
}

/* One value per page, copied out of the job's state into a column's own array. */
static nd_status write_page_columns(writer *w) {
    nd_job *job = w->job;
    nd_status st = ND_OK;
    uint8_t *values = NULL;
    const size_t count = job->state->pages.count;
    const nd_slab slab = {job->totals.pages, nd_job_own_first(job), count, false};
    enum { MEMBER = sizeof(nd_set_member), PAGE = sizeof(nd_stored_page) };
    const struct {
        const char *name;
        nd_column_type type;
        const void *records; /* the value lies at `offset` of each */
        size_t step, offset;
    } columns[] = {
        {"/pages/set", ND_COLUMN_U64, w->set_numbers, sizeof(uint64_t), 0},
        {"/pages/similarity", ND_COLUMN_F32, job->state->members, MEMBER,
         offsetof(nd_set_member, similarity)},
        {"/pages/link", ND_COLUMN_U64, job->state->members, MEMBER, offsetof(nd_set_member, link)},
        {"/pages/link_similarity", ND_COLUMN_F32, job->state->members, MEMBER,
         offsetof(nd_set_member, link_similarity)},
        {"/pages/exact_of", ND_COLUMN_U64, job->state->exact_of, sizeof(uint64_t), 0},
        {"/pages/tokens", ND_COLUMN_U32, job->state->pages.pages, PAGE,
         offsetof(nd_stored_page, text_tokens)},
        {"/pages/collection", ND_COLUMN_U16, job->state->pages.pages, PAGE,
         offsetof(nd_stored_page, collection)},
        {"/pages/subject", ND_COLUMN_U16, job->state->pages.pages, PAGE,
         offsetof(nd_stored_page, subject)},
        {"/pages/source", ND_COLUMN_U32, job->state->pages.pages, PAGE,
         offsetof(nd_stored_page, source)},
        {"/pages/offset", ND_COLUMN_U64, job->state->pages.pages, PAGE,
         offsetof(nd_stored_page, offset)},
        {"/pages/date", ND_COLUMN_U64, job->state->pages.pages, PAGE,
         offsetof(nd_stored_page, date)},
        {"/pages/checksum", ND_COLUMN_U64, job->state->pages.pages, PAGE,
         offsetof(nd_stored_page, checksum)},
    };
    nd_new(&values, count, sizeof(uint64_t));
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        const size_t size = nd_column_size(columns[c].type);
        const uint8_t *records = columns[c].records;
        for (size_t i = 0; i < count; i++) {
            memcpy(values + i * size, records + i * columns[c].step + columns[c].offset, size);
        }
        ND_TRY(nd_result_put(job, &w->result, columns[c].name, columns[c].type, &slab, values));
    }
    ND_TRY(write_kinds(w, &slab));
    ND_TRY(nd_result_put(job, &w->result, "/pages/certainty", ND_COLUMN_F32, &slab,
                         job->state->certainty));
    ND_TRY(job->state->revisit_of != NULL
               ? nd_result_put(job, &w->result, "/pages/revisit_of", ND_COLUMN_U64, &slab,
                               job->state->revisit_of)
               : ND_OK);
out:
    free(values);
    return st;
}

/* The rank of a name, by its hash: all have about as many. */
static int owner_of_hash(const void *record, int size, const void *context) {
    (void)context;
    return (int)(((const nd_key_value *)record)->key * (uint64_t)size >> 32);
}

/* Pages by (hash of their name, number). \param[in,out] hashed  the rank's own, by number */
static nd_status write_name_order(writer *w, const nd_name_columns *columns,
                                  nd_key_value **hashed) {
    nd_job *job = w->job;
    nd_status st = ND_OK;
    uint64_t *pages = NULL;
    uint32_t *hashes = NULL;
    uint64_t count = job->state->pages.count;
    ND_TRY(nd_shuffle(&job->comm, hashed, &count, sizeof **hashed, owner_of_hash, NULL));
    nd_radix_sort(*hashed, count);
    nd_new_room(&pages, count, sizeof *pages);
    nd_new_room(&hashes, count, sizeof *hashes);
    for (uint64_t i = 0; i < count; i++) {
        pages[i] = (*hashed)[i].value;
        hashes[i] = (uint32_t)(*hashed)[i].key;
    }
    const nd_slab slab = {job->totals.pages, nd_comm_before(&job->comm, count), count, false};
    ND_TRY(nd_result_put(job, &w->result, columns->pages, ND_COLUMN_U64, &slab, pages));
    ND_TRY(nd_result_put(job, &w->result, columns->hashes, ND_COLUMN_U32, &slab, hashes));
out:
    free(pages);
    free(hashes);
    return st;
}

/* The ids, or the URLs, of all pages: an array of offsets, all bytes one after the other, and the
 * order of the names. */
static nd_status write_texts(writer *w, const nd_name_columns *columns, bool urls) {
    nd_job *job = w->job;
    nd_page_store *store = &job->state->pages;
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    nd_key_value *hashed = NULL; /* (hash of its name, page) */
    nd_buffer bytes = {0};
    size_t next = 0;
    nd_new(&offsets, store->count + 1, sizeof(uint64_t));
    nd_new_room(&hashed, store->count, sizeof *hashed);
    for (size_t i = 0; i < store->count; i++) {
        const nd_stored_page *page = &store->pages[i];
        offsets[i + 1] = offsets[i] + (urls ? page->url_size : page->id_size);
    }
    const uint64_t own = offsets[store->count];
    const uint64_t before = nd_comm_before(&job->comm, own);
    for (size_t i = 0; i <= store->count; i++) {
        offsets[i] += before;
    }
    const nd_slab rows = {job->totals.pages, nd_job_own_first(job), store->count, false};
    ND_TRY(nd_result_put_offsets(job, &w->result, columns->offsets, offsets, &rows));
    nd_slab slab = {nd_comm_sum(&job->comm, own), before, 0, false};
    do { /* in rounds of bounded size; a rank that has no more writes nothing */
        bytes.size = 0;
        while (st == ND_OK && next < store->count && bytes.size < job->options.memory.round) {
            nd_span id;
            nd_span url;
            st = nd_page_store_names(store, next, &id, &url);
            const nd_span *text = urls ? &url : &id;
            hashed[next].value = rows.offset + next;
            hashed[next].key = nd_name_hash(*text, hashed[next].value, rows.total);
            next++;
            if (st == ND_OK) {
                nd_buffer_append(&bytes, text->data, text->size);
            }
        }
        ND_TRY(nd_comm_agree(&job->comm, st));
        slab.count = bytes.size;
        ND_TRY(nd_result_put(job, &w->result, columns->bytes, ND_COLUMN_U8, &slab, bytes.data));
        slab.offset += bytes.size;
        slab.goes_on = true;
    } while (nd_comm_max(&job->comm, store->count - next) > 0);
    ND_ASSERT(slab.offset == before + own, slab.offset, before, own); /* the offsets are of these */
    free(offsets);
    offsets = NULL;
    ND_TRY(write_name_order(w, columns, &hashed));
out:
    free(offsets);
    free(hashed);
    nd_buffer_free(&bytes);
    return st;
}

/* ---- the file */

static nd_status create_file(writer *w) {
    const nd_job *job = w->job;
    nd_status st = ND_OK;
    int descriptor = -1;
    (void)snprintf(w->temporary, sizeof w->temporary, "%s%s", job->options.output,
                   ND_PARTIAL_SUFFIX);
    w->fapl = H5Pcreate(H5P_FILE_ACCESS);
    w->dxpl = H5Pcreate(H5P_DATASET_XFER);
    /* One rank alone writes through HDF5's plain driver: MPI's files take a folder that is shared
     * with a launcher (mpi/cmd/main.c). */
    if (job->comm.size > 1 && (H5Pset_fapl_mpio(w->fapl, job->comm.handle, job->hints) < 0 ||
                               H5Pset_all_coll_metadata_ops(w->fapl, true) < 0 ||
                               H5Pset_coll_metadata_write(w->fapl, true) < 0 ||
                               H5Pset_dxpl_mpio(w->dxpl, H5FD_MPIO_COLLECTIVE) < 0)) {
        st = nd_fail(ND_ERR_INTERNAL, "cannot set up parallel HDF5");
    }
    if (st == ND_OK && job->comm.rank == 0) {
        /* The file is made empty, so that a failure of one rank alone in the collective calls from
         * here on finds it (nd_result_agree), and so that it is ours: the library would follow a
         * link of that name. */
        st = nd_own_file_remake(w->temporary, &descriptor);
        w->made = st == ND_OK;
        if (w->made) {
            (void)close(descriptor);
        }
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(nd_result_agree(&job->comm, &w->result,
                           nd_result_create(&w->result, w->temporary, w->fapl, w->dxpl)));
    w->result.notes.on = true;
    for (size_t i = 0; nd_result_groups[i] != NULL; i++) {
        ND_TRY(nd_result_agree(&job->comm, &w->result,
                               nd_result_group(&w->result, nd_result_groups[i])));
    }
out:
    return st;
}

/* Collective. Seal the closed file: each rank reads its share of it again. */
static nd_status seal_file(const writer *w) {
    const nd_comm *comm = &w->job->comm;
    nd_status st = ND_OK;
    uint8_t *digests = NULL; /* of rank 0: all */
    struct stat status = {0};
    if (comm->rank == 0 && stat(w->temporary, &status) != 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot look at it: %s", w->temporary, strerror(errno));
    }
    ND_TRY(nd_comm_agree(comm, st));
    const uint64_t bytes = nd_comm_max(comm, (uint64_t)status.st_size);
    const uint64_t blocks = nd_seal_blocks(bytes);
    const uint64_t begin = nd_comm_share_begin(blocks, comm->rank, comm->size);
    const uint64_t count = nd_comm_share_begin(blocks, comm->rank + 1, comm->size) - begin;
    nd_new(&digests, comm->rank == 0 ? blocks : count, ND_SEAL_DIGEST_BYTES);
    st = st != ND_OK ? st : nd_seal_digest(w->temporary, bytes, begin, count, digests);
    ND_TRY(nd_comm_agree(comm, st));
    for (int rank = 1; rank < comm->size; rank++) { /* rank after rank, on rank 0 */
        const uint64_t first = nd_comm_share_begin(blocks, rank, comm->size);
        const uint64_t end = nd_comm_share_begin(blocks, rank + 1, comm->size);
        const int size = (int)(end - first) * ND_SEAL_DIGEST_BYTES;
        if (comm->rank == rank) {
            ND_MPI(MPI_Send(digests, size, MPI_BYTE, 0, 0, comm->handle));
        } else if (comm->rank == 0) {
            ND_MPI(MPI_Recv(digests + first * ND_SEAL_DIGEST_BYTES, size, MPI_BYTE, rank, 0,
                            comm->handle, MPI_STATUS_IGNORE));
        }
    }
    st = comm->rank == 0 ? nd_seal_write(w->temporary, bytes, digests) : ND_OK;
    ND_TRY(nd_comm_agree(comm, st));
out:
    free(digests);
    return st;
}

/* Beyond what has been written HDF5 still writes at most about so much when it closes the file. */
enum { CLOSING_BYTES = 256 << 10, CLOSING_PART = 1000 };

/* Only rank 0: all blocks of the file, and some more, so that nothing which closing still writes
 * fails for want of them: HDF5 has its ranks wait for one another there, for ever if one of them
 * fails. A file system that cannot reserve is left to what it can. */
static nd_status reserve_root(const writer *w) {
    nd_status st = ND_OK;
    struct stat info;
    ND_TRY(nd_fault(ND_FAULT_RESULT));
    const int descriptor = open(w->temporary, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0 || fstat(descriptor, &info) != 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be opened: %s", w->temporary, strerror(errno));
    } else if (fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0,
                         info.st_size + CLOSING_BYTES + info.st_size / CLOSING_PART) != 0 &&
               (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be written: %s", w->temporary, strerror(errno));
    }
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
out:
    return st;
}

/* Collective. Is in the file what was written? All ranks together read it once. */
static nd_status check_file(writer *w) {
    const nd_comm *comm = &w->job->comm;
    nd_status st = ND_OK;
    const nd_result_notes *notes = &w->result.notes; /* as many on all ranks */
    ND_TRY(nd_comm_agree(comm, nd_result_read_again(&w->result, comm->rank, comm->size)));
    for (size_t i = 0; i < notes->count; i++) {
        notes->notes[i].sum = nd_comm_sum(comm, notes->notes[i].sum);
    }
    ND_TRY(nd_comm_agree(comm, nd_result_written_check(&w->result)));
out:
    return st;
}

/* Collective. Close the file, seal it, and give it its name; without ND_OK it goes. */
static nd_status close_file(writer *w, nd_status st) {
    const nd_comm *comm = &w->job->comm;
    const char *output = w->job->options.output;
    struct stat info;
    if (st == ND_OK) {
        const nd_status reserved = comm->rank == 0 ? reserve_root(w) : ND_OK;
        st = nd_result_agree(comm, &w->result, reserved);
    }
    const nd_status closed = nd_result_close(&w->result);
    st = st != ND_OK ? st : nd_result_agree(comm, &w->result, closed);
    (void)H5Pclose(w->dxpl);
    (void)H5Pclose(w->fapl);
    if (st == ND_OK && comm->rank == 0 && stat(w->temporary, &info) == 0) {
        (void)!truncate(w->temporary, info.st_size); /* blocks that were not needed */
    }
    if (st == ND_OK) { /* each node has what its ranks have written */
        const bool leads = nd_comm_leads_node(comm);
        st = nd_comm_agree(comm, leads ? nd_own_file_sync(w->temporary) : ND_OK);
    }
    st = st != ND_OK ? st : seal_file(w);
    /* a full disk is not always reported by those who write together */
    st = st != ND_OK ? st : check_file(w);
    nd_result_notes_free(&w->result.notes);
    if (st == ND_OK) {
        if (comm->rank == 0) { /* durably; what failed has no final name */
            st = nd_own_file_publish(w->temporary, output);
            if (st != ND_OK && access(w->temporary, F_OK) != 0) {
                (void)rename(output, w->temporary);
            }
        }
        st = nd_comm_agree(comm, st);
    }
    if (st != ND_OK && w->made) {
        (void)unlink(w->temporary);
    }
    return st;
}

/* Collective. All verified pairs: where there are indexed pages, of the job's links those are left
 * that made sets of new pages. */
static nd_status load_links(nd_job *job) {
    nd_status st = ND_OK;
    uint64_t count = 0;
    if (job->state->index.pages == 0) {
        return ND_OK;
    }
    nd_spool_close(&job->state->links);
    nd_spool_open(&job->state->links, &job->kept, job->options.memory.spool);
    st = nd_links_load(job, &job->checkpoint, "links", &count);
    if (st == ND_OK && !job->options.recluster) {
        st = nd_links_load(job, &job->state->index.folder, "links", &count);
    }
    return nd_comm_agree(&job->comm, st);
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    writer w = {.job = job, .result = {.file = H5I_INVALID_HID}};
    nd_stage_begin(job, &nd_stage_write);
    nd_digests_drop(job); /* nothing is compared any more */
    nd_page_store_drop_texts(&job->state->pages);
    nd_memory_give_back(&job->options.memory);
    ND_TRY(nd_repeated_ids_find(job, &job->repeated_ids));
    ND_TRY(nd_certainty_finish(job));
    ND_TRY(number_sets(&w));
    ND_TRY(create_file(&w));
    ND_TRY(write_page_columns(&w));
    ND_TRY(write_sets(&w));
    ND_TRY(write_texts(&w, &nd_id_columns, false));
    ND_TRY(write_texts(&w, &nd_url_columns, true));
    if (job->options.keep_pairs) {
        ND_TRY(load_links(job));
        ND_TRY(nd_write_pairs(job, &w.result, &nd_verified_columns, &job->state->links));
    }
    if (job->options.contained > 0) {
        ND_TRY(nd_write_pairs(job, &w.result, &nd_contained_columns, &job->state->contained));
    }
    ND_TRY(nd_write_sites(job, &w.result));
    ND_TRY(nd_result_write_inputs(job, &w.result));
    nd_progress_end(&job->progress, &job->comm, job->state->pages.count);
    ND_TRY(nd_result_write_run(job, &w.result));
out:
    if (w.fapl > 0) {
        st = close_file(&w, st);
    }
    free(w.set_numbers);
    free(w.set_first);
    free(w.entries);
    return st;
}

const nd_stage nd_stage_write = {"write", "pages", ND_STAGE_WRITE, run, NULL, NULL};
