#include "io/store/line_sort.h"

#include "io/store/spool.h"
#include "src/base/sort.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    USUAL_MEMORY = 512 << 20,
    LEAST_MEMORY = 256 << 10,
    SPOOL_MEMORY = 64 << 10,
    /* windows beyond this no longer make the reading faster */
    MOST_WINDOW = 1 << 20,
    LEAST_WINDOW = 4 << 10
};

/* Before the bytes of each text. */
typedef struct head {
    uint64_t number;
    uint32_t size;
} head;

enum { HEAD_BYTES = sizeof(uint64_t) + sizeof(uint32_t) };

/* A run that is being merged: a window of it, at its next record. */
typedef struct run {
    uint64_t begin, end; /* in the spool, of what is not in the window or was not taken yet */
    nd_buffer window;
    const uint8_t *bytes;
    size_t at, size;
} run;

struct nd_line_sort {
    uint64_t memory;
    char path[PATH_MAX];
    nd_spool_folder folder;
    nd_spool spool;
    bool hidden; /* its file has no name any more */
    nd_buffer text;
    uint64_t *places; /* of the records in `text`, which moves as it grows */
    size_t count, capacity;
    const uint8_t **sorted; /* the records in order; NULL: not sorted yet */
    size_t next;
    uint64_t *ends; /* of the runs in the spool */
    size_t run_count, run_capacity;
    run *runs;    /* while merging */
    size_t *heap; /* of runs that have a record: the first has the smallest */
    size_t heap_size;
    bool begun;
};

nd_status nd_line_sort_open(uint64_t memory, nd_line_sort **out) {
    nd_status st = ND_OK;
    nd_line_sort *sort = NULL;
    const char *place = getenv("TMPDIR");
    *out = NULL;
    ND_TRY(nd_new(&sort, 1, sizeof *sort));
    sort->memory = nd_max(memory > 0 ? memory : USUAL_MEMORY, LEAST_MEMORY);
    (void)snprintf(sort->path, sizeof sort->path, "%s/neardup-sort-%ld",
                   place != NULL && place[0] != '\0' ? place : "/tmp", (long)getpid());
    sort->folder = (nd_spool_folder){.path = sort->path, .unnamed = true};
    nd_spool_open(&sort->spool, &sort->folder, SPOOL_MEMORY);
    *out = sort;
out:
    return st;
}

uint64_t nd_line_sort_runs(const nd_line_sort *sort) {
    return sort->run_count;
}

void nd_line_sort_close(nd_line_sort **out) {
    nd_line_sort *sort = *out;
    if (sort == NULL) {
        return;
    }
    for (size_t r = 0; sort->runs != NULL && r < sort->run_count; r++) {
        nd_buffer_free(&sort->runs[r].window);
    }
    nd_spool_close(&sort->spool);
    nd_buffer_free(&sort->text);
    free(sort->places);
    free(sort->sorted);
    free(sort->ends);
    free(sort->runs);
    free(sort->heap);
    free(sort);
    *out = NULL;
}

/* ---- records */

static head head_of(const uint8_t *record) {
    head h;
    memcpy(&h.number, record, sizeof h.number);
    memcpy(&h.size, record + sizeof h.number, sizeof h.size);
    return h;
}

static int compare(const uint8_t *a, const uint8_t *b) {
    const head x = head_of(a);
    const head y = head_of(b);
    const int order = memcmp(a + HEAD_BYTES, b + HEAD_BYTES, (size_t)nd_min(x.size, y.size));
    return order != 0         ? order
           : x.size != y.size ? (x.size > y.size) - (x.size < y.size)
                              : (x.number > y.number) - (x.number < y.number);
}

static int by_record(const void *a, const void *b) {
    return compare(*(const uint8_t *const *)a, *(const uint8_t *const *)b);
}

static nd_status sort_held(nd_line_sort *sort) {
    nd_status st = ND_OK;
    free(sort->sorted);
    sort->sorted = NULL;
    ND_TRY(nd_new(&sort->sorted, sort->count, sizeof *sort->sorted));
    for (size_t i = 0; i < sort->count; i++) {
        sort->sorted[i] = sort->text.data + sort->places[i];
    }
    nd_sort(sort->sorted, sort->count, sizeof *sort->sorted, by_record);
out:
    return st;
}

/* What is held becomes a run of the file. */
static nd_status write_run(nd_line_sort *sort) {
    nd_status st = ND_OK;
    ND_TRY(sort_held(sort));
    for (size_t i = 0; i < sort->count; i++) {
        const uint8_t *record = sort->sorted[i];
        ND_TRY(nd_spool_append(&sort->spool, record, HEAD_BYTES + head_of(record).size));
        if (!sort->hidden && sort->spool.path != NULL) {
            (void)unlink(sort->spool.path);
            (void)rmdir(sort->path);
            sort->hidden = true;
        }
    }
    ND_TRY(nd_grow(&sort->ends, &sort->run_capacity, sort->run_count + 1, sizeof *sort->ends));
    sort->ends[sort->run_count++] = sort->spool.size;
    sort->count = 0;
    sort->text.size = 0;
out:
    return st;
}

