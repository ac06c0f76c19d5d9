#include "src/plan/run_plan.h"

#include "src/plan/plan_records.h"

#include <math.h>

/* Resident bytes of a rank without pages, as measured: less than is counted for the bound. */
static const double RESIDENT_BASE = 27e6;

/* Bytes of a rank's pages that lie in a spool of their own. */
typedef struct kept_bytes {
    double bytes;
    double room; /* most that is in memory while they are written */
    bool saved;  /* a checkpoint has all of them in a file afterwards */
} kept_bytes;

/* Sizes of a run, of one rank. */
typedef struct sizes {
    const nd_plan_task *task;
    const nd_plan_rates *rates;
    double ranks;
    double pages, text;                        /* text: bytes of tokens and sentences */
    double page_bytes, input_bytes;            /* of all pages of a rank */
    double tokens;                             /* of a page's content */
    double plain, plain_content, plain_tokens; /* bytes of texts as they are: of the whole, of what
                                                  is compared, and of its tokens */
    kept_bytes packed, names, digests;
    double masks;         /* bytes, of packed texts */
    double cache, packer; /* bytes in memory for packed texts that are in files, and to pack them */
    double signed_pages, postings, grouped, candidates, pairs, finds, links;
    double record, payload, digest; /* bytes of a page: see nd_plan_task; as a digest is kept */
    double chained;                 /* links between pages of a group, where those make the sets */
    double kept;                    /* bytes in the work folder between the stages */
} sizes;

static double rate_of(const sizes *s, nd_rate rate) {
    return nd_plan_rate(s->rates, rate, s->task->pages);
}

static double given(double value, double otherwise) {
    return value > 0 ? value : otherwise;
}

static kept_bytes keep(double bytes, double room, bool saved) {
    return (kept_bytes){.bytes = bytes, .room = room, .saved = saved};
}

static double beyond(double bytes, double room) {
    return fmax(0, bytes - room);
}

static double in_file(const kept_bytes *k) {
    return k->saved ? k->bytes : beyond(k->bytes, k->room);
}

static double in_memory(const kept_bytes *k) {
    return k->bytes - in_file(k);
}

/* Of what is read here and there, the part that comes from the file. */
static double from_file(const kept_bytes *k, double read) {
    return k->bytes > 0 ? read * in_file(k) / k->bytes : 0;
}

/* Of packed texts in files, what is read when all are gone through once more, in order: blocks stay
 * in memory, and those that come again first are the first to go. Of those that fit, too, some were
 * not kept: half, as measured. */
static double packed_again(const sizes *s) {
    const double file = in_file(&s->packed);
    return fmax(file / 2, fmin(file, 2 * (file - s->cache)));
}

/* The same for so many pages in so many lots, each in order. */
static double packed_pages(const sizes *s, double pages, double lots) {
    return fmin(pages * ND_PLAN_BLOCK_BYTES, lots * packed_again(s));
}

/* Before they are saved. */
static double while_written(const kept_bytes *k) {
    return fmin(k->bytes, k->room);
}

/* Texts as they are packed, where sentences are named that lie up to a window before: the further
 * they outgrow that, the fewer of them do. */
static double packed_bytes(double text, double rate, double window) {
    static const double LOST = 0.087; /* of the text, for each doubling: as measured */
    static const double MOST = 0.95;  /* where nothing repeats */
    const double beyond_window = text * rate > window ? log2(text * rate / window) : 0;
    return text * fmin(MOST, rate + LOST * beyond_window);
}

