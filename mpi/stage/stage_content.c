/* Stage 2: what of each page is compared. Navigation and link-dense blocks are dropped by the page
 * alone; then the sentences that stand in several classes of near-duplicate pages of the site,
 * known from a sample of the site's pages. A page of which little is left, and an index page, gets
 * back those of its links that the site does not repeat: they are what it is about. Each part is an
 * option. What the method needs of a page is made while its content is at hand (signing.h). */
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"

#include "io/store/page_store.h"
#include "mpi/comm/exchange.h"
#include "mpi/job/page_content.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/ingested.h"
#include "mpi/stage/signing.h"
#include "mpi/stage/site_sample.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/sets/template.h"
#include "src/text/page.h"

#include <stdlib.h>
#include <string.h>

/* (site, masked sentence), sorted. */
typedef struct sentence_list {
    nd_key_value *entries;
    size_t capacity;
    uint64_t count;
} sentence_list;

typedef struct selection {
    nd_job *job;
    nd_key_value *ranks; /* (site, rank): where a site's template has to go */
    uint64_t rank_count;
    uint64_t template_sentences;
    uint64_t sampled;                         /* pages */
    nd_number_set template_set, repeated_set; /* of the present site */
    nd_spool marks;          /* on the sentences of the samples of this rank's sites */
    nd_external_sort sorted; /* marks on this rank's pages, read along with them */
    nd_site_marks ahead;     /* the next of them */
    bool has_ahead;
    bool *is_template; /* of the present page's sentences; scratch */
    bool *is_repeated;
    nd_buffer digests; /* of those of its sentences that are kept */
    size_t template_capacity, repeated_capacity;
    sentence_list templates; /* of this rank's sites, then of its pages' sites */
    sentence_list repeated;  /* links, likewise */
} selection;

/* ---- templates of the sites of this rank */

static bool kind_of(const void *context, const nd_sentence_digest *sentence, uint32_t *kind) {
    const nd_content_choice *choice = &((const selection *)context)->job->options.content;
    const bool wanted = nd_sentence_is_wanted(choice, sentence);
    *kind = wanted ? ND_SITE_SENTENCE_KEPT : ND_SITE_SENTENCE_LINK;
    return wanted || nd_sentence_may_return(choice, sentence);
}

static void add_sentences(sentence_list *list, uint64_t site, const uint64_t *hashes,
                          size_t count) {
    nd_grow(&list->entries, &list->capacity, list->count + count, sizeof *list->entries);
    for (size_t i = 0; i < count; i++) {
        list->entries[list->count++] = (nd_key_value){site, hashes[i]};
    }
}

/* The sampled pages of one site: their kept sentences, and their links. */
typedef struct site_pages {
    nd_template_page *kept;
    nd_template_page *links;
    nd_template_sentence *sentences; /* both point in here */
    uint64_t count;
} site_pages;

static void site_pages_free(site_pages *p) {
    free(p->kept);
    free(p->links);
    free(p->sentences);
    *p = (site_pages){0};
}

/* A page's sentences of a kind. \return how many were written to `out` */
static size_t pick(const nd_site_fragment *fragments, uint64_t count, uint32_t kind,
                   nd_template_sentence *out) {
    size_t picked = 0;
    for (uint64_t f = 0; f < count; f++) {
        for (uint32_t i = 0; i < fragments[f].count; i++) {
            out[picked] = (nd_template_sentence){.hash = fragments[f].masked[i],
                                                 .tokens = fragments[f].tokens[i]};
            memcpy(out[picked].minima, fragments[f].minima[i], sizeof out[picked].minima);
            picked += (fragments[f].links >> i & 1U) == (kind == ND_SITE_SENTENCE_LINK);
        }
    }
    return picked;
}

