#include "mpi/stage/index_folder.h"

#include "io/input/reread.h"
#include "io/result/result_schema.h"
#include "io/store/own_file.h"
#include "mpi/job/checkpoint.h"
#include "mpi/job/inputs.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/set_members.h"
#include "mpi/stage/state.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/lcs/lcs.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== arrays */

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
    return !has_text(e, p) || p->token_count > p->text_tokens || p->text_tokens > ND_LCS_MOST_TOKENS
               ? "its text"
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
    nd_new(&first, (uint64_t)comm->size + 1, sizeof *first);
    for (int r = 0; r <= comm->size; r++) {
        first[r] = nd_comm_share_begin(e->pages, r, comm->size);
    }
    const uint64_t own = first[comm->rank];
    const uint64_t last = first[comm->rank + 1];
    nd_new(&members, last - own, sizeof *members);
    ND_TRY(nd_comm_agree(
        comm, nd_checkpoint_load(index, "members", sizeof *members, own, last, members)));
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
    nd_new_room(&records, AT_ONCE, size);
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
    nd_new(&bytes, size + 1, 1);
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
    nd_new(&b, 1, sizeof *b);
    ND_TRY(check_share(index, &e, b));
out:
    nd_input_list_free(&e.inputs);
    free(b);
    st = nd_comm_agree(index->comm, st);
    return st != ND_OK ? st : check_sets(index, &e);
}

/* ==== inputs read again */

/* Rank 0: what each input is now, and the file that it is read from. */
static nd_status look_at(const nd_job *job, const nd_input_list *inputs, nd_buffer *found) {
    nd_status st = ND_OK;
    nd_buffer path = {0};
    struct stat info;
    for (size_t i = 0; i < inputs->count; i++) {
        const nd_input *input = &inputs->inputs[i];
        ND_TRY(nd_reread_look(job->options.index,
                              (nd_span){(const uint8_t *)input->path, strlen(input->path)},
                              input->is.bytes, &path, &info));
        const nd_file_identity is = nd_file_identity_of(&info);
        nd_buffer_append(found, &is, sizeof is);
        nd_buffer_append(found, path.data, path.size);
    }
out:
    nd_buffer_free(&path);
    return st;
}

/* All ranks: the same, as rank 0 has found it. */
static nd_status take_found(nd_input_list *inputs, const nd_buffer *found) {
    nd_status st = ND_OK;
    const uint8_t *at = found->data;
    for (size_t i = 0; i < inputs->count; i++) {
        nd_input *input = &inputs->inputs[i];
        nd_file_identity is;
        memcpy(&is, at, sizeof is);
        const char *path = (const char *)at + sizeof is;
        at += sizeof is + strlen(path) + 1;
        input->is = is;
        if (strcmp(path, input->path) != 0) {
            ND_TRY(nd_input_set_copy(inputs, input, path, &is));
        }
    }
out:
    return st;
}

/* Collective. With the index open (job->state->reread): put its inputs before the job's. Each has
 * to be there, by its name or from the folder of the index, and of the size that it had. \return
 * ND_OK on all ranks; on all ND_ERR_CHANGED, naming the input, or another failure */
static nd_status read_again_open(nd_job *job) {
    nd_status st = ND_OK;
    nd_input_list before = {0};
    nd_buffer found = {0};
    ND_TRY(nd_comm_agree(&job->comm, nd_index_inputs(&job->state->reread.folder, &before)));
    job->state->reread.sources = before.count;
    ND_TRY(nd_comm_agree(&job->comm, job->comm.rank == 0 ? look_at(job, &before, &found) : ND_OK));
    nd_comm_share_bytes(&job->comm, &found);
    st = take_found(&before, &found);
    ND_TRY(
        nd_comm_agree(&job->comm, st != ND_OK ? st : nd_inputs_put_before(&job->inputs, &before)));
out:
    nd_input_list_free(&before);
    nd_buffer_free(&found);
    return st;
}

/* This rank's pages against those of the index, [first, end) of both. Their texts are hashed with
 * another seed. */