static void size_run(sizes *s) {
    const nd_plan_task *t = s->task;
    const nd_plan_memory *m = &t->memory;
    const double page_bytes = given(t->page_bytes, rate_of(s, ND_RATE_PAGE_BYTES));
    const double tokens = given(t->tokens, rate_of(s, ND_RATE_TOKENS) * page_bytes *
                                               (t->whole ? rate_of(s, ND_RATE_WHOLE) : 1));
    const double names = given(t->name_bytes, rate_of(s, ND_RATE_NAMES));
    s->ranks = t->ranks;
    s->pages = t->pages / t->ranks;
    s->page_bytes = s->pages * page_bytes;
    s->input_bytes = s->pages * given(t->input_bytes, rate_of(s, ND_RATE_INPUT) * page_bytes);
    s->text = s->pages * given(t->text_bytes, rate_of(s, ND_RATE_TEXT) * tokens);
    s->tokens = tokens * rate_of(s, ND_RATE_CONTENT_TOKENS);

    const double room = fmax(m->store - s->pages * m->per_page, m->store / 8);
    const double content = s->text * rate_of(s, ND_RATE_CONTENT);
    const double token_bytes = fmin(s->pages * ND_PLAN_TOKEN * tokens, s->text);
    const double content_bytes = fmin(s->pages * ND_PLAN_TOKEN * s->tokens, content);
    const double plain_room = t->checkpoints ? 0 : room * m->plain_share;
    const double plain = s->text > plain_room ? plain_room / s->text : 1; /* share of the texts */
    s->plain = s->text * plain;
    s->plain_content = content * plain;
    s->plain_tokens = content_bytes * plain;
    const double window = room * (t->checkpoints ? m->kept_read_share : m->read_share);
    const double packed = packed_bytes((s->text - s->plain), rate_of(s, ND_RATE_PACKED), window);
    s->packed = keep(packed, t->checkpoints ? 0 : room * m->packed_share, t->checkpoints);
    s->masks = (1 - plain) * (s->text - token_bytes) / ND_PLAN_SENTENCE / 8;
    s->cache =
        fmin(in_file(&s->packed), room * (t->checkpoints ? m->kept_read_share : m->read_share));
    const double table = room * (t->checkpoints ? m->kept_packer_share : m->packer_share);
    s->packer = plain < 1 ? ND_PLAN_PLACES * exp2(floor(log2(table / ND_PLAN_PLACES))) : 0;
    s->names = keep(s->pages * names, room * m->name_share, t->checkpoints);
    /* made anew when a run goes on, so that no checkpoint keeps them */
    s->record = given(t->record, ND_PLAN_RECORD);
    s->digest = fmin(rate_of(s, ND_RATE_DIGEST), s->record);
    s->payload = given(t->payload + t->payload_token * s->tokens, ND_PLAN_TOKEN * s->tokens);
    s->digests = keep(s->pages * s->digest, m->sort, false);

    /* in a group a page is paired with at most so many others, in the mean */
    static const double MOST_CANDIDATES = 8;
    s->signed_pages = s->pages * rate_of(s, ND_RATE_SIGNED);
    s->postings = s->signed_pages * rate_of(s, ND_RATE_POSTINGS);
    s->candidates = fmin(s->signed_pages * rate_of(s, ND_RATE_CANDIDATES),
                         given(t->neighbours, MOST_CANDIDATES) * s->postings);
    s->grouped = s->postings * rate_of(s, ND_RATE_GROUPED);
    s->chained = t->chained ? s->postings * rate_of(s, ND_RATE_CHAINED) : 0;
    s->pairs = s->signed_pages * rate_of(s, ND_RATE_PAIRS);
    s->pairs = t->chained ? s->pairs : fmin(s->pairs, s->candidates);
    s->finds = fmin(s->pairs * fmax(1, rate_of(s, ND_RATE_FINDS)), s->candidates);
    s->links = s->pairs * rate_of(s, ND_RATE_LINKS);
}

/* ---- what spills */

static double spooled(const sizes *s, double bytes) {
    return beyond(bytes, s->task->memory.spool);
}

/* Most bytes of a sort's run. The sorting takes the other half, where records are moved; large ones
 * stay where they are, and their keys and places are sorted. */
static double run_bytes(const sizes *s, double record) {
    enum { LARGE_RECORD = 64, PLACE = 32 };
    const double part = record < (double)LARGE_RECORD ? 0.5 : record / (record + (double)PLACE);
    return s->task->memory.sort * part;
}

static double sorted(const sizes *s, double bytes, double record) {
    return bytes > run_bytes(s, record) ? bytes : 0;
}

/* Small records are moved while they are sorted, which takes as much again; of large ones their
 * keys and places are. */
static double in_sort(const sizes *s, double bytes, double record) {
    const double beside = record > 32 ? 16 / record : 1;
    return fmin(run_bytes(s, record), bytes) * (1 + beside);
}

static double in_spool(const sizes *s, double bytes) {
    return fmin(s->task->memory.spool, bytes);
}

/* What stays in memory of all pages, whatever the stage. */
static double resident(const sizes *s) {
    return RESIDENT_BASE + s->pages * ND_PLAN_PAGE + in_memory(&s->names);
}

