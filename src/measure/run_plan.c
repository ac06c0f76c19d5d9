#include "src/measure/run_plan.h"

#include "src/measure/plan_records.h"

#include <math.h>

/* Resident bytes of a rank without pages, as measured: less than is counted for the bound. */
static const double RESIDENT_BASE = 27e6;

/* Sizes of a run; those in capitals in comments are of all ranks, all others of one. */
typedef struct sizes {
    const nd_plan_task *task;
    const nd_plan_rates *rates;
    double ranks;
    double pages, text, content, names; /* bytes but for pages */
    double page_bytes, input_bytes;     /* of all pages of a rank */
    double tokens;                      /* of a page's content */
    double signed_pages, postings, candidates, pairs, finds, links;
    bool text_spills, content_spills, names_spill;
    double kept;     /* bytes in the work folder between the stages */
    double document; /* bytes of a page's content */
} sizes;

static double rate_of(const sizes *s, nd_rate rate) {
    return nd_plan_rate(s->rates, rate, s->task->pages);
}

static double given(double value, double otherwise) {
    return value > 0 ? value : otherwise;
}

/* Parts of the store, as the page store shares it out. */
static double text_room(const sizes *s) {
    return s->task->memory.store * 7 / 8;
}

static double name_room(const sizes *s) {
    return s->task->memory.store / 8;
}

static void size_pages(sizes *s) {
    const nd_plan_task *t = s->task;
    const double page_bytes = given(t->page_bytes, rate_of(s, ND_RATE_PAGE_BYTES));
    const double tokens = given(t->tokens, rate_of(s, ND_RATE_TOKENS) * page_bytes);
    const double text = given(t->text_bytes, rate_of(s, ND_RATE_TEXT) * tokens);
    s->ranks = t->ranks;
    s->pages = t->pages / t->ranks;
    s->page_bytes = s->pages * page_bytes;
    s->input_bytes = s->pages * given(t->input_bytes, rate_of(s, ND_RATE_INPUT) * page_bytes);
    s->text = s->pages * text;
    s->names = s->pages * given(t->name_bytes, rate_of(s, ND_RATE_NAMES));
    s->document = text * rate_of(s, ND_RATE_CONTENT);
    s->content = s->pages * s->document;
    s->tokens = tokens * rate_of(s, ND_RATE_CONTENT_TOKENS);
    s->text_spills = t->checkpoints || s->text > text_room(s);
    s->content_spills = t->checkpoints || s->content > text_room(s);
    s->names_spill = t->checkpoints || s->names > name_room(s);
}

/* In a group a page is paired with at most 8 others, in the mean. */
static void size_pairs(sizes *s) {
    static const double MOST_CANDIDATES = 8;
    s->signed_pages = s->pages * rate_of(s, ND_RATE_SIGNED);
    s->postings = s->signed_pages * rate_of(s, ND_RATE_POSTINGS);
    s->candidates =
        fmin(s->signed_pages * rate_of(s, ND_RATE_CANDIDATES), MOST_CANDIDATES * s->postings);
    s->pairs = fmin(s->signed_pages * rate_of(s, ND_RATE_PAIRS), s->candidates);
    s->finds = fmin(s->pairs * fmax(1, rate_of(s, ND_RATE_FINDS)), s->candidates);
    s->links = s->pairs * rate_of(s, ND_RATE_LINKS);
}

/* ---- what spills */

static double spooled(const sizes *s, double bytes) {
    return bytes > s->task->memory.spool ? bytes : 0;
}

/* A sort's runs are half of its memory: the sorting takes the other half. */
static double sorted(const sizes *s, double bytes) {
    return bytes > s->task->memory.sort / 2 ? bytes : 0;
}

static double in_sort(const sizes *s, double bytes) {
    return fmin(s->task->memory.sort, 2 * bytes);
}

static double in_spool(const sizes *s, double bytes) {
    return fmin(s->task->memory.spool, bytes);
}

static double in_batch(const sizes *s, double bytes) {
    return fmin(s->task->memory.batch, bytes);
}

/* What stays in memory of all pages from content selection on. */
static double resident(const sizes *s) {
    return RESIDENT_BASE + s->pages * ND_PLAN_PAGE + (s->content_spills ? 0 : s->content) +
           (s->names_spill ? 0 : s->names);
}