static nd_status compare(const nd_job *job, uint64_t first, uint64_t end) {
    nd_status st = ND_OK;
    nd_stored_page *pages = NULL;
    nd_new_room(&pages, AT_ONCE, sizeof *pages);
    for (uint64_t at = first; at < end;) {
        const uint64_t count = nd_min(end - at, AT_ONCE);
        ND_TRY(nd_checkpoint_load(&job->state->reread.folder, "pages", sizeof *pages, at,
                                  at + count, pages));
        for (uint64_t i = 0; i < count; i++) {
            const nd_stored_page *was = &pages[i];
            const nd_stored_page *is = &job->state->pages.pages[at - first + i];
            if (was->source != is->source || was->offset != is->offset ||
                was->checksum != is->checksum || was->text_tokens != is->text_tokens) {
                st = nd_fail(ND_ERR_CHANGED,
                             "%s: its pages are not those of the index %s (byte %" PRIu64
                             "): give the --jsonl options of that run, or make an index anew",
                             job->inputs.inputs[was->source].path, job->options.index, was->offset);
                goto out;
            }
        }
        at += count;
    }
out:
    free(pages);
    return st;
}

nd_status nd_read_again_check(nd_job *job) {
    nd_status st = ND_OK;
    const uint64_t first = nd_job_own_first(job);
    const uint64_t end = nd_min(job->first[job->comm.rank + 1], job->state->reread.pages);
    uint64_t pages = 0;
    if (!job->options.reread) {
        return ND_OK;
    }
    ND_TRY(nd_comm_agree(&job->comm, first < end ? compare(job, first, end) : ND_OK));
    for (uint64_t i = 0; i < job->state->reread.sources; i++) {
        pages += job->source_totals[i].pages;
    }
    if (pages != job->state->reread.pages) {
        st = nd_fail(ND_ERR_CHANGED,
                     "%s: its inputs have %" PRIu64 " pages now, and had %" PRIu64
                     ": make an index anew",
                     job->options.index, pages, job->state->reread.pages);
    }
out:
    return st;
}

/* ==== the folder */

/* Goes up with every change of a record, or of what an array means. */
enum { FORMAT_VERSION = 6 };

/* ---- reading */

static nd_status check_version(const nd_checkpoint *index, const char *path) {
    uint64_t version = 0;
    const char *stage = nd_checkpoint_stage(index);
    if (stage == NULL || strcmp(stage, "index") != 0 ||
        nd_checkpoint_number(index, "format_version", &version) != ND_OK) {
        return nd_fail(ND_ERR_USAGE,
                       "%s: is no index, but a work folder: an index is what partition "
                       "--write-index makes",
                       path);
    }
    return version == FORMAT_VERSION ? ND_OK
                                     : nd_fail(ND_ERR_FORMAT,
                                               "%s: an index of version %" PRIu64
                                               ", this program reads version %d: make it anew",
                                               path, version, FORMAT_VERSION);
}

/* Each array of pages has all of them, and each array its beginning. */
static nd_status check_counts(const nd_checkpoint *index, uint64_t *pages) {
    static const char *const of_pages[] = {"pages", "members", "form", "key.ranges"};
    nd_status st = ND_OK;
    uint64_t count = 0;
    ND_TRY(nd_checkpoint_number(index, "pages", pages));
    for (size_t i = 0; i < index->manifest.array_count; i++) {
        ND_TRY(nd_checkpoint_records(index, index->manifest.arrays[i].name, &count));
    }
    for (size_t i = 0; i < sizeof of_pages / sizeof of_pages[0]; i++) {
        if (nd_checkpoint_count(index, of_pages[i]) != *pages) {
            return nd_checkpoint_refuse(index, of_pages[i], "has not a record for each page");
        }
    }
out:
    return st;
}

nd_status nd_index_read(nd_checkpoint *index, nd_comm *comm, const char *path, uint64_t *pages) {
    nd_status st = ND_OK;
    ND_TRY(nd_checkpoint_read(index, comm, path));
    st = check_version(index, path);
    ND_TRY(nd_comm_agree(comm, st != ND_OK ? st : check_counts(index, pages)));
out:
    if (st != ND_OK) {
        nd_checkpoint_close(index);
    }
    return st;
}

uint64_t nd_index_checksum(const nd_checkpoint *index) {
    uint64_t sum = 0;
    for (size_t i = 0; i < index->manifest.piece_count; i++) {
        sum += nd_mix64(index->manifest.pieces[i].checksum);
    }
    return sum;
}

/* ---- against an index */

void nd_index_parameters(const nd_job_options *options, char *text, size_t size) {
    nd_job_options o = *options;
    o.contained = 0; /* it decides nothing that an index has */
    nd_print_parameters(&o, text, size);
}

/* The job's parameters have to be the index's. All that the index has was hashed with its seed,
 * which becomes the job's; where its inputs are read again, all is made anew, with a seed of all.
 */