/* From signing on: contents without sentences, digests and where each begins, and of which pages
 * each is a copy. */
static double resident_signed(const sizes *s) {
    return resident(s) + s->plain_tokens + in_memory(&s->packed) + s->cache +
           in_memory(&s->digests) + s->pages * 3 * sizeof(double);
}

/* ---- stages; disk_bytes are counted for one rank here, cpu in microseconds of a core of speed 1
 */

static void plan_ingest(sizes *s, nd_plan_part *p) {
    const double pages = s->pages * ND_PLAN_PAGE;
    p->cpu = rate_of(s, ND_RATE_INGEST_TIME) * s->page_bytes / 1e3;
    p->memory = RESIDENT_BASE + pages + s->plain + while_written(&s->packed) + s->packer +
                while_written(&s->names);
    p->written = in_file(&s->packed) + in_file(&s->names);
    if (s->task->checkpoints) {
        p->written += pages;
        p->read = pages;
    }
    p->disk_bytes = p->written;
    s->kept = p->written;
}

/* First the fragments of the sample come together on their sites' ranks and are sorted; then their
 * marks, at home, and contents are selected: in place, or by masks. The sample is read as if it
 * were all pages: of large sites it is less. */
static void plan_content(sizes *s, nd_plan_part *p) {
    static const double SAMPLE_COPIES = 8; /* as measured */
    const double count = rate_of(s, ND_RATE_FRAGMENTS) * s->text / 1e3;
    const double fragments = count * ND_PLAN_FRAGMENT;
    const double marks = count * ND_PLAN_MARKS;
    const double masks = s->task->checkpoints ? s->masks : 0;
    const bool packs = s->task->memory.sort >= ND_PLAN_PACKED_SORT;
    const double runs =
        sorted(s, fragments, ND_PLAN_FRAGMENT) * (packs ? ND_PLAN_FRAGMENT_PACKED : 1);
    const double spilled = runs + spooled(s, marks) + sorted(s, marks, ND_PLAN_MARKS);
    const double pages = s->task->checkpoints ? s->pages * ND_PLAN_PAGE : 0;
    const double before = resident(s) + s->plain + in_memory(&s->packed) + s->cache +
                          (s->task->checkpoints ? 0 : s->packer);
    /* what is sent in rounds is there as it is made, as it is laid out, and as it arrives */
    const double in_rounds = (s->ranks > 1 ? 3 : 1) * fmin(s->task->memory.round, fragments);
    /* pages are sampled as they are made, laid out, received and sorted, and so are their sites' */
    const double sampling = s->pages * SAMPLE_COPIES * ND_PLAN_SAMPLE +
                            in_sort(s, fragments, ND_PLAN_FRAGMENT) +
                            fmax(in_rounds, in_spool(s, marks));
    p->cpu = rate_of(s, ND_RATE_CONTENT_TIME) * s->text / 1e3;
    p->sent = s->pages * (2 * ND_PLAN_SAMPLE + ND_PLAN_SAMPLED) + fragments + marks;
    p->read = in_file(&s->packed) + (count > 0 ? 2 : 1) * packed_again(s) + spilled;
    p->written = masks + spilled + pages;
    p->memory = before + sampling + in_sort(s, marks, ND_PLAN_MARKS) + s->masks;
    p->disk_bytes =
        s->kept + fmax(runs + spooled(s, marks), sorted(s, marks, ND_PLAN_MARKS) + masks + pages);
    s->kept += masks;
}

static void plan_sign(sizes *s, nd_plan_part *p) {
    const double hashes = s->pages * ND_PLAN_TEXT_HASH;
    const double postings = s->postings * ND_PLAN_POSTING;
    const double firsts = s->task->checkpoints ? s->pages * 2 * sizeof(double) : 0;
    const double digests = in_file(&s->digests);
    p->cpu = rate_of(s, ND_RATE_SIGN_TIME) * nd_plan_sort_work(s->postings * s->ranks) / s->ranks;
    p->sent = postings + rate_of(s, ND_RATE_SIGN_SENT) * s->pages;
    p->written = 2 * sorted(s, hashes, ND_PLAN_TEXT_HASH) + sorted(s, postings, ND_PLAN_POSTING) +
                 digests + firsts;
    p->read = packed_again(s) + 2 * sorted(s, hashes, ND_PLAN_TEXT_HASH);
    p->memory = resident(s) + s->plain_content + in_memory(&s->packed) + s->cache +
                s->pages * 3 * sizeof(double) +
                fmax(in_sort(s, hashes, ND_PLAN_TEXT_HASH),
                     while_written(&s->digests) + in_sort(s, postings, ND_PLAN_POSTING));
    p->disk_bytes = s->kept + fmax(sorted(s, hashes, ND_PLAN_TEXT_HASH),
                                   digests + sorted(s, postings, ND_PLAN_POSTING) + firsts);
    s->kept += digests + firsts;
}