/* ---- stages; disk_bytes are counted for one rank here */

static void plan_ingest(sizes *s, nd_plan_part *p) {
    const double text = fmin(s->text, text_room(s));
    const double names = fmin(s->names, name_room(s));
    p->memory = RESIDENT_BASE + s->pages * ND_PLAN_PAGE + text + names;
    if (s->task->checkpoints) {
        p->written = s->text + s->names + s->pages * ND_PLAN_PAGE;
        p->read = s->pages * ND_PLAN_PAGE;
    } else {
        p->written = (s->text_spills ? s->text : 0) + (s->names_spill ? s->names : 0);
    }
    p->disk_bytes = p->written;
    s->kept = p->written;
}

/* The old text goes when the new one is complete. The lists of templates go to every rank that has
 * pages of their sites, all at once: they are there as they are sent and as they arrive. */
static void plan_content(sizes *s, nd_plan_part *p) {
    const double each = rate_of(s, ND_RATE_SITES) > 0 ? 1 / rate_of(s, ND_RATE_SITES) : 0;
    const double templates = s->pages * rate_of(s, ND_RATE_SITES) * ND_PLAN_TEMPLATE_ENTRY *
                             rate_of(s, ND_RATE_TEMPLATE) * nd_plan_fetches(1, each, s->ranks);
    const double sample = rate_of(s, ND_RATE_SAMPLE_SENT) * s->text;
    p->sent = sample + templates;
    p->read = s->text_spills ? 2 * s->text : 0; /* for the sample, and to select */
    p->written = s->content_spills ? s->content : 0;
    p->memory = resident(s) + (s->text_spills ? 0 : s->text) +
                (s->content_spills ? fmin(s->content, text_room(s)) : 0) +
                s->pages * 2 * ND_PLAN_SAMPLE + in_batch(s, sample) + 2 * templates;
    if (s->task->checkpoints) {
        p->written += s->pages * ND_PLAN_PAGE;
    }
    p->disk_bytes = s->kept + p->written;
    s->kept = (s->content_spills ? s->content : 0) + (s->names_spill ? s->names : 0) +
              (s->task->checkpoints ? s->pages * ND_PLAN_PAGE : 0);
}

static void plan_sign(sizes *s, nd_plan_part *p) {
    const double hashes = s->pages * ND_PLAN_TEXT_HASH;
    const double postings = s->postings * ND_PLAN_POSTING;
    const double firsts = s->task->checkpoints ? s->pages * 2 * sizeof(double) : 0;
    const double spilled = 2 * sorted(s, hashes) + sorted(s, postings);
    p->sent = postings + rate_of(s, ND_RATE_SIGN_SENT) * s->pages;
    p->written = spilled + firsts;
    p->read = (s->content_spills ? s->document * s->signed_pages : 0) + 2 * sorted(s, hashes);
    p->memory = resident(s) + s->pages * 2 * sizeof(double) +
                fmax(in_sort(s, hashes), in_sort(s, postings));
    p->disk_bytes = s->kept + fmax(sorted(s, hashes), sorted(s, postings) + firsts);
    s->kept += firsts;
}

static double block_fetches(const sizes *s) {
    const double lots =
        nd_plan_block_lots(s->candidates * s->ranks, s->ranks, s->task->memory.batch);
    return nd_plan_fetches(s->signed_pages * rate_of(s, ND_RATE_BLOCK_PAGES),
                           rate_of(s, ND_RATE_BLOCK_MEETINGS), lots);
}

static void plan_block(sizes *s, nd_plan_part *p) {
    const double postings = sorted(s, s->postings * ND_PLAN_POSTING);
    const double finds = s->finds * ND_PLAN_PAIR;
    const double pairs = s->pairs * ND_PLAN_PAIR;
    const double stored = s->task->checkpoints ? pairs : spooled(s, pairs);
    const double fetches = block_fetches(s);
    p->sent = fetches * (ND_PLAN_DIGEST + ND_PLAN_ASK) + finds;
    p->written = sorted(s, finds) + stored;
    /* postings are read to find the big groups, and again */
    p->read = 2 * postings + sorted(s, finds) + (s->content_spills ? fetches * s->document : 0);
    p->memory = resident(s) + s->pages * 2 * sizeof(double) +
                in_sort(s, s->postings * ND_PLAN_POSTING) + in_sort(s, finds) + in_spool(s, pairs) +
                in_batch(s, s->candidates * 2 * ND_PLAN_CANDIDATE);
    p->disk_bytes = s->kept + sorted(s, finds) + fmax(postings, stored);
    s->kept += stored;
}