/* Lay out the pages of a site from its fragments. */
static void lay_out(const nd_site_reader *site, site_pages *out) {
    uint64_t length = 0;
    *out = (site_pages){0};
    nd_new_room(&out->kept, site->count, sizeof *out->kept);
    nd_new_room(&out->links, site->count, sizeof *out->links);
    /* one more, for pick() writes before it looks */
    nd_new_room(&out->sentences, site->count * ND_SITE_FRAGMENT_SENTENCES + 1,
                sizeof *out->sentences);
    nd_template_sentence *next = out->sentences;
    for (uint64_t i = 0; i < site->count; i += length) {
        const nd_site_fragment *page = &site->fragments[i];
        const uint64_t number = nd_site_key_number(page->key);
        length = 1;
        while (i + length < site->count && nd_site_key_number(page[length].key) == number) {
            length++;
        }
        const size_t kept = pick(page, length, ND_SITE_SENTENCE_KEPT, next);
        const size_t links = pick(page, length, ND_SITE_SENTENCE_LINK, next + kept);
        out->kept[out->count] = (nd_template_page){next, kept};
        out->links[out->count++] = (nd_template_page){next + kept, links};
        ND_ASSERT(kept <= length * ND_SITE_FRAGMENT_SENTENCES &&
                      links <= length * ND_SITE_FRAGMENT_SENTENCES - kept,
                  kept, links, length);
        next += kept + links;
    }
}

/* What the result is to say of a site; nothing of one that has no template and repeats all links.
 */
static nd_status keep_site(selection *s, uint64_t of, uint64_t page, const nd_template_lists *lists,
                           bool repeats_all) {
    nd_status st = ND_OK;
    nd_found_sites *found = &s->job->state->sites;
    const nd_found_site site = {.site = of,
                                .page = page,
                                .templates = lists->template_count,
                                .repeated = repeats_all ? 0 : lists->repeated_count,
                                .repeats_all = repeats_all};
    if (site.templates == 0 && repeats_all) {
        return ND_OK;
    }
    ND_TRY(nd_spool_append(&found->sites, &site, sizeof site));
    ND_TRY(nd_spool_append(&found->templates, lists->templates,
                           site.templates * sizeof *lists->templates));
    ND_TRY(nd_spool_append(&found->repeated, lists->repeated,
                           site.repeated * sizeof *lists->repeated));
out:
    return st;
}

/* The site's template; and of what it leaves, the links that the site repeats. Both as marks on the
 * sampled pages, which need no list then. Only where the sample is full there are pages that are
 * neither in it nor copies of one that is. */
static nd_status find_site(selection *s, const nd_site_reader *reader) {
    nd_status st = ND_OK;
    site_pages pages = {0};
    nd_template_lists lists = {0};
    uint32_t others = 0; /* links that the site does not repeat, and repeated ones that are text */
    const uint64_t site = nd_site_reader_page(reader, &reader->fragments[0])->site;
    const nd_content_choice *choice = &s->job->options.content;
    lay_out(reader, &pages);
    if (choice->link_tokens > 0) {
        ND_TRY(nd_template_lists_find(pages.kept, pages.links, pages.count, &choice->templates,
                                      &ND_TEMPLATE_REPEAT_DEFAULTS, &lists));
    } else {
        ND_TRY(nd_template_find(pages.kept, pages.count, &choice->templates, &lists.templates,
                                &lists.template_count));
    }
    s->template_sentences += lists.template_count + lists.repeated_count;
    s->sampled += pages.count;
    nd_number_set_fill(&s->template_set, lists.templates, lists.template_count);
    nd_number_set_fill(&s->repeated_set, lists.repeated, lists.repeated_count);
    for (uint64_t f = 0; f < reader->count; f++) {
        const nd_site_fragment *fragment = &reader->fragments[f];
        nd_site_marks marks = {.key = nd_site_key(nd_site_reader_page(reader, fragment)->page,
                                                  nd_site_key_part(fragment->key))};
        for (uint32_t i = 0; i < fragment->count; i++) {
            const uint64_t masked = fragment->masked[i];
            marks.templates |= (uint32_t)nd_number_set_holds(&s->template_set, masked) << i;
            marks.repeated |= (uint32_t)nd_number_set_holds(&s->repeated_set, masked) << i;
        }
        others |= (fragment->links & ~(marks.templates | marks.repeated)) |
                  (marks.repeated & ~(uint32_t)fragment->links);
        ND_TRY(nd_spool_append(&s->marks, &marks, sizeof marks));
    }
    const bool sample_is_site = pages.count < choice->sample;
    ND_TRY(keep_site(s, site, nd_site_reader_page(reader, &reader->fragments[0])->page, &lists,
                     choice->link_tokens == 0 || (sample_is_site && others == 0)));
    if (!sample_is_site) {
        add_sentences(&s->templates, site, lists.templates, lists.template_count);
        add_sentences(&s->repeated, site, lists.repeated, lists.repeated_count);
    }
out:
    site_pages_free(&pages);
    nd_template_lists_free(&lists);
    return st;
}