/* The paper's own form: the pages of a group follow each other in a chain of links. */
static void plan_chains(sizes *s, nd_plan_part *p) {
    const double postings = sorted(s, s->postings * ND_PLAN_POSTING, ND_PLAN_POSTING);
    const double grouped = s->grouped * ND_PLAN_GROUPED;
    const double members = sorted(s, grouped, ND_PLAN_GROUPED);
    const double links = s->chained * ND_PLAN_LINK;
    const double stored = s->task->checkpoints ? links : spooled(s, links);
    p->cpu = rate_of(s, ND_RATE_BLOCK_TIME) * s->postings;
    p->sent = grouped;
    p->written = members + stored;
    p->read = 2 * postings + members;
    p->memory =
        resident_signed(s) + in_sort(s, grouped, ND_PLAN_GROUPED) +
        fmax(in_sort(s, s->postings * ND_PLAN_POSTING, ND_PLAN_POSTING), in_spool(s, links));
    p->disk_bytes = s->kept + members + fmax(postings, stored);
    s->kept += stored;
}

static void plan_block(sizes *s, nd_plan_part *p) {
    if (s->task->chained) {
        plan_chains(s, p);
        return;
    }
    const double postings = sorted(s, s->postings * ND_PLAN_POSTING, ND_PLAN_POSTING);
    const double grouped = s->grouped * ND_PLAN_GROUPED;
    const double members = sorted(s, grouped, ND_PLAN_GROUPED);
    const double pairs = s->pairs * ND_PLAN_PAIR;
    const double stored = s->task->checkpoints ? pairs : spooled(s, pairs);
    const double lots =
        nd_plan_block_lots(s->candidates * s->ranks, s->record, s->ranks, s->task->memory.batch);
    const double finds = nd_plan_finds(s->pairs, s->finds, lots) * ND_PLAN_FIND;
    const double fetches = nd_plan_fetches(s->signed_pages * rate_of(s, ND_RATE_BLOCK_PAGES),
                                           rate_of(s, ND_RATE_BLOCK_MEETINGS), lots);
    /* of a lot: its candidates with their pages, and digests as they come and as they are compared
     */
    const double worked_on = s->candidates * (2 * ND_PLAN_CANDIDATE + 2 * ND_PLAN_ASK) +
                             fetches * (s->digest + s->record);
    /* a sort that is full is rid of those found again */
    const bool fit = s->pairs * ND_PLAN_FIND < run_bytes(s, ND_PLAN_FIND) * 3 / 4;
    const double runs = fit ? 0 : sorted(s, finds, ND_PLAN_FIND);
    p->cpu = rate_of(s, ND_RATE_BLOCK_TIME) * s->candidates;
    p->sent = grouped + fetches * (s->digest + 2 * ND_PLAN_ASK) + finds;
    p->written = members + runs + stored;
    /* postings are read to find the big groups, and again */
    p->read = 2 * postings + members + runs + from_file(&s->digests, fetches * s->digest);
    p->memory =
        resident_signed(s) + in_sort(s, grouped, ND_PLAN_GROUPED) +
        fmax(in_sort(s, s->postings * ND_PLAN_POSTING, ND_PLAN_POSTING),
             in_sort(s, finds, ND_PLAN_FIND) + in_spool(s, pairs) + worked_on * s->ranks / lots);
    p->disk_bytes = s->kept + fmax(postings + members, fmax(members, stored) + runs);
    s->kept += stored;
}

static double payload_bytes(const sizes *s) {
    return s->payload + ND_PLAN_ASK;
}

/* Pairs are sorted by item, dealt, sorted again, and stored as they are dealt; with checkpoints the
 * stored ones replace those before. */