static double payload_bytes(const sizes *s) {
    return ND_PLAN_TOKEN * s->tokens + ND_PLAN_ASK;
}

/* Pairs are sorted by item, dealt, sorted again, and stored as they are dealt; with checkpoints the
 * stored ones replace those before. */
static void plan_verify(sizes *s, nd_plan_part *p) {
    const double pairs = s->pairs * ND_PLAN_PAIR;
    const double links = s->links * ND_PLAN_LINK;
    const double before = s->task->checkpoints ? pairs : spooled(s, pairs);
    const double runs = sorted(s, pairs);
    const double linked = s->task->checkpoints ? links : spooled(s, links);
    const double sorts = s->ranks > 1 ? 2 : 1;
    const double lots =
        nd_plan_verify_lots(s->pairs * s->ranks, s->tokens, s->ranks, s->task->memory.batch);
    const double fetches = nd_plan_fetches(s->signed_pages * rate_of(s, ND_RATE_VERIFY_PAGES),
                                           rate_of(s, ND_RATE_VERIFY_MEETINGS), lots);
    p->sent = s->pairs * ND_PLAN_DEALT + fetches * payload_bytes(s);
    p->written = sorts * runs + before + 2 * linked;
    p->read = 2 * before + sorts * runs + linked + (s->content_spills ? fetches * s->document : 0);
    p->memory = resident(s) + s->pages * 2 * sizeof(double) + in_sort(s, pairs) +
                in_spool(s, pairs) + in_spool(s, links) +
                2 * in_batch(s, fetches * payload_bytes(s));
    p->disk_bytes = s->kept + fmax(runs + fmax(runs, before), before + 2 * linked);
    s->kept += linked - before;
}

static void plan_join(sizes *s, nd_plan_part *p) {
    const double linked =
        s->task->checkpoints ? s->links * ND_PLAN_LINK : spooled(s, s->links * ND_PLAN_LINK);
    const double offers = spooled(s, s->links * ND_PLAN_OFFER);
    const double trees = sorted(s, s->links * ND_PLAN_TREE_LINK);
    const double memberships = spooled(s, s->signed_pages * ND_PLAN_MEMBERSHIP);
    const double members = s->task->checkpoints ? s->pages * ND_PLAN_MEMBER : 0;
    const double fetched = s->links * rate_of(s, ND_RATE_JOIN_PAGES);
    p->sent = fetched * (payload_bytes(s) + ND_PLAN_DIGEST);
    p->written = 2 * offers + trees + memberships + members;
    p->read = linked + 2 * offers + trees + memberships +
              (s->content_spills ? 2 * fetched * s->document : 0);
    p->memory = resident(s) + s->pages * 2 * sizeof(double) +
                fmax(s->pages * (ND_PLAN_OFFER + 4 * sizeof(double)), s->pages * ND_PLAN_MEMBER) +
                in_sort(s, s->links * ND_PLAN_TREE_LINK) +
                2 * in_spool(s, s->links * ND_PLAN_OFFER) + in_batch(s, p->sent);
    p->disk_bytes = s->kept + fmax(2 * offers, offers + trees) + memberships + members;
    s->kept += members - linked;
}

/* Numbers of sets, and every page on its way to its set's rank. */
static void plan_write(sizes *s, nd_plan_part *p) {
    p->sent = rate_of(s, ND_RATE_WRITE_SENT) * s->pages;
    p->read = s->names_spill ? 2 * s->names : 0;
    p->memory = resident(s) +
                s->pages * (2 * sizeof(double) + ND_PLAN_MEMBER + 4 * sizeof(double)) +
                fmin(s->task->memory.round, s->names);
    p->disk_bytes = s->kept;
}

/* ---- time */

