#include "mpi/cmd/filter/revisits.h"

#include "io/input/date.h"
#include "src/base/order.h"
#include "src/base/radix_sort.h"

#include <stdlib.h>
#include <xxhash.h>

/* Pages read at once: some 10 MB of columns. */
static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 16;

/* What a page is that a revisit refers to; of several with one name the greater. */
enum { UNKNOWN, DROPPED, KEPT };

static uint64_t hash_of(nd_span text, uint64_t seed) {
    return text.size == 0 ? 0 : nd_max(XXH3_64bits_withSeed(text.data, text.size, seed), 1);
}

static uint64_t hash_of_place(nd_span url, uint64_t date) {
    return date == 0 ? 0 : hash_of(url, date);
}

nd_status nd_revisits_add(nd_revisits *list, const nd_walked *walked) {
    nd_status st = ND_OK;
    ND_TRY(nd_grow(&list->revisits, &list->capacity, list->count + 1, sizeof *list->revisits));
    list->revisits[list->count++] =
        (nd_revisit){hash_of(walked->refers_id, 0),
                     hash_of_place(walked->refers_url, nd_date_read(walked->refers_date))};
out:
    return st;
}

void nd_revisits_free(nd_revisits *list) {
    free(list->revisits);
    *list = (nd_revisits){0};
}

/* Collective. All to rank 0, in rounds of bounded size. */
static nd_status gather(const nd_comm *comm, nd_revisits *list) {
    enum { ROUND = 1 << 26 };
    nd_status st = ND_OK;
    const uint64_t all = nd_comm_sum(comm, list->count);
    if (comm->rank == 0) {
        st = nd_grow(&list->revisits, &list->capacity, all, sizeof *list->revisits);
    }
    ND_TRY(nd_comm_agree(comm, st));
    for (int rank = 1; rank < comm->size; rank++) {
        uint64_t bytes = list->count * sizeof *list->revisits;
        uint8_t *to = (uint8_t *)list->revisits;
        if (comm->rank == rank) {
            ND_MPI(MPI_Send(&bytes, 1, MPI_UINT64_T, 0, ND_TAG_KEPT, comm->handle));
        } else if (comm->rank == 0) {
            to += bytes;
            ND_MPI(MPI_Recv(&bytes, 1, MPI_UINT64_T, rank, ND_TAG_KEPT, comm->handle,
                            MPI_STATUS_IGNORE));
            list->count += bytes / sizeof *list->revisits;
        } else {
            continue;
        }
        for (uint64_t at = 0; at < bytes; at += ROUND) {
            const int part = (int)nd_min(bytes - at, ROUND);
            if (comm->rank == rank) {
                ND_MPI(MPI_Send(to + at, part, MPI_BYTE, 0, ND_TAG_KEPT, comm->handle));
            } else {
                ND_MPI(MPI_Recv(to + at, part, MPI_BYTE, rank, ND_TAG_KEPT, comm->handle,
                                MPI_STATUS_IGNORE));
            }
        }
    }
out:
    return st;
}

/* What is referred to by one kind of name. */
typedef struct referred {
    nd_key_value *names; /* hashes, ascending, and the number of the revisit */
    uint8_t *found;      /* by that number */
    size_t count;
} referred;

static void note(referred *r, uint64_t hash, uint8_t is) {
    size_t at = 0;
    if (hash == 0) {
        return;
    }
    ND_FIND_FIRST(at, 0, r->count, r->names[at].key >= hash);
    for (; at < r->count && r->names[at].key == hash; at++) {
        uint8_t *found = &r->found[r->names[at].value];
        *found = is > *found ? is : *found;
    }
}

/* Not collective. */
static nd_status find(const nd_revisits *list, const nd_result *result, const uint64_t *kept,
                      nd_revisit_counts *counts) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    referred by[2] = {{.count = list->count}, {.count = list->count}}; /* id, place */
    const uint64_t pages = result->shape.pages;
    for (size_t b = 0; b < 2; b++) {
        ND_TRY(nd_new(&by[b].names, list->count, sizeof *by[b].names));
        ND_TRY(nd_new(&by[b].found, list->count, 1));
        for (size_t i = 0; i < list->count; i++) {
            const nd_revisit *revisit = &list->revisits[i];
            by[b].names[i] = (nd_key_value){b == 0 ? revisit->id : revisit->place, i};
        }
        ND_TRY(nd_radix_sort(by[b].names, list->count));
    }
    for (uint64_t begin = 0; begin < pages; begin += PAGES_AT_ONCE) {
        ND_TRY(nd_page_rows_read(result, begin, nd_min(pages - begin, PAGES_AT_ONCE), &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            const uint8_t is = kept[begin + i] == begin + i ? KEPT : DROPPED;
            note(&by[0], hash_of(nd_page_rows_id(&rows, i), 0), is);
            note(&by[1], hash_of_place(nd_page_rows_url(&rows, i), rows.date[i]), is);
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        const uint8_t is = by[by[0].found[i] != UNKNOWN ? 0 : 1].found[i];
        counts->kept += is == KEPT;
        counts->dropped += is == DROPPED;
        counts->unknown += is == UNKNOWN;
    }
out:
    nd_page_rows_free(&rows);
    for (size_t b = 0; b < 2; b++) {
        free(by[b].names);
        free(by[b].found);
    }
    return st;
}

nd_status nd_revisits_count(const nd_comm *comm, nd_revisits *list, const nd_result *result,
                            const uint64_t *kept, nd_revisit_counts *counts) {
    nd_status st = ND_OK;
    *counts = (nd_revisit_counts){0};
    ND_TRY(gather(comm, list));
    if (comm->rank == 0 && list->count > 0) {
        st = find(list, result, kept, counts);
    }
    ND_TRY(nd_comm_agree(comm, st));
out:
    return st;
}