static void plan_verify(sizes *s, nd_plan_part *p) {
    const double pairs = s->pairs * ND_PLAN_PAIR;
    const double links = s->links * ND_PLAN_LINK;
    const double before = s->task->checkpoints ? pairs : spooled(s, pairs);
    const double runs = sorted(s, pairs, ND_PLAN_PAIR);
    const double linked = s->task->checkpoints ? links : spooled(s, links);
    const double sorts = s->ranks > 1 ? 2 : 1;
    const double lots =
        nd_plan_verify_lots(s->pairs * s->ranks, s->payload, s->ranks, s->task->memory.batch);
    const double fetches = nd_plan_fetches(s->signed_pages * rate_of(s, ND_RATE_VERIFY_PAGES),
                                           rate_of(s, ND_RATE_VERIFY_MEETINGS), lots);
    p->cpu = rate_of(s, ND_RATE_VERIFY_TIME) * s->pairs * s->tokens / 1e3;
    p->sent = s->pairs * ND_PLAN_DEALT + fetches * payload_bytes(s);
    p->written = sorts * runs + before + spooled(s, links) + linked;
    p->read =
        2 * before + sorts * runs + spooled(s, links) + packed_pages(s, fetches, lots / s->ranks);
    p->memory = resident_signed(s) + sorts * in_sort(s, pairs, ND_PLAN_PAIR) + in_spool(s, pairs) +
                in_spool(s, links) + 2 * fmin(s->task->memory.batch / 8, pairs) +
                2 * fetches * payload_bytes(s) * s->ranks / lots;
    p->disk_bytes = s->kept + fmax(runs + fmax(runs, before), before + spooled(s, links) + linked);
    s->kept += linked - before;
}

/* Offers are written again after each round, for the links that still lead from one component to
 * another: some fourth of them in all, as measured. */
static void plan_join(sizes *s, nd_plan_part *p) {
    static const double OFFER_ROUNDS = 1.25;
    const double linked =
        s->task->checkpoints ? s->links * ND_PLAN_LINK : spooled(s, s->links * ND_PLAN_LINK);
    const double offers = spooled(s, s->links * ND_PLAN_OFFER);
    const double trees = sorted(s, s->links * ND_PLAN_TREE_LINK, ND_PLAN_TREE_LINK);
    const double memberships = spooled(s, s->signed_pages * ND_PLAN_MEMBERSHIP);
    const double members = s->task->checkpoints ? s->pages * ND_PLAN_MEMBER : 0;
    const double fetched = s->links * rate_of(s, ND_RATE_JOIN_PAGES);
    const double page = payload_bytes(s) + s->digest;
    /* a lot counts both pages of a link, however often they come again */
    const double counted = s->links * (ND_PLAN_TREE_LINK + 2 * page);
    const double lot =
        fetched * page * (counted > 0 ? fmin(s->task->memory.batch, counted) / counted : 0);
    p->cpu = rate_of(s, ND_RATE_JOIN_TIME) * s->links;
    p->sent = fetched * page + s->links * ND_PLAN_TREE_LINK;
    p->written = OFFER_ROUNDS * offers + trees + memberships + members;
    p->read = linked + OFFER_ROUNDS * offers + trees + memberships + packed_pages(s, fetched, 1) +
              from_file(&s->digests, fetched * s->digest);
    p->memory = resident_signed(s) +
                fmax(s->pages * (ND_PLAN_OFFER + 4 * sizeof(double)), s->pages * ND_PLAN_MEMBER) +
                in_sort(s, s->links * ND_PLAN_TREE_LINK, ND_PLAN_TREE_LINK) +
                2 * in_spool(s, s->links * ND_PLAN_OFFER) + 2 * lot;
    p->disk_bytes = s->kept + fmax(2 * offers, offers + trees) + memberships + members;
    s->kept += members - (s->task->keeps_pairs ? 0 : linked);
}

/* Perhaps-similar sets of links or of pairs, each on one rank, whose pages are compared with those
 * that open sets. */
