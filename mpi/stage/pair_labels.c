#include "mpi/stage/pair_labels.h"

#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* A page that is near another one, on its way to it. No padding. */
typedef struct near_page {
    uint64_t page; /* first: its rank gets this */
    uint64_t label;
} near_page;

/* Pairs that are looked at together. */
typedef struct piece {
    nd_pair *pairs;
    uint64_t *labels; /* of pair i the smaller of its two pages' labels */
    uint64_t room, count;
} piece;

static void piece_open(piece *p, const nd_comm *comm) {
    p->room = comm->round_bytes / sizeof(nd_pair) + 2;
    nd_new_room(&p->pairs, p->room, sizeof *p->pairs);
    nd_new_room(&p->labels, 2 * p->room, sizeof *p->labels);
}

static void piece_close(piece *p) {
    free(p->pairs);
    free(p->labels);
}

/* Collective. The next pairs. \param[in] labels  of this rank's pages; NULL: they are their own */
static nd_status next_piece(nd_job *job, const uint64_t *labels, nd_record_source pairs,
                            void *context, piece *p) {
    nd_status st = ND_OK;
    uint64_t *of = p->labels;
    ND_TRY(nd_comm_agree(&job->comm, pairs(context, p->pairs, p->room, &p->count)));
    for (uint64_t i = 0; i < p->count; i++) {
        of[2 * i] = p->pairs[i].a;
        of[2 * i + 1] = p->pairs[i].b;
    }
    ND_TRY(labels == NULL ? ND_OK
                          : nd_lookup(&job->comm, job->first, labels, of, 2 * p->count, of));
    for (uint64_t i = 0; i < p->count; i++) {
        of[i] = nd_min(of[2 * i], of[2 * i + 1]);
    }
out:
    return st;
}

/* ---- labels */

typedef struct labelling {
    nd_job *job;
    uint64_t *next; /* of this rank's pages */
    near_page *sent;
} labelling;

static nd_status take(void *context, const void *records, uint64_t count) {
    const labelling *l = context;
    const near_page *pages = records;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t own = pages[i].page - nd_job_own_first(l->job);
        ND_ASSERT(own < l->job->state->pages.count, pages[i].page, l->job->state->pages.count);
        l->next[own] = nd_min(l->next[own], pages[i].label);
    }
    return ND_OK;
}

/* What the pages of a piece learn of it; pairs of one first page follow one another. \return how
 * many are to be sent */
static uint64_t list(const piece *p, near_page *sent) {
    uint64_t count = 0;
    for (uint64_t i = 0, begin = 0; i < p->count; i++) {
        const uint64_t label = p->labels[i];
        if (i == 0 || p->pairs[i].a != p->pairs[i - 1].a) {
            begin = count;
            sent[count++] = (near_page){p->pairs[i].a, label};
        }
        sent[begin].label = nd_min(sent[begin].label, label);
        sent[count++] = (near_page){p->pairs[i].b, label};
    }
    return count;
}

/* Every page gets the smallest label of those that it is in a pair with. */
static nd_status spread(labelling *l, const nd_spool *pairs, const uint64_t *labels, piece *p) {
    nd_status st = ND_OK;
    nd_spool_reader reader;
    nd_comm *comm = &l->job->comm;
    const nd_shuffle_stream stream = {.comm = comm,
                                      .record_size = sizeof(near_page),
                                      .owner = nd_shuffle_owner_of_item,
                                      .owner_context = l->job->first,
                                      .sink = take,
                                      .sink_context = l};
    nd_spool_reader_open(&reader, pairs, sizeof(nd_pair), 0, pairs->size / sizeof(nd_pair), 0);
    do {
        ND_TRY(next_piece(l->job, labels, nd_shuffle_from_spool, &reader, p));
        ND_TRY(nd_shuffle_send(&stream, l->sent, list(p, l->sent)));
    } while (nd_comm_max(comm, p->count) > 0);
out:
    nd_spool_reader_close(&reader);
    return st;
}

nd_status nd_pair_labels(nd_job *job, const nd_spool *pairs, uint64_t **labels) {
    enum { TIMES = 2 };
    nd_status st = ND_OK;
    const size_t own = job->state->pages.count;
    labelling l = {.job = job};
    piece p = {0};
    piece_open(&p, &job->comm);
    nd_new_room(&l.sent, 2 * p.room, sizeof *l.sent);
    nd_new_room(&l.next, own, sizeof *l.next);
    nd_new_room(labels, own, sizeof **labels);
    for (size_t i = 0; i < own; i++) {
        l.next[i] = nd_job_own_first(job) + i;
    }
    for (int i = 0; i < TIMES; i++) {
        ND_TRY(spread(&l, pairs, i == 0 ? NULL : *labels, &p));
        if (own > 0) {
            memcpy(*labels, l.next, own * sizeof **labels);
        }
    }
out:
    piece_close(&p);
    free(l.sent);
    free(l.next);
    return st;
}

/* ---- items */

nd_status nd_pair_labels_send(nd_job *job, const uint64_t *labels, nd_record_source pairs,
                              void *context, const nd_shuffle_stream *stream) {
    nd_status st = ND_OK;
    const uint64_t pages = job->first[job->comm.size];
    piece p = {0};
    piece_open(&p, &job->comm);
    do {
        ND_TRY(next_piece(job, labels, pairs, context, &p));
        for (uint64_t i = 0; i < p.count; i++) {
            /* labels are mostly small numbers, items are of all ranks alike */
            p.pairs[i].item = nd_mix64(p.labels[i]) % pages;
        }
        ND_TRY(nd_shuffle_send(stream, p.pairs, p.count));
    } while (nd_comm_max(&job->comm, p.count) > 0);
out:
    piece_close(&p);
    return st;
}