nd_status nd_line_sort_add(nd_line_sort *sort, nd_span text, uint64_t number) {
    nd_status st = ND_OK;
    const head h = {.number = number, .size = (uint32_t)text.size};
    if (text.size > UINT32_MAX) {
        return nd_fail(ND_ERR_LIMIT, "a text of %zu bytes is too long to be sorted", text.size);
    }
    /* arrays have twice the room that they need while they grow, and are sorted through pointers */
    const uint64_t taken = sort->text.size + text.size + sort->count * 3 * sizeof(uint64_t);
    ND_TRY(sort->count > 0 && 2 * taken > sort->memory ? write_run(sort) : ND_OK);
    ND_TRY(nd_grow(&sort->places, &sort->capacity, sort->count + 1, sizeof *sort->places));
    sort->places[sort->count++] = sort->text.size;
    ND_TRY(nd_buffer_append(&sort->text, &h.number, sizeof h.number));
    ND_TRY(nd_buffer_append(&sort->text, &h.size, sizeof h.size));
    ND_TRY(nd_buffer_append(&sort->text, text.data, text.size));
out:
    return st;
}

/* ---- merging */

static bool is_sooner(const nd_line_sort *sort, size_t a, size_t b) {
    const run *x = &sort->runs[sort->heap[a]];
    const run *y = &sort->runs[sort->heap[b]];
    return compare(x->bytes + x->at, y->bytes + y->at) < 0;
}

static void sift(nd_line_sort *sort, size_t place) {
    while (true) {
        size_t least = place;
        for (size_t child = 2 * place + 1; child <= 2 * place + 2; child++) {
            least = child < sort->heap_size && is_sooner(sort, child, least) ? child : least;
        }
        if (least == place) {
            break;
        }
        const size_t other = sort->heap[least];
        sort->heap[least] = sort->heap[place];
        sort->heap[place] = other;
        place = least;
    }
}

/* Have the next record of a run whole in its window. \param[out] any  false: there is none */
static nd_status show(const nd_line_sort *sort, run *r, bool *any) {
    nd_status st = ND_OK;
    const uint64_t share = sort->memory / 2 / sort->run_count;
    uint64_t want = nd_min(nd_max(share, LEAST_WINDOW), MOST_WINDOW);
    *any = r->begin < r->end;
    while (*any && (r->size - r->at < HEAD_BYTES ||
                    r->size - r->at < HEAD_BYTES + (size_t)head_of(r->bytes + r->at).size)) {
        if (r->size - r->at >= HEAD_BYTES) {
            want = nd_max(want, HEAD_BYTES + (uint64_t)head_of(r->bytes + r->at).size);
        }
        r->size = (size_t)nd_min(r->end - r->begin, want);
        r->at = 0;
        ND_TRY(nd_spool_read(&sort->spool, r->begin, r->size, &r->window, &r->bytes));
    }
out:
    return st;
}

static nd_status begin(nd_line_sort *sort) {
    nd_status st = ND_OK;
    sort->begun = true;
    if (sort->run_count == 0) {
        return sort_held(sort);
    }
    ND_TRY(sort->count > 0 ? write_run(sort) : ND_OK);
    nd_buffer_free(&sort->text);
    free(sort->places);
    free(sort->sorted);
    sort->places = NULL;
    sort->sorted = NULL;
    ND_TRY(nd_new(&sort->runs, sort->run_count, sizeof *sort->runs));
    ND_TRY(nd_new(&sort->heap, sort->run_count, sizeof *sort->heap));
    for (size_t r = 0; r < sort->run_count; r++) {
        bool any = false;
        sort->runs[r] = (run){.begin = r == 0 ? 0 : sort->ends[r - 1], .end = sort->ends[r]};
        ND_TRY(show(sort, &sort->runs[r], &any));
        sort->heap[r] = r;
    }
    sort->heap_size = sort->run_count;
    for (size_t place = sort->heap_size; place-- > 0;) {
        sift(sort, place);
    }
out:
    return st;
}

/* Pass over the record that was given last. */
static nd_status advance(nd_line_sort *sort) {
    nd_status st = ND_OK;
    run *r = &sort->runs[sort->heap[0]];
    const size_t passed = HEAD_BYTES + head_of(r->bytes + r->at).size;
    bool any = false;
    r->at += passed;
    r->begin += passed;
    ND_TRY(show(sort, r, &any));
    if (!any) {
        nd_buffer_free(&r->window);
        sort->heap[0] = sort->heap[--sort->heap_size];
    }
    sift(sort, 0);
out:
    return st;
}

nd_status nd_line_sort_next(nd_line_sort *sort, nd_span *text, uint64_t *number) {
    nd_status st = ND_OK;
    const uint8_t *record = NULL;
    ND_TRY(!sort->begun ? begin(sort) : sort->heap_size > 0 ? advance(sort) : ND_OK);
    if (sort->run_count > 0 ? sort->heap_size == 0 : sort->next == sort->count) {
        return ND_END;
    }
    record = sort->run_count == 0 ? sort->sorted[sort->next]
                                  : sort->runs[sort->heap[0]].bytes + sort->runs[sort->heap[0]].at;
    sort->next++;
    *number = head_of(record).number;
    *text = (nd_span){record + HEAD_BYTES, head_of(record).size};
out:
    return st;
}
