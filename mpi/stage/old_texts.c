#include "mpi/stage/old_texts.h"

#include "io/input/page_maker.h"
#include "io/input/reread.h"
#include "io/store/page_store.h"
#include "mpi/job/checkpoint.h"
#include "mpi/job/page_content.h"
#include "mpi/stage/old_pages.h"
#include "mpi/stage/old_sites.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the texts begin that are brought, in the numbers of the store: after all that it has. */
static const uint64_t BROUGHT = UINT64_C(1) << 63;

struct nd_old_texts {
    nd_packed_reader packed;
    bool in_inputs; /* some texts are */
    nd_reread from;
    nd_record_limits limits;
    nd_page_maker maker;
    nd_page_store page; /* the one that was read again */
    nd_buffer names, tokens, digests;
    bool brought; /* the job's store has a part for texts */
};

/* ---- the inputs */

/* Id and URL of a page of the index. */
static nd_status read_names(nd_job *job, const nd_stored_page *page, nd_span *id, nd_span *url) {
    nd_status st = ND_OK;
    nd_buffer *names = &job->old.texts->names;
    const uint64_t size = (uint64_t)page->id_size + page->url_size;
    names->size = 0;
    ND_TRY(nd_buffer_reserve(names, (size_t)size + 1));
    ND_TRY(nd_checkpoint_load(&job->old.index, "ingest.names", 1, page->names, page->names + size,
                              names->data));
    *id = (nd_span){names->data, page->id_size};
    *url = (nd_span){names->data + page->id_size, page->url_size};
out:
    return st;
}

/* What nd_fail_text() says of an input, and for which page it is wanted. */
static nd_status refuse(nd_job *job, uint64_t number, const nd_stored_page *page) {
    nd_status st = ND_OK;
    nd_span id, url;
    char why[ND_FAIL_TEXT_SIZE];
    (void)snprintf(why, sizeof why, "%s", nd_fail_text());
    ND_TRY(read_names(job, page, &id, &url));
    (void)nd_fail(ND_ERR_CHANGED, "%s", why);
    st = nd_reread_refuse(job->options.against, number, id, url);
out:
    return st;
}

/* Look at the input of a page, unless it was looked at. */
static nd_status look_at(nd_job *job, bool *looked, uint64_t number, const nd_stored_page *page) {
    nd_status st = ND_OK;
    nd_buffer path = {0};
    struct stat info;
    if (page->source >= job->old.sources) {
        return nd_fail(ND_ERR_FORMAT, "%s: damaged: a page of no input", job->options.against);
    }
    const nd_input *input = &job->inputs.inputs[page->source];
    if (looked[page->source]) {
        return ND_OK;
    }
    looked[page->source] = true;
    st = nd_reread_look(job->options.against,
                        (nd_span){(const uint8_t *)input->path, strlen(input->path)},
                        input->is.bytes, &path, &info);
    nd_buffer_free(&path);
    return st == ND_ERR_CHANGED ? refuse(job, number, page) : st;
}

/* This rank's share of the pages. */
static nd_status look_at_inputs(nd_job *job) {
    enum { AT_ONCE = 4096 };
    nd_status st = ND_OK;
    nd_stored_page *pages = NULL;
    bool *looked = NULL; /* of each source */
    const nd_comm *comm = &job->comm;
    const uint64_t end = nd_comm_share_begin(job->old.pages, comm->rank + 1, comm->size);
    ND_TRY(nd_new(&looked, job->old.sources, sizeof *looked));
    ND_TRY(nd_new_room(&pages, AT_ONCE, sizeof *pages));
    for (uint64_t at = nd_comm_share_begin(job->old.pages, comm->rank, comm->size); at < end;) {
        const uint64_t count = nd_min(end - at, AT_ONCE);
        ND_TRY(nd_checkpoint_load(&job->old.index, "pages", sizeof *pages, at, at + count, pages));
        for (uint64_t i = 0; i < count; i++) {
            if (pages[i].text == ND_TEXT_IN_INPUT) {
                job->old.texts->in_inputs = true;
                ND_TRY(look_at(job, looked, at + i, &pages[i]));
            }
        }
        at += count;
    }
out:
    free(pages);
    free(looked);
    return st;
}

nd_status nd_old_texts_open(nd_job *job) {
    nd_status st = nd_new(&job->old.texts, 1, sizeof *job->old.texts);
    ND_TRY(nd_comm_agree(&job->comm, st));
    nd_old_texts *texts = job->old.texts;
    const nd_reader_options *reader = &job->options.reader;
    texts->limits =
        nd_record_limits_of(reader->max_page_bytes, reader->max_expansion, reader->memory);
    texts->maker = nd_job_page_maker(&job->options, &texts->limits);
    nd_reread_begin(&texts->from, job->options.against, reader);
    st = nd_packed_reader_open(&texts->packed, ND_PACKING_TOKENS, &job->old.index, "text");
    ND_TRY(nd_comm_agree(&job->comm, st != ND_OK ? st : look_at_inputs(job)));
    texts->in_inputs = nd_comm_max(&job->comm, texts->in_inputs) > 0;
out:
    return st;
}

nd_status nd_old_texts_recall(nd_job *job) {
    job->old.texts->brought = false; /* the store is a new one */
    return job->old.texts->in_inputs && job->options.content.sample > 0 ? nd_old_sites_ask(job)
                                                                        : ND_OK;
}