static void plan_leaders(sizes *s, nd_plan_part *p) {
    static const double SET_PAGE = 32; /* a page of such a set on its way */
    static const double UNEVEN = 2;    /* sets are dealt by their comparisons, not their pages */
    const nd_plan_task *t = s->task;
    const double links = t->chained ? s->chained : s->pairs;
    const double before = links * (t->chained ? ND_PLAN_LINK : ND_PLAN_PAIR);
    const double taken = t->checkpoints ? before : spooled(s, before);
    const double copied = t->chained ? 0 : spooled(s, links * ND_PLAN_LINK);
    const double forest = fmin(links, s->signed_pages);
    const double offers = spooled(s, links * ND_PLAN_OFFER);
    const double trees = sorted(s, forest * ND_PLAN_TREE_LINK, ND_PLAN_TREE_LINK);
    const double perhaps = s->signed_pages * rate_of(s, ND_RATE_PERHAPS);
    const double page = payload_bytes(s) + s->digest;
    const double memberships = spooled(s, perhaps * ND_PLAN_MEMBERSHIP);
    const double members = t->checkpoints ? s->pages * ND_PLAN_MEMBER : 0;
    p->cpu = rate_of(s, ND_RATE_LEADERS_TIME) * s->pairs * s->tokens / 1e3;
    p->sent = forest * ND_PLAN_TREE_LINK + perhaps * (SET_PAGE + page);
    p->written = copied + offers + trees + memberships + members;
    p->read = taken + copied + offers + trees + memberships + packed_pages(s, perhaps, 1) +
              from_file(&s->digests, perhaps * s->digest);
    p->memory = resident_signed(s) +
                fmax(s->pages * (ND_PLAN_OFFER + 4 * sizeof(double)), s->pages * ND_PLAN_MEMBER) +
                in_sort(s, forest * ND_PLAN_TREE_LINK, ND_PLAN_TREE_LINK) +
                2 * in_spool(s, links * ND_PLAN_OFFER) + 2 * perhaps * SET_PAGE +
                fmin(t->memory.batch, UNEVEN * perhaps * (page + s->record));
    p->disk_bytes = s->kept + copied + fmax(2 * offers, offers + trees) + memberships + members;
    s->kept += members - taken;
}

/* Pages inside of others: keys meet, hits go back to the pages that asked, and pairs are compared
 * in rounds. A fifth of the work is for the keys of all pages, whoever asks. */
static void plan_contain(sizes *s, nd_plan_part *p) {
    static const double FIXED = 0.2;
    static const double FILTER = 96; /* bytes for each page that asks, on every rank */
    const double asking = s->task->asking;
    const double keys = s->pages * asking * rate_of(s, ND_RATE_CONTAIN_KEYS);
    const double pairs = s->pages * asking * rate_of(s, ND_RATE_CONTAIN_PAIRS);
    const double payload = payload_bytes(s);
    const double sent = nd_plan_contain_sent(keys, pairs, payload);
    const double hits = nd_plan_contain_sent(keys, 0, 0) - keys * ND_PLAN_CONTAIN_KEY;
    const double found = pairs * ND_PLAN_LINK; /* at most */
    const double stored = s->task->checkpoints ? found : spooled(s, found);
    const double fetched = nd_plan_contain_sent(0, pairs, payload) - pairs * ND_PLAN_CONTAIN_PAIR;
    const double spilled = sorted(s, keys * ND_PLAN_CONTAIN_KEY, ND_PLAN_CONTAIN_KEY) +
                           sorted(s, hits, ND_PLAN_CONTAIN_HIT);
    p->cpu = rate_of(s, ND_RATE_CONTAIN_TIME) * (FIXED + (1 - FIXED) * asking) * s->pages *
             s->tokens / 1e3;
    p->sent = sent;
    p->written = spilled + stored;
    p->read = spilled + 2 * packed_again(s) + packed_pages(s, fetched / payload, 1);
    p->memory = resident_signed(s) + s->pages * (ND_PLAN_MEMBER + 2 * sizeof(double)) +
                fmin(FILTER * s->pages * s->ranks * asking, s->task->memory.sort / 4) +
                in_sort(s, keys * ND_PLAN_CONTAIN_KEY, ND_PLAN_CONTAIN_KEY) +
                in_sort(s, hits, ND_PLAN_CONTAIN_HIT) + 2 * fmin(s->task->memory.batch, fetched) +
                in_spool(s, found);
    p->disk_bytes = s->kept + spilled + stored;
    s->kept += stored;
}