/* Microseconds of all ranks, for one rank's share. */
static double cpu_microseconds(const sizes *s, nd_plan_stage stage) {
    switch (stage) {
    case ND_PLAN_INGEST:
        return rate_of(s, ND_RATE_INGEST_TIME) * s->page_bytes / 1e3;
    case ND_PLAN_CONTENT:
        return rate_of(s, ND_RATE_CONTENT_TIME) * s->text / 1e3;
    case ND_PLAN_SIGN:
        return rate_of(s, ND_RATE_SIGN_TIME) * nd_plan_sort_work(s->postings * s->ranks) / s->ranks;
    case ND_PLAN_BLOCK:
        return rate_of(s, ND_RATE_BLOCK_TIME) * s->candidates;
    case ND_PLAN_VERIFY:
        return rate_of(s, ND_RATE_VERIFY_TIME) * s->pairs * s->tokens / 1e3;
    case ND_PLAN_JOIN:
        return rate_of(s, ND_RATE_JOIN_TIME) * s->links;
    default:
        return rate_of(s, ND_RATE_WRITE_TIME) * s->pages;
    }
}

/* Files of a node that the system's own memory holds, beside what the ranks have (a fifth of the
 * node), cost their writing alone. */
static double disk_seconds(const sizes *s, const nd_plan_part *p) {
    const nd_plan_task *t = s->task;
    const double on_node = t->ranks / t->nodes;
    const bool cached = p->disk_bytes < t->memory.total / 4;
    return (p->written + (cached ? 0 : p->read)) * on_node / t->disk;
}

static void plan_time(const sizes *s, nd_plan_stage stage, double result_bytes, nd_plan_part *p) {
    const nd_plan_task *t = s->task;
    const double on_node = t->ranks / t->nodes;
    const double input = s->input_bytes * on_node / t->input_disk;
    p->cpu = cpu_microseconds(s, stage) / 1e6 / t->speed;
    p->network = p->sent * on_node * (t->nodes - 1) / t->nodes / t->network;
    p->disk = disk_seconds(s, p);
    p->disk += stage == ND_PLAN_WRITE ? result_bytes / t->nodes / t->disk : 0;
    p->seconds = p->cpu + p->network + p->disk;
    if (stage == ND_PLAN_INGEST) { /* while one rank waits for its input, others work */
        p->seconds = fmax(p->cpu, input) + p->disk;
        p->disk += input;
    }
}

/* ---- all stages */

static double result_bytes(const sizes *s) {
    static const double EMPTY_FILE = 95e3; /* groups, tables, space left in chunks */
    return EMPTY_FILE + s->ranks * (s->pages * rate_of(s, ND_RATE_COLUMNS) +
                                    s->names * rate_of(s, ND_RATE_NAME_COLUMNS));
}

/* A quarter of the bound is left for what is not counted page by page. */
static double smallest_memory(const sizes *s) {
    const nd_plan_memory *m = &s->task->memory;
    return (ceil(s->pages) * m->per_page + m->base) * 4 / 3;
}

static void add_part(nd_plan *plan, nd_plan_stage stage) {
    const nd_plan_part *p = &plan->parts[stage];
    plan->seconds += p->seconds;
    plan->sent += p->sent;
    plan->written += p->written;
    plan->read += p->read;
    plan->memory = fmax(plan->memory, p->memory);
    if (p->disk_bytes > plan->disk_bytes) {
        plan->disk_bytes = p->disk_bytes;
        plan->disk_stage = stage;
    }
}

nd_plan nd_plan_make(const nd_plan_task *task, const nd_plan_rates *rates) {
    static void (*const stages[ND_PLAN_STAGES])(sizes * s, nd_plan_part * p) = {
        plan_ingest, plan_content, plan_sign, plan_block, plan_verify, plan_join, plan_write};
    nd_plan plan = {0};
    sizes s = {.task = task, .rates = rates};
    size_pages(&s);
    size_pairs(&s);
    plan.result_bytes = result_bytes(&s);
    plan.smallest_memory = smallest_memory(&s);
    plan.candidates = s.candidates * s.ranks;
    plan.pairs = s.pairs * s.ranks;
    plan.links = s.links * s.ranks;
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        nd_plan_part *p = &plan.parts[i];
        stages[i](&s, p);
        plan_time(&s, (nd_plan_stage)i, plan.result_bytes, p);
        p->sent *= (s.ranks - 1) / s.ranks; /* the rest stays */
        p->disk_bytes *= s.ranks;
        add_part(&plan, (nd_plan_stage)i);
    }
    return plan;
}