/* ---- a text */

typedef struct choice {
    nd_job *job;
    uint64_t number;
} choice;

static nd_status choose(void *context, size_t index, const nd_document *document, bool *keep) {
    const choice *c = context;
    uint16_t flags = 0;
    (void)index;
    return nd_old_sites_choose(c->job, c->number, document, keep, &flags);
}

static nd_status read_again(nd_job *job, uint64_t number, const nd_stored_page *page,
                            const uint32_t **tokens) {
    nd_status st = ND_OK;
    nd_old_texts *texts = job->old.texts;
    const nd_input *input = &job->inputs.inputs[page->source];
    nd_document document;
    nd_text_hash hash;
    choice context = {job, number};
    nd_reread_page wanted = {.page = number,
                             .source = page->source,
                             .name = {(const uint8_t *)input->path, strlen(input->path)},
                             .bytes = input->is.bytes,
                             .offset = page->offset,
                             .checksum = page->checksum};
    ND_TRY(read_names(job, page, &wanted.id, &wanted.url));
    nd_reread_fields_set(&job->fields, page->source, &texts->from.options);
    st = nd_reread_record(&texts->from, &wanted);
    nd_page_store_free(&texts->page);
    st = st != ND_OK ? st
                     : nd_page_maker_add(&texts->maker, &texts->from.record, page->source,
                                         page->collection, &texts->page);
    if (st == ND_ERR_CHANGED || st == ND_ERR_LIMIT) {
        st = refuse(job, number, page);
    }
    ND_TRY(st);
    ND_TRY(nd_page_store_select(&texts->page, choose, &context));
    ND_TRY(nd_page_store_document(&texts->page, 0, &document));
    ND_TRY(nd_page_content_hash(&job->options, &document, NULL, &texts->digests, &hash));
    if (document.token_count != page->token_count || hash.high != page->content_hash.high ||
        hash.low != page->content_hash.low) {
        (void)nd_fail(ND_ERR_CHANGED,
                      "%s: the page at byte %llu has another text than in the run that read it: "
                      "give the --jsonl options of that run",
                      input->path, (unsigned long long)page->offset);
        st = refuse(job, number, page);
    }
    *tokens = document.tokens;
out:
    return st;
}

nd_status nd_old_text_read(nd_job *job, uint64_t number, const nd_stored_page *page,
                           const uint32_t **tokens) {
    nd_status st = ND_OK;
    nd_old_texts *texts = job->old.texts;
    const size_t size = page->token_count * sizeof **tokens;
    ND_ASSERT(texts != NULL && (page->text < BROUGHT || page->text == ND_TEXT_IN_INPUT), number,
              page->text);
    if (page->text == ND_TEXT_IN_INPUT) {
        return read_again(job, number, page, tokens);
    }
    texts->tokens.size = 0;
    ND_TRY(nd_buffer_reserve(&texts->tokens, size));
    ND_TRY(nd_packed_read(&texts->packed, page->text, size, texts->tokens.data));
    *tokens = (const uint32_t *)(const void *)texts->tokens.data;
out:
    return st;
}

nd_status nd_old_text_have(nd_job *job, size_t index) {
    nd_status st = ND_OK;
    const uint32_t *tokens = NULL;
    nd_page_store *store = &job->pages;
    ND_ASSERT(index < store->count, index, store->count);
    nd_stored_page *page = &store->pages[index];
    const bool here = job->old.texts == NULL || /* where none are opened the store has all */
                      (page->text >= BROUGHT && page->text != ND_TEXT_IN_INPUT);
    if (index >= nd_old_own_count(job) || page->token_count == 0 || here) {
        return ND_OK;
    }
    if (!job->old.texts->brought) {
        nd_spool_open(&nd_page_parts_add(&store->text, BROUGHT)->spool, store->folder, 0);
        job->old.texts->brought = true;
    }
    uint64_t number = nd_job_own_first(job) + index;
    nd_stored_page with_text = *page;
    if (page->text >= ND_TEXT_OF_PAGE && page->text != ND_TEXT_IN_INPUT) {
        number = page->text - ND_TEXT_OF_PAGE;
        ND_TRY(nd_checkpoint_load(&job->old.index, "pages", sizeof with_text, number, number + 1,
                                  &with_text));
    }
    if (with_text.token_count != page->token_count) {
        st = nd_fail(ND_ERR_FORMAT, "%s: damaged: a text is not that of its page",
                     job->options.against);
        goto out;
    }
    ND_TRY(nd_old_text_read(job, number, &with_text, &tokens));
    ND_TRY(nd_page_store_append_text(store, page, tokens, NULL));
out:
    return st;
}

void nd_old_texts_close(nd_job *job) {
    nd_old_texts *texts = job->old.texts;
    if (texts == NULL) {
        return;
    }
    nd_packed_reader_close(&texts->packed);
    nd_reread_close(&texts->from);
    nd_page_maker_free(&texts->maker);
    nd_page_store_free(&texts->page);
    nd_buffer_free(&texts->names);
    nd_buffer_free(&texts->tokens);
    nd_buffer_free(&texts->digests);
    free(texts);
    job->old.texts = NULL;
}