/* Numbers of sets, and every page on its way to its set's rank; pairs that are kept are sorted. */
static void plan_write(sizes *s, nd_plan_part *p) {
    const double pairs = s->task->keeps_pairs ? s->links * ND_PLAN_LINK : 0;
    const double runs = sorted(s, pairs, ND_PLAN_PAIR);
    p->cpu = rate_of(s, ND_RATE_WRITE_TIME) * s->pages;
    p->sent = rate_of(s, ND_RATE_WRITE_SENT) * s->pages + pairs;
    p->written = runs;
    p->read = 2 * in_file(&s->names) + runs + (s->task->checkpoints ? pairs : spooled(s, pairs));
    p->memory = resident_signed(s) + s->pages * (ND_PLAN_MEMBER + 4 * sizeof(double)) +
                fmax(fmin(s->task->memory.round, s->names.bytes), in_sort(s, pairs, ND_PLAN_LINK));
    p->disk_bytes = s->kept + runs;
}

/* ---- all stages */

static void plan_time(const sizes *s, nd_plan_stage stage, double result_bytes, nd_plan_part *p) {
    const nd_plan_task *t = s->task;
    const double on_node = t->ranks / t->nodes;
    /* files of a node that the system's own memory holds, beside what the ranks have (a fifth of
     * the node), cost their writing alone */
    const bool cached = p->disk_bytes < t->memory.total / 4;
    p->cpu = p->cpu / 1e6 / t->speed;
    p->network = p->sent * on_node * (t->nodes - 1) / t->nodes / t->network;
    p->disk = (p->written + (cached ? 0 : p->read)) * on_node / t->disk;
    p->disk += stage == ND_PLAN_INGEST ? s->input_bytes * on_node / t->input_disk : 0;
    p->disk += stage == ND_PLAN_WRITE ? result_bytes / t->nodes / t->disk : 0;
    /* the system writes what it was given, and reads ahead, while ranks work */
    p->seconds = fmax(p->cpu, p->disk) + p->network;
}

bool nd_plan_has(const nd_plan_task *task, nd_plan_stage stage) {
    return stage == ND_PLAN_CONTAIN                           ? task->asking > 0
           : stage == ND_PLAN_LEADERS                         ? task->leaders
           : stage == ND_PLAN_VERIFY || stage == ND_PLAN_JOIN ? !task->leaders
                                                              : true;
}

nd_plan nd_plan_make(const nd_plan_task *task, const nd_plan_rates *rates) {
    static const double EMPTY_FILE = 95e3; /* groups, tables, space left in chunks */
    static const double PAIR_ROW = 6;      /* of 20 bytes, as they were packed */
    static void (*const stages[ND_PLAN_STAGES])(sizes * s, nd_plan_part * p) = {
        plan_ingest, plan_content, plan_sign,    plan_block, plan_verify,
        plan_join,   plan_leaders, plan_contain, plan_write};
    nd_plan plan = {0};
    sizes s = {.task = task, .rates = rates};
    size_run(&s);
    const double pairs_kept = task->keeps_pairs ? s.links : 0;
    plan.result_bytes = EMPTY_FILE + s.ranks * pairs_kept * PAIR_ROW +
                        s.ranks * (s.pages * rate_of(&s, ND_RATE_COLUMNS) +
                                   s.names.bytes * rate_of(&s, ND_RATE_NAME_COLUMNS));
    /* a quarter of the bound is left for what is not counted page by page */
    plan.smallest_memory = (ceil(s.pages) * task->memory.per_page + task->memory.base) * 4 / 3;
    plan.candidates = s.candidates * s.ranks;
    plan.pairs = s.pairs * s.ranks;
    plan.links = s.links * s.ranks;
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        nd_plan_part *p = &plan.parts[i];
        if (!nd_plan_has(task, (nd_plan_stage)i)) {
            continue;
        }
        stages[i](&s, p);
        plan_time(&s, (nd_plan_stage)i, plan.result_bytes, p);
        p->sent *= (s.ranks - 1) / s.ranks; /* the rest stays */
        p->disk_bytes *= s.ranks;
        plan.seconds += p->seconds;
        plan.sent += p->sent;
        plan.written += p->written;
        plan.read += p->read;
        plan.memory = fmax(plan.memory, p->memory);
        if (p->disk_bytes > plan.disk_bytes) {
            plan.disk_bytes = p->disk_bytes;
            plan.disk_stage = (nd_plan_stage)i;
        }
    }
    return plan;
}