static nd_status check_parameters(nd_job *job, const nd_checkpoint *index, const char *path) {
    nd_status st = ND_OK;
    const char *before = NULL;
    char now[ND_PARAMETERS_SIZE];
    char difference[256];
    nd_job_options options = job->options;
    ND_TRY(nd_checkpoint_text(index, "parameters", &before));
    ND_TRY(nd_read_parameters(path, before, &options));
    const uint64_t seed = options.hash_seed;
    if (job->options.hash_seed == 0 && !job->options.reread) {
        job->options.hash_seed = seed;
    }
    options = job->options;
    options.hash_seed = job->options.reread ? seed : job->options.hash_seed;
    nd_index_parameters(&options, now, sizeof now);
    if (nd_parameters_differ(before, now, difference, sizeof difference)) {
        st = nd_fail(ND_ERR_USAGE,
                     "--index %s was made with other options: %s (give the same ones, or make an "
                     "index of all inputs anew)",
                     path, difference);
    }
out:
    return st;
}

/* Collective. Open an index of the job's parameters; files are not looked at. */
static nd_status open_index(nd_job *job, nd_checkpoint *index, const char *path, uint64_t *pages) {
    nd_status st = ND_OK;
    ND_TRY(nd_index_read(index, &job->comm, path, pages));
    ND_TRY(nd_comm_agree(&job->comm, check_parameters(job, index, path)));
out:
    return st;
}

static nd_status put_inputs(nd_job *job) {
    nd_status st = ND_OK;
    nd_input_list before = {0};
    ND_TRY(nd_index_inputs(&job->state->index.folder, &before));
    job->state->index.sources = before.count;
    ND_TRY(nd_inputs_put_before(&job->inputs, &before));
out:
    nd_input_list_free(&before);
    return st;
}

/* The list of the additions' first pages, as JSON. */
static nd_status list_additions(nd_job *job) {
    nd_status st = ND_OK;
    nd_buffer text = {0};
    const char *before = "[0";
    char number[32] = "]";
    if (job->options.index != NULL) {
        const bool again = job->options.reread;
        ND_TRY(nd_checkpoint_text(again ? &job->state->reread.folder : &job->state->index.folder,
                                  "additions", &before));
        (void)snprintf(number, sizeof number, ",%" PRIu64 "]",
                       again ? job->state->reread.pages : job->state->index.pages);
    }
    nd_buffer_append(&text, before, strcspn(before, "]"));
    nd_buffer_append(&text, number, strlen(number) + 1);
    job->additions = (char *)text.data;
    text = (nd_buffer){0};
out:
    nd_buffer_free(&text);
    return st;
}

/* Of an index, which may be of a neardup that kept none. */
static nd_status read_fields(nd_reread_fields *fields, const nd_checkpoint *index,
                             const char *path) {
    const nd_manifest_value *value = nd_manifest_find(&index->manifest, "jsonl");
    return nd_reread_fields_open(fields, path, value != NULL ? value->text : NULL);
}

nd_status nd_index_fields(nd_job *job) {
    nd_status st = ND_OK;
    const nd_job_options *o = &job->options;
    uint64_t first = 0;
    if (o->index != NULL) {
        const nd_checkpoint *index =
            o->reread ? &job->state->reread.folder : &job->state->index.folder;
        ND_TRY(read_fields(&job->fields, index, o->index));
        first = o->reread ? job->state->reread.sources : job->state->index.sources;
    }
    ND_TRY(nd_reread_fields_add(&job->fields, first, &o->reader));
out:
    return st;
}

nd_status nd_index_open(nd_job *job) {
    nd_status st = ND_OK;
    const nd_job_options *o = &job->options;
    if (o->reread) { /* its files are looked at all the same: what is read is compared with them */
        nd_reread_index *reread = &job->state->reread;
        ND_TRY(open_index(job, &reread->folder, o->index, &reread->pages));
        ND_TRY(nd_checkpoint_check(&reread->folder));
        ND_TRY(nd_index_check_pages(&reread->folder));
        ND_TRY(read_again_open(job));
    } else if (o->index != NULL) {
        ND_TRY(open_index(job, &job->state->index.folder, o->index, &job->state->index.pages));
        ND_TRY(nd_checkpoint_check(&job->state->index.folder));
        ND_TRY(nd_index_check_pages(&job->state->index.folder));
        job->totals.index_pages = job->state->index.pages;
        ND_TRY(nd_comm_agree(&job->comm, put_inputs(job)));
        ND_TRY(nd_index_texts_open(job));
    }
    if (o->texts_in_inputs && job->inputs.takes_stdin) {
        st = nd_fail(ND_ERR_USAGE, "--index-texts inputs: standard input cannot be read again: "
                                   "name a file, or leave it out");
        goto out;
    }
    ND_TRY(nd_comm_agree(&job->comm, nd_index_fields(job)));
    if (o->index != NULL || o->write_index != NULL) {
        ND_TRY(nd_comm_agree(&job->comm, list_additions(job)));
    }
out:
    return st;
}