static nd_status find_templates(selection *s) {
    nd_status st = ND_OK;
    nd_job *job = s->job;
    nd_site_page *sample = NULL;
    uint64_t sample_count = 0;
    uint64_t sites = 0;
    nd_site_reader reader = {0};
    ND_TRY(nd_site_sample(job, job->options.content.sample, &sample, &sample_count, &s->ranks,
                          &s->rank_count));
    ND_TRY(nd_site_sentences(job, sample, sample_count, kind_of, s, &reader));
    st = nd_site_reader_next(&reader);
    while (st == ND_OK && reader.count > 0) {
        st = find_site(s, &reader);
        sites++;
        nd_progress_update(&job->progress, &job->comm, reader.sorted.next,
                           nd_external_sort_count(&reader.sorted), s->sampled);
        st = st != ND_OK ? st : nd_site_reader_next(&reader);
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    /* what the templates come to, for planning */
    job->totals.sites = nd_comm_sum(&job->comm, sites);
    job->totals.template_sentences = nd_comm_sum(&job->comm, s->template_sentences);
    nd_site_reader_close(&reader);
    ND_TRY(nd_site_marks_return(job, &s->marks, &s->sorted));
    nd_spool_close(&s->marks);
out:
    free(sample);
    nd_site_reader_close(&reader);
    return st;
}

/* ---- back to the pages */

/* Replace the list of this rank's sites by that of its pages' sites. */
static nd_status send_list(const selection *s, sentence_list *list) {
    nd_status st = ND_OK;
    nd_comm *comm = &s->job->comm;
    sentence_list sent = {0};
    int *owners = NULL; /* of its entries */
    size_t owner_capacity = 0;
    uint64_t from = 0;
    /* both lists are sorted by site: each site's sentences once for each of its ranks */
    for (uint64_t r = 0; r < s->rank_count; r++) {
        const uint64_t site = s->ranks[r].key;
        ND_ASSERT(r == 0 || s->ranks[r - 1].key < site ||
                      (s->ranks[r - 1].key == site && s->ranks[r - 1].value < s->ranks[r].value),
                  r, site, s->ranks[r].value); /* each site's list once to each of its ranks */
        while (from < list->count && list->entries[from].key < site) {
            from++;
        }
        const uint64_t end = nd_key_end(list->entries, list->count, from, site);
        const uint64_t need = sent.count + (end - from);
        nd_grow(&sent.entries, &sent.capacity, need, sizeof *sent.entries);
        nd_grow(&owners, &owner_capacity, need, sizeof *owners);
        for (uint64_t t = from; t < end; t++) {
            owners[sent.count] = (int)s->ranks[r].value;
            sent.entries[sent.count++] = list->entries[t];
        }
    }
    ND_TRY(nd_shuffle_to(comm, &sent.entries, &sent.count, sizeof *sent.entries, owners));
    nd_radix_sort(sent.entries, sent.count);
    free(list->entries);
    *list = (sentence_list){.entries = sent.entries, .capacity = sent.count, .count = sent.count};
    sent.entries = NULL;
out:
    free(sent.entries);
    free(owners);
    return st;
}

/* The sentences of one site, ascending. */
typedef struct site_list {
    const nd_key_value *entries;
    uint64_t count;
} site_list;

static site_list list_of(const sentence_list *list, uint64_t site) {
    uint64_t begin = 0;
    ND_FIND_FIRST(begin, 0, list->count, list->entries[begin].key >= site);
    const uint64_t end = nd_key_end(list->entries, list->count, begin, site);
    return (site_list){begin < end ? list->entries + begin : NULL, end - begin};
}

/* Halving without a branch that depends on the numbers. */
static bool holds(site_list list, uint64_t masked) {
    const nd_key_value *entry = list.entries;
    for (uint64_t count = list.count; count > 1;) {
        const uint64_t half = count / 2;
        entry += entry[half].value <= masked ? half : 0;
        count -= half;
    }
    return list.count > 0 && entry->value == masked;
}

/* The lists of sites that an index knows, beside those of the others. */
static void add_indexed(selection *s) {
    const nd_index_pages *indexed = &s->job->state->index;
    for (uint64_t i = 0; i < indexed->site_count; i++) {
        const nd_site_word *word = &indexed->sites[i];
        if (word->kind >= ND_SITE_TEMPLATE) {
            sentence_list *list = word->kind == ND_SITE_TEMPLATE ? &s->templates : &s->repeated;
            add_sentences(list, word->site, &word->value, 1);
        }
    }
    nd_radix_sort(s->templates.entries, s->templates.count);
    nd_radix_sort(s->repeated.entries, s->repeated.count);
}

/* ---- what is known of a page's sentences: by its own marks, or by its site's lists */

static nd_status read_marks(selection *s) {
    return nd_external_sort_take(&s->sorted, &s->ahead, &s->has_ahead);
}

/* Which of a page's sentences are of its site's template, and which are links that it repeats. Of
 * a page without a site nobody knows which links are its own: all count as repeated, as on a site
 * of few pages. */
static nd_status classify(selection *s, size_t index, const nd_document *document) {
    nd_status st = ND_OK;
    const uint64_t page = nd_job_own_first(s->job) + index;
    const uint64_t site = s->job->state->pages.pages[index].site;
    const nd_content_choice *choice = &s->job->options.content;
    const uint32_t count = document->sentence_count;
    nd_grow(&s->is_template, &s->template_capacity, count, sizeof(bool));
    nd_grow(&s->is_repeated, &s->repeated_capacity, count, sizeof(bool));
    if (s->has_ahead && nd_site_key_number(s->ahead.key) == page) {
        uint32_t place = 0; /* in the fragment */
        uint32_t kind = 0;
        /* a page's marks speak of its sentences as they were sent: those with a kind, in order */
        for (uint32_t k = 0; k < count; k++) {
            s->is_template[k] = s->is_repeated[k] = false;
            if (kind_of(s, &document->sentences[k], &kind)) {
                if (place == ND_SITE_FRAGMENT_SENTENCES) {
                    ND_TRY(read_marks(s));
                    place = 0;
                }
                s->is_template[k] = (s->ahead.templates >> place & 1) != 0;
                s->is_repeated[k] = (s->ahead.repeated >> place & 1) != 0;
                place++;
            }
        }
        while (s->has_ahead && nd_site_key_number(s->ahead.key) == page) {
            ND_TRY(read_marks(s));
        }
    } else {
        const bool repeats_all = site == 0 || nd_index_site_is(s->job, site, ND_SITE_REPEATS_ALL);
        const site_list templates = list_of(&s->templates, site);
        const site_list repeated = list_of(&s->repeated, site);
        for (uint32_t k = 0; k < count; k++) {
            const uint64_t masked = document->sentences[k].masked;
            s->is_template[k] = holds(templates, masked);
            s->is_repeated[k] = repeats_all
                                    ? nd_sentence_may_return(choice, &document->sentences[k])
                                    : holds(repeated, masked);
        }
    }
out:
    return st;
}

/* ---- the choice */

static nd_status choose(void *context, size_t index, const nd_document *document, bool *keep) {
    nd_status st = ND_OK;
    selection *s = context;
    nd_job *job = s->job;
    nd_stored_page *page = &job->state->pages.pages[index];
    ND_ASSERT(!s->has_ahead || nd_site_key_number(s->ahead.key) >= nd_job_own_first(job) + index,
              s->ahead.key, nd_job_own_first(job), index); /* marks are read along with the pages */
    ND_TRY(classify(s, index, document));
    page->flags =
        (uint16_t)(page->flags & (ND_PAGE_REVISIT | ND_PAGE_TEXT)) |
        nd_page_content_choose(&job->options, document, s->is_template, s->is_repeated, keep);
    nd_page_content_hash(&job->options, document, keep, &s->digests, &page->content_hash);
    nd_progress_update(&job->progress, &job->comm, index, job->state->pages.count, index);
out:
    return st;
}

static nd_status sign(void *context, size_t index, const nd_document *content) {
    const selection *s = context;
    return nd_signing_add(s->job, index, content);
}

static nd_status run(nd_job *job) {
    nd_status st = ND_OK;
    selection s = {.job = job};
    const nd_content_choice *choice = &job->options.content;
    /* Where all texts lie in memory as they are it costs less to read them again for `sign`, which
     * signs no copies of contents. Pages that are recalled are dealt anew. */
    const bool recalls = job->options.index != NULL && !job->options.reread;
    const bool signs = !recalls && nd_comm_sum(&job->comm, job->state->pages.packed.count) > 0;
    nd_spool_open(&s.marks, &job->folder, job->options.memory.spool);
    nd_stage_begin(job, &nd_stage_content);
    if (choice->sample > 0) {
        ND_TRY(job->state->index.pages > 0 ? nd_index_sites_ask(job) : ND_OK);
        ND_TRY(find_templates(&s));
        ND_TRY(send_list(&s, &s.templates));
        ND_TRY(send_list(&s, &s.repeated));
        add_indexed(&s);
    }
    if (signs && !job->options.thin_apart) {
        ND_TRY(nd_firsts_find(job, false, &job->state->exact_of, &job->totals.exact_copies));
    }
    st = choice->sample > 0 ? read_marks(&s) : ND_OK;
    st = st != ND_OK ? st
                     : nd_page_store_select(&job->state->pages, choose, signs ? sign : NULL, &s);
    ND_TRY(nd_comm_agree(&job->comm, st));
    job->totals.content_tokens =
        nd_comm_sum(&job->comm, nd_page_store_token_count(&job->state->pages));
    job->totals.content_bytes =
        nd_comm_sum(&job->comm, nd_page_store_text_bytes(&job->state->pages));
    nd_progress_end(&job->progress, &job->comm, job->state->pages.count);
out:
    nd_spool_close(&s.marks);
    nd_external_sort_close(&s.sorted);
    nd_number_set_free(&s.template_set);
    nd_number_set_free(&s.repeated_set);
    free(s.is_template);
    free(s.is_repeated);
    nd_buffer_free(&s.digests);
    free(s.ranks);
    free(s.templates.entries);
    free(s.repeated.entries);
    return st;
}

static nd_status save(nd_job *job) {
    uint64_t masks = 0;
    const nd_status st = nd_ingested_keep_parts(job, "masks", &job->state->pages.masks, &masks);
    for (size_t i = 0; i < job->state->pages.count; i++) {
        job->state->pages.pages[i].sentences +=
            nd_stored_page_is_masked(&job->state->pages.pages[i]) ? masks : 0;
    }
    return st != ND_OK ? st
                       : nd_pages_save(job, &job->checkpoint, "pages", sizeof(nd_stored_page),
                                       job->state->pages.pages, 0);
}

/* Collective. Have the sites that were loaded as many sentences and links as there are? */
static nd_status check_sites(const nd_job *job) {
    nd_status st = ND_OK;
    nd_spool_reader reader;
    const void *sites = NULL;
    const nd_found_sites *found = &job->state->sites;
    uint64_t count = 1;
    uint64_t sums[4] = {0, 0, found->templates.size / sizeof(uint64_t),
                        found->repeated.size / sizeof(uint64_t)};
    nd_spool_reader_open(&reader, &found->sites, sizeof(nd_found_site), 0,
                         found->sites.size / sizeof(nd_found_site), 1 << 20);
    while (st == ND_OK && count > 0) {
        st = nd_spool_reader_next(&reader, &sites, &count);
        for (uint64_t i = 0; st == ND_OK && i < count; i++) {
            const nd_found_site *site = (const nd_found_site *)sites + i;
            if (site->templates > ~sums[0] || site->repeated > ~sums[1]) {
                st = nd_checkpoint_refuse(&job->checkpoint, "sites", "they have too much");
            }
            sums[0] += site->templates;
            sums[1] += site->repeated;
        }
    }
    nd_spool_reader_close(&reader);
    ND_TRY(nd_comm_agree(&job->comm, st));
    nd_comm_sum_all(&job->comm, sums, 4);
    if (sums[0] != sums[2] || sums[1] != sums[3]) {
        st = nd_checkpoint_refuse(&job->checkpoint, "sites",
                                  "they have more than there is, or less");
    }
out:
    return st;
}

static nd_status load(nd_job *job, bool last) {
    nd_status st = ND_OK;
    ND_TRY(nd_ingested_load_selected(job, last));
    ND_TRY(check_sites(job));
out:
    return st;
}

const nd_stage nd_stage_content = {"content", "pages", ND_STAGE_CONTENT, run, save, load};
