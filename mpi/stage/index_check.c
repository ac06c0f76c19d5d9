#include "mpi/stage/index_check.h"

#include "mpi/job/checkpoint.h"
#include "mpi/job/inputs.h"
#include "mpi/job/job.h"
#include "mpi/stage/old_texts.h"
#include "mpi/stage/set_members.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>

enum { AT_ONCE = 4096 };

/* How much there is of what pages point into. */
typedef struct extents {
    uint64_t pages, keys, sources, texts;
    uint64_t of_sources, templates, repeated; /* that no input, and no site, has had yet */
    uint64_t site;                            /* the last one */
    nd_input_list inputs;
} extents;

/* Records of pages [begin, end), in blocks. */
typedef struct block {
    nd_stored_page pages[AT_ONCE];
    nd_key_range ranges[AT_ONCE];
    uint8_t forms[AT_ONCE];
} block;

static bool is_inside(uint64_t first, uint64_t count, uint64_t size) {
    return first <= size && count <= size - first;
}

static bool has_text(const extents *e, const nd_stored_page *p) {
    return p->text == ND_TEXT_IN_INPUT ||
           (p->text >= ND_TEXT_OF_PAGE
                ? p->text - ND_TEXT_OF_PAGE < e->pages
                : is_inside(p->text, p->token_count * (uint64_t)sizeof(uint32_t), e->texts));
}

/* \param[in] before  the page before it; NULL: none is at hand */
static const char *find_wrong(const nd_checkpoint *index, const extents *e, const block *b,
                              uint64_t i, const nd_stored_page *before) {
    const nd_stored_page *p = &b->pages[i];
    const uint64_t names = (uint64_t)p->id_size + p->url_size + p->claim_size;
    return !has_text(e, p) || p->token_count > p->text_tokens                    ? "its text"
           : !nd_checkpoint_is_one_piece(index, "ingest.names", p->names, names) ? "its id and URL"
           : !is_inside(b->ranges[i].first, b->ranges[i].count, e->keys)         ? "its keys"
           : p->source >= e->sources || p->collection != e->inputs.inputs[p->source].collection ||
                   (before != NULL && (before->source > p->source ||
                                       (before->source == p->source && before->offset > p->offset)))
               ? "its place in the inputs"
           : b->forms[i] > 1 ? "its form"
                             : NULL;
}

/* This rank's share, and the page before it. */
static nd_status check_share(const nd_checkpoint *index, const extents *e, block *b) {
    nd_status st = ND_OK;
    nd_stored_page before = {0};
    const nd_comm *comm = index->comm;
    const uint64_t first = nd_comm_share_begin(e->pages, comm->rank, comm->size);
    const uint64_t last = nd_comm_share_begin(e->pages, comm->rank + 1, comm->size);
    ND_ASSERT(first <= last && last <= e->pages, first, last, e->pages);
    if (first > 0 && first < last) {
        ND_TRY(nd_checkpoint_load(index, "pages", sizeof before, first - 1, first, &before));
    }
    for (uint64_t begin = first, end = 0; begin < last; begin = end) {
        end = nd_min(last, begin + AT_ONCE);
        ND_TRY(nd_checkpoint_load(index, "pages", sizeof *b->pages, begin, end, b->pages));
        ND_TRY(nd_checkpoint_load(index, "key.ranges", sizeof *b->ranges, begin, end, b->ranges));
        ND_TRY(nd_checkpoint_load(index, "form", sizeof *b->forms, begin, end, b->forms));
        for (uint64_t page = begin; page < end; page++) {
            const uint64_t i = page - begin;
            const char *wrong = find_wrong(index, e, b, i, page > 0 ? &before : NULL);
            if (wrong != NULL) {
                return nd_checkpoint_refuse(index, "pages", "page %" PRIu64 ": %s is not in it",
                                            page, wrong);
            }
            before = b->pages[i];
        }
    }
out:
    return st;
}

/* Of this rank's share: the sets that its pages are in. */
static nd_status check_sets(const nd_checkpoint *index, const extents *e) {
    nd_status st = ND_OK;
    nd_comm *comm = index->comm;
    uint64_t *first = NULL;
    nd_set_member *members = NULL;
    ND_TRY(nd_comm_agree(comm, nd_new(&first, (uint64_t)comm->size + 1, sizeof *first)));
    for (int r = 0; r <= comm->size; r++) {
        first[r] = nd_comm_share_begin(e->pages, r, comm->size);
    }
    const uint64_t own = first[comm->rank];
    const uint64_t last = first[comm->rank + 1];
    st = nd_new(&members, last - own, sizeof *members);
    ND_TRY(nd_comm_agree(comm, st != ND_OK ? st
                                           : nd_checkpoint_load(index, "members", sizeof *members,
                                                                own, last, members)));
    ND_TRY(nd_set_members_check(index, first, members));
out:
    free(first);
    free(members);
    return st;
}

/* ---- of the other arrays */

/* Records of one kind, one after the other. \return is it as it should be? */
typedef bool (*is_right)(extents *e, const void *record);