/* ---- making one */

/* The name without slashes at its end, and a suffix. */
static nd_status name_of(const char *path, const char *suffix, char name[PATH_MAX]) {
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') {
        size--;
    }
    const int length =
        snprintf(name, PATH_MAX, "%.*s%s", (int)(size < PATH_MAX ? size : PATH_MAX), path, suffix);
    return length < PATH_MAX
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--write-index %.60s...: the name is too long", path);
}

nd_status nd_index_try(const nd_job_options *o) {
    nd_status st = ND_OK;
    char name[PATH_MAX];
    char folder[PATH_MAX];
    struct stat info;
    if (o->write_index == NULL) {
        return ND_OK;
    }
    ND_TRY(name_of(o->write_index, ND_PARTIAL_SUFFIX, name));
    nd_own_file_folder(o->write_index, folder, sizeof folder);
    if (o->write_index[0] == '\0') {
        st = nd_fail(ND_ERR_USAGE, "--write-index: an empty name");
    } else if (lstat(o->write_index, &info) == 0) {
        st = nd_fail(ND_ERR_USAGE,
                     "--write-index %s: is there already, and an index is never replaced: name "
                     "another one, or remove it",
                     o->write_index);
    } else if (access(folder, W_OK | X_OK) != 0) {
        st = nd_fail(ND_ERR_USAGE, "--write-index %s: cannot be made in %s: %s", o->write_index,
                     folder, strerror(errno));
    }
out:
    return st;
}

/* Rank 0: what a killed run has left. */
static nd_status remove_left(const char *path) {
    nd_status st = ND_OK;
    nd_work_folder left = {.lock = -1};
    struct stat info;
    if (lstat(path, &info) != 0) {
        return ND_OK;
    }
    ND_TRY(nd_work_folder_open(&left, path));
    ND_TRY(nd_work_folder_lock(&left));
    nd_work_folder_discard(&left);
out:
    nd_work_folder_close(&left);
    return st;
}

nd_status nd_index_create(nd_checkpoint *index, nd_job *job) {
    nd_status st = ND_OK;
    char path[PATH_MAX];
    ND_TRY(nd_comm_agree(&job->comm, name_of(job->options.write_index, ND_PARTIAL_SUFFIX, path)));
    ND_TRY(nd_comm_agree(&job->comm, job->comm.rank == 0 ? remove_left(path) : ND_OK));
    job->index_made = true; /* what is there from here on is to be dropped where it fails */
    ND_TRY(nd_checkpoint_open(index, &job->comm, path, false));
out:
    return st;
}

void nd_index_describe(nd_checkpoint *index, const char *parameters, uint64_t pages,
                       const char *additions, const char *fields) {
    nd_checkpoint_set_number(index, "format_version", FORMAT_VERSION);
    nd_checkpoint_set_number(index, "pages", pages);
    nd_checkpoint_set_text(index, "parameters", parameters);
    nd_checkpoint_set_text(index, "additions", additions);
    if (fields != NULL) {
        nd_checkpoint_set_text(index, "jsonl", fields);
    }
    nd_checkpoint_set_text(index, "program_version", ND_VERSION);
}

void nd_index_drop(const nd_job *job) {
    char path[PATH_MAX];
    if (job->index_made && job->own_work && !job->done &&
        name_of(job->options.write_index, ND_PARTIAL_SUFFIX, path) == ND_OK) {
        (void)remove_left(path);
    }
}

/* What a failure has left under final names: there is no result without its index, nor an index. */
static void take_back(const nd_job *job, const char *path, const char *partial) {
    if (access(partial, F_OK) != 0) {
        (void)rename(path, partial);
    }
    if (job->options.output != NULL) {
        (void)unlink(job->options.output);
    }
}

nd_status nd_index_publish(nd_job *job) {
    nd_status st = ND_OK;
    char path[PATH_MAX];
    char partial[PATH_MAX];
    if (job->options.write_index == NULL) {
        return ND_OK;
    }
    if (job->comm.rank == 0) {
        ND_TRY(name_of(job->options.write_index, "", path));
        ND_TRY(name_of(job->options.write_index, ND_PARTIAL_SUFFIX, partial));
        st = nd_own_folder_publish(partial, path);
        if (st != ND_OK) {
            take_back(job, path, partial);
        }
    }
out:
    return nd_comm_agree(&job->comm, st);
}