static bool is_source(extents *e, const void *record) {
    const uint64_t pages = ((const nd_source_totals *)record)->pages;
    const bool right = pages <= e->of_sources;
    e->of_sources -= right ? pages : 0;
    return right;
}

static bool is_site(extents *e, const void *record) {
    const nd_found_site *site = record;
    const bool right = site->page < e->pages && site->templates <= e->templates &&
                       site->repeated <= e->repeated && e->site <= site->site;
    e->templates -= right ? site->templates : 0;
    e->repeated -= right ? site->repeated : 0;
    e->site = site->site;
    return right;
}

static bool is_link(extents *e, const void *record) {
    const nd_link *link = record;
    return link->a < link->b && link->b < e->pages && link->similarity >= 0 &&
           link->similarity <= 1;
}

/* Records [begin, end) of an array. */
static nd_status check_records(const nd_checkpoint *index, const char *array, size_t size,
                               uint64_t begin, uint64_t end, is_right right, extents *e) {
    nd_status st = ND_OK;
    uint8_t *records = NULL;
    ND_TRY(nd_new_room(&records, AT_ONCE, size));
    for (uint64_t next = 0; begin < end; begin = next) {
        next = nd_min(end, begin + AT_ONCE);
        ND_TRY(nd_checkpoint_load(index, array, size, begin, next, records));
        for (uint64_t i = 0; i < next - begin; i++) {
            if (!right(e, records + i * size)) {
                st = nd_checkpoint_refuse(index, array, "record %" PRIu64 " is none", begin + i);
                goto out;
            }
        }
    }
out:
    free(records);
    return st;
}

/* Inputs and sites, which are few, on each rank; of the links its share. */
static nd_status check_others(const nd_checkpoint *index, extents *e) {
    nd_status st = ND_OK;
    const nd_comm *comm = index->comm;
    const uint64_t links = nd_checkpoint_count(index, "links");
    ND_TRY(check_records(index, "source.totals", sizeof(nd_source_totals), 0, e->sources, is_source,
                         e));
    ND_TRY(check_records(index, "sites", sizeof(nd_found_site), 0,
                         nd_checkpoint_count(index, "sites"), is_site, e));
    ND_TRY(check_records(index, "links", sizeof(nd_link),
                         nd_comm_share_begin(links, comm->rank, comm->size),
                         nd_comm_share_begin(links, comm->rank + 1, comm->size), is_link, e));
    if (e->inputs.count != e->sources || e->of_sources > 0 || e->templates > 0 || e->repeated > 0) {
        st = nd_fail(ND_ERR_FORMAT, "%s: damaged: its inputs or its sites have less than it holds",
                     index->folder.path);
    }
out:
    return st;
}

nd_status nd_index_inputs(const nd_checkpoint *index, nd_input_list *inputs) {
    nd_status st = ND_OK;
    char *bytes = NULL;
    const uint64_t size = nd_checkpoint_count(index, "inputs");
    ND_TRY(nd_new(&bytes, size + 1, 1));
    ND_TRY(nd_checkpoint_load(index, "inputs", 1, 0, size, bytes));
    st = nd_inputs_unpack(&bytes, size, inputs);
    ND_TRY(st != ND_ERR_FORMAT
               ? st
               : nd_fail(st, "%s: damaged: its list of inputs is none", index->folder.path));
    for (size_t i = 0; i < inputs->count; i++) {
        inputs->inputs[i].standard_input = false; /* it was read then */
    }
    inputs->takes_stdin = false;
out:
    free(bytes);
    return st;
}

nd_status nd_index_check_pages(const nd_checkpoint *index) {
    nd_status st = ND_OK;
    block *b = NULL;
    nd_packed_extent texts = {0};
    nd_packed_extent digests = {0};
    extents e = {.keys = nd_checkpoint_count(index, "keys"),
                 .sources = nd_checkpoint_count(index, "source.totals"),
                 .templates = nd_checkpoint_count(index, "sites.templates"),
                 .repeated = nd_checkpoint_count(index, "sites.repeated")};
    ND_TRY(nd_checkpoint_number(index, "pages", &e.pages));
    e.of_sources = e.pages;
    ND_TRY(nd_packed_extent_of(index, "text", &texts));
    ND_TRY(nd_packed_extent_of(index, "digests", &digests));
    if (e.pages > 0 && digests.bytes % e.pages > 0) {
        st = nd_fail(ND_ERR_FORMAT, "%s: damaged: not every page has a digest", index->folder.path);
        goto out;
    }
    e.texts = texts.bytes;
    ND_TRY(nd_index_inputs(index, &e.inputs));
    ND_TRY(check_others(index, &e));
    ND_TRY(nd_new(&b, 1, sizeof *b));
    ND_TRY(check_share(index, &e, b));
out:
    nd_input_list_free(&e.inputs);
    free(b);
    st = nd_comm_agree(index->comm, st);
    return st != ND_OK ? st : check_sets(index, &e);
}
