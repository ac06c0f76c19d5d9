/* Plans: what the arithmetic promises, whatever the rates are; and sums that can be done by hand.
 */
#include "src/plan/plan_records.h"
#include "src/plan/run_plan.h"
#include "tests/support/check.h"

#include <math.h>

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Plenty of memory, one node, no checkpoints. */
static nd_plan_task ample_task(double pages, double ranks) {
    return (nd_plan_task){.pages = pages,
                          .page_bytes = 20000,
                          .input_bytes = 8000,
                          .tokens = 2000,
                          .text_bytes = 13000,
                          .name_bytes = 70,
                          .nodes = 1,
                          .ranks = ranks,
                          .memory = {.total = 1e12,
                                     .store = 1e11,
                                     .sort = 1e11,
                                     .spool = 1e11,
                                     .batch = 1e11,
                                     .round = 1e10,
                                     .plain_share = .25,
                                     .packed_share = .25,
                                     .read_share = .25,
                                     .packer_share = .125,
                                     .kept_read_share = .75,
                                     .kept_packer_share = .125,
                                     .name_share = .125,
                                     .per_page = 240,
                                     .base = 1e8},
                          .speed = 1,
                          .input_disk = 500e6,
                          .disk = 500e6,
                          .network = 1e9};
}

static nd_plan_task tight_task(double pages, double ranks) {
    nd_plan_task task = ample_task(pages, ranks);
    task.memory = (nd_plan_memory){.total = 3e8,
                                   .store = 2e7,
                                   .sort = 1e7,
                                   .spool = 3e6,
                                   .batch = 2e7,
                                   .round = 3e6,
                                   .plain_share = .25,
                                   .packed_share = .25,
                                   .read_share = .25,
                                   .packer_share = .125,
                                   .kept_read_share = .75,
                                   .kept_packer_share = .125,
                                   .name_share = .125,
                                   .per_page = 240,
                                   .base = 1e8};
    return task;
}

static nd_plan make(const nd_plan_task *task) {
    const nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    return nd_plan_make(task, &rates);
}

static void test_in_memory(void) {
    const nd_plan_task task = ample_task(1e5, 1);
    const nd_plan plan = make(&task);
    CU_ASSERT(plan.written == 0 && plan.read == 0 && plan.disk_bytes == 0);
    CU_ASSERT(plan.sent == 0); /* to whom? */
    CU_ASSERT(plan.result_bytes > 1e5 * 10 && plan.result_bytes < 1e5 * 100);
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        const nd_plan_part *p = &plan.parts[i];
        CU_ASSERT(p->network == 0 && (p->seconds > 0) == nd_plan_has(&task, (nd_plan_stage)i));
        CU_ASSERT(near(p->memory, fmin(p->memory, plan.memory)));
    }
    /* texts as they were read, in which contents take their place, and what sorts them */
    CU_ASSERT(plan.memory > 1e5 * 13000 && plan.memory < 1e5 * 13000 * 1.8);
}

/* With checkpoints there are, while contents are selected, the pages twice, packed texts, names and
 * masks; and before that, pages, texts and names. */
static void test_checkpoints(void) {
    nd_plan_task task = ample_task(1e5, 4);
    task.checkpoints = true;
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_PACKED] = 0.2;
    rates.per_doubling[ND_RATE_PACKED] = 0;
    const nd_plan plan = nd_plan_make(&task, &rates);
    const double masks = (13000 - ND_PLAN_TOKEN * 2000) / 32. / 8;
    const double read = ND_PLAN_PAGE + 2600 + 70;
    CU_ASSERT(near(plan.parts[ND_PLAN_INGEST].written * 4, 1e5 * read));
    CU_ASSERT(near(plan.parts[ND_PLAN_INGEST].disk_bytes, 1e5 * read));
    CU_ASSERT(near(plan.parts[ND_PLAN_CONTENT].written * 4, 1e5 * (ND_PLAN_PAGE + masks)));
    CU_ASSERT(near(plan.parts[ND_PLAN_CONTENT].disk_bytes, 1e5 * (read + ND_PLAN_PAGE + masks)));
    CU_ASSERT(near(plan.disk_bytes, fmax(plan.parts[plan.disk_stage].disk_bytes, plan.disk_bytes)));
    /* at the end: two numbers of a page, and where it belongs, beside all that */
    CU_ASSERT(near(plan.parts[ND_PLAN_WRITE].disk_bytes, 1e5 * (read + masks + 16 + 32)));
}

/* Texts that do not fit as they are are packed, and packed ones that do not fit are in files, of
 * which no more is read again than memory does not hold. */
static void test_packed(void) {
    nd_plan_task task = ample_task(1e5, 1);
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_PACKED] = 0.2;
    rates.per_doubling[ND_RATE_PACKED] = 0;
    const double text = 1e5 * 13000;
    task.memory.store = text + 1e5 * 240; /* a quarter is plain */
    const double packed = .75 * .2 * text;
    CU_ASSERT(nd_plan_make(&task, &rates).written == 0); /* they fit in theirs */
    task.memory.packed_share = .1;
    const nd_plan plan = nd_plan_make(&task, &rates);
    CU_ASSERT(near(plan.parts[ND_PLAN_INGEST].written, packed - .1 * text));
    /* for templates, for contents, and half of it for keys */
    CU_ASSERT(near(plan.parts[ND_PLAN_CONTENT].read, 2 * (packed - .1 * text)));
    CU_ASSERT(near(plan.parts[ND_PLAN_SIGN].read, .5 * (packed - .1 * text)));
    /* the less of them readers hold, the fewer sentences are only named */
    double before = packed - .1 * text;
    for (double share = .125; share > .001; share /= 2) {
        task.memory.read_share = share;
        const nd_plan less = nd_plan_make(&task, &rates);
        const double file = less.parts[ND_PLAN_INGEST].written;
        CU_ASSERT(file > before && file <= .75 * text);
        CU_ASSERT(near(less.parts[ND_PLAN_SIGN].read,
                       fmin(file, fmax(file / 2, 2 * (file - share * text)))));
        before = file;
    }
}

/* Fragments that do not fit are sorted in files, and are gone before contents are written. */
static void test_fragments(void) {
    nd_plan_task task = ample_task(1e5, 2);
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_FRAGMENTS] = 1;
    task.memory.sort = 1e8; /* runs of 50 MB; each rank has 161 MB of fragments */
    const double fragments = 650e3 * ND_PLAN_FRAGMENT;
    const nd_plan plan = nd_plan_make(&task, &rates);
    const nd_plan_part *p = &plan.parts[ND_PLAN_CONTENT];
    const double packed = ND_PLAN_FRAGMENT_PACKED * fragments;
    CU_ASSERT(near(p->written, packed) && near(p->read, packed));
    CU_ASSERT(near(p->disk_bytes, 2 * packed));
    CU_ASSERT(near(2 * p->sent, 5e4 * 80 + fragments + 650e3 * ND_PLAN_MARKS));
    task.memory.sort = 2.1 * fragments;
    CU_ASSERT(nd_plan_make(&task, &rates).parts[ND_PLAN_CONTENT].written == 0);
}

/* Marks that fit neither their spool nor their sort are written to both; a rank alone holds what it
 * sends once, of several each three times. */
static void test_marks(void) {
    nd_plan_task task = ample_task(1e5, 1);
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_FRAGMENTS] = 1;
    const double count = 1300e3; /* of fragments, and of their marks */
    const double fragments = count * ND_PLAN_FRAGMENT;
    const double marks = count * ND_PLAN_MARKS;
    const double sent = nd_plan_make(&task, &rates).parts[ND_PLAN_CONTENT].memory;
    task.ranks = 2;
    task.pages *= 2;
    CU_ASSERT(near(nd_plan_make(&task, &rates).parts[ND_PLAN_CONTENT].memory - sent,
                   3 * fragments - fmax(fragments, marks)));
    task.memory.spool = marks / 4;
    task.memory.sort = marks / 2;
    const nd_plan_part p = nd_plan_make(&task, &rates).parts[ND_PLAN_CONTENT];
    const double packed = ND_PLAN_FRAGMENT_PACKED * fragments;
    CU_ASSERT(near(p.written, packed + .75 * marks + marks));
    CU_ASSERT(near(p.disk_bytes, 2 * (packed + .75 * marks)));
}

/* What does not fit of the digests is written once, and read where they are compared; texts no more
 * than they were. */
static void test_digests(void) {
    nd_plan_task task = ample_task(1e6, 2);
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    const double digests = 5e5 * rates.value[ND_RATE_DIGEST];
    rates.value[ND_RATE_POSTINGS] = 1; /* which then fit, as do the pairs */
    rates.value[ND_RATE_PAIRS] = 1;
    task.memory.sort = 0.9 * digests;
    const nd_plan plan = nd_plan_make(&task, &rates);
    CU_ASSERT(near(plan.parts[ND_PLAN_SIGN].written, 0.1 * digests));
    CU_ASSERT(near(plan.parts[ND_PLAN_SIGN].disk_bytes, 2 * 0.1 * digests));
    CU_ASSERT(plan.parts[ND_PLAN_BLOCK].read > 0 && plan.parts[ND_PLAN_VERIFY].read == 0);
    task.memory.sort = 1.1 * digests;
    CU_ASSERT(nd_plan_make(&task, &rates).parts[ND_PLAN_SIGN].written == 0);
}

static void test_spilling(void) {
    nd_plan_task task = tight_task(1e5, 2);
    task.memory.sort = 5e6; /* less than a rank's digests */
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_PACKED] = 0.2;
    rates.per_doubling[ND_RATE_PACKED] = 0;
    const nd_plan plan = nd_plan_make(&task, &rates);
    const double room = 2e7 - 5e4 * 240; /* of texts and names: a quarter plain, one packed */
    const double text = 5e4 * 13000 - .25 * room;
    const double share = .2 + .087 * log2(text * .2 / (.25 * room)); /* a quarter is read there */
    const double files =
        2 * (text * share + 5e4 * 70 - .25 * room - .125 * room); /* of both ranks */
    CU_ASSERT(near(plan.parts[ND_PLAN_INGEST].written * 2, files));
    CU_ASSERT(plan.parts[ND_PLAN_CONTENT].read > plan.parts[ND_PLAN_INGEST].written);
    CU_ASSERT(plan.memory < task.memory.total);
    /* at the end: names, packed texts, and digests */
    CU_ASSERT(near(plan.parts[ND_PLAN_WRITE].disk_bytes,
                   files + 1e5 * rates.value[ND_RATE_DIGEST] - 2 * task.memory.sort));
    const nd_plan_task small = tight_task(1e3, 2); /* 6.5 MB of texts on a rank */
    CU_ASSERT(make(&small).disk_bytes == 0);
}

/* What join writes of pages lies beside what was kept before. */
static void test_memberships(void) {
    nd_plan_task task = ample_task(1e6, 2);
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_LINKS] = rates.value[ND_RATE_FRAGMENTS] = 1e-3; /* all but none of these */
    const nd_plan ample = nd_plan_make(&task, &rates);
    task.memory.spool = 1e6;
    const nd_plan plan = nd_plan_make(&task, &rates);
    CU_ASSERT(ample.parts[ND_PLAN_JOIN].written == 0 && plan.parts[ND_PLAN_JOIN].written > 1e6);
    CU_ASSERT(near(plan.parts[ND_PLAN_JOIN].disk_bytes - ample.parts[ND_PLAN_JOIN].disk_bytes,
                   2 * plan.parts[ND_PLAN_JOIN].written));
}

/* What is asked takes time, exchange, memory and disk of its own, and changes no stage before. */
static void test_contained(void) {
    nd_plan_task task = tight_task(1e6, 4);
    task.checkpoints = true;
    const nd_plan without = make(&task);
    task.asking = 1;
    const nd_plan with = make(&task);
    task.asking = .1;
    const nd_plan tenth = make(&task);
    const nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    const nd_plan_part *all = &with.parts[ND_PLAN_CONTAIN];
    const nd_plan_part *few = &tenth.parts[ND_PLAN_CONTAIN];
    const double keys = 2.5e5 * rates.value[ND_RATE_CONTAIN_KEYS];
    const double pairs = 2.5e5 * rates.value[ND_RATE_CONTAIN_PAIRS];
    for (int i = 0; i < ND_PLAN_CONTAIN; i++) {
        CU_ASSERT(with.parts[i].seconds == without.parts[i].seconds);
        CU_ASSERT(with.parts[i].disk_bytes == without.parts[i].disk_bytes);
    }
    CU_ASSERT(without.parts[ND_PLAN_CONTAIN].seconds == 0);
    CU_ASSERT(near(all->cpu, 2.5e5 * 2 * rates.value[ND_RATE_CONTENT_TOKENS] *
                                 rates.value[ND_RATE_CONTAIN_TIME] / 1e6));
    CU_ASSERT(near(few->cpu, all->cpu * .28)); /* a fifth whoever asks */
    /* sorted keys and hits, and what is found */
    CU_ASSERT(near(all->written, keys * (ND_PLAN_CONTAIN_KEY + 1.1 * ND_PLAN_CONTAIN_HIT) +
                                     pairs * ND_PLAN_LINK));
    CU_ASSERT(near(few->sent, all->sent / 10) && near(few->written, all->written / 10));
    CU_ASSERT(all->read > all->written - pairs * ND_PLAN_LINK && few->read < all->read);
    CU_ASSERT(all->memory > few->memory && few->memory > 0);
    CU_ASSERT(near(with.parts[ND_PLAN_WRITE].disk_bytes,
                   without.parts[ND_PLAN_WRITE].disk_bytes + 4 * pairs * ND_PLAN_LINK));
    CU_ASSERT(near(with.seconds, without.seconds + all->seconds));
}

/* A disk of each node takes what no checkpoint keeps: together at least what there is without it,
 * and without checkpoints all. */
static void test_local(void) {
    nd_plan_task task = tight_task(1e6, 4);
    for (int kept = 0; kept < 2; kept++) {
        task.checkpoints = kept == 1;
        task.local_tmp = false;
        const nd_plan before = make(&task);
        task.local_tmp = true;
        const nd_plan plan = make(&task);
        CU_ASSERT(before.local_bytes == 0 && plan.local_bytes > 0);
        for (int i = 0; i < ND_PLAN_STAGES; i++) {
            const nd_plan_part *p = &plan.parts[i];
            const double all = before.parts[i].disk_bytes;
            CU_ASSERT(p->disk_bytes <= all && p->disk_bytes + p->local_bytes >= all * .999);
            CU_ASSERT(p->seconds == before.parts[i].seconds);
            CU_ASSERT(kept || (p->disk_bytes == 0 && p->local_bytes == all));
        }
        CU_ASSERT(kept ? plan.disk_bytes > 0 && plan.disk_bytes < before.disk_bytes
                       : plan.disk_bytes == 0 && plan.local_bytes == before.disk_bytes);
    }
}

/* Twice the pages on twice the ranks: the same for each rank, but for the logarithms, which are
 * set to 0 here, and for pages that more ranks fetch and pairs that more ranks find. */
static void test_scaling(void) {
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    for (int i = 0; i < ND_RATES; i++) {
        rates.per_doubling[i] = 0;
    }
    nd_plan_task one = tight_task(1e6, 16);
    nd_plan_task two = tight_task(2e6, 32);
    one.checkpoints = two.checkpoints = true;
    const nd_plan a = nd_plan_make(&one, &rates);
    const nd_plan b = nd_plan_make(&two, &rates);
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        CU_ASSERT(i == ND_PLAN_BLOCK || near(a.parts[i].written, b.parts[i].written));
    }
    const double written = a.parts[ND_PLAN_BLOCK].written;
    CU_ASSERT(b.parts[ND_PLAN_BLOCK].written > written);
    CU_ASSERT(b.parts[ND_PLAN_BLOCK].written < 1.3 * written);
    CU_ASSERT(near(2 * a.disk_bytes, b.disk_bytes));
    CU_ASSERT(near(a.smallest_memory, b.smallest_memory));
    CU_ASSERT(b.sent > a.sent && b.sent < 1.3 * a.sent);
    CU_ASSERT(near(2 * a.pairs, b.pairs));
}

/* The paper's form has a stage in place of two; chains of fingerprints no candidates. */
static void test_leaders(void) {
    nd_plan_task task = ample_task(1e5, 2);
    task.checkpoints = true;
    task.kind = ND_PLAN_PKU;
    task.leaders = task.chained = true;
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_PKU, true);
    const nd_plan plan = nd_plan_make(&task, &rates);
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        const nd_plan_stage stage = (nd_plan_stage)i;
        const bool gone = stage == ND_PLAN_VERIFY || stage == ND_PLAN_JOIN;
        const bool there = !gone && stage != ND_PLAN_CONTAIN;
        CU_ASSERT(nd_plan_has(&task, stage) == there);
        CU_ASSERT((plan.parts[i].seconds > 0) == there && (plan.parts[i].memory > 0) == there);
    }
    CU_ASSERT(plan.candidates == 0 && plan.pairs > 0);
    const double links = 5e4 * nd_plan_rate(&rates, ND_RATE_SIGNED, 1e5) *
                         rates.value[ND_RATE_POSTINGS] * rates.value[ND_RATE_CHAINED];
    CU_ASSERT(near(plan.parts[ND_PLAN_BLOCK].written, links * ND_PLAN_LINK));
    /* links are kept until members are */
    CU_ASSERT(near(plan.parts[ND_PLAN_BLOCK].disk_bytes - plan.parts[ND_PLAN_SIGN].disk_bytes,
                   2 * links * ND_PLAN_LINK));
    CU_ASSERT(near(plan.parts[ND_PLAN_LEADERS].written, 5e4 * ND_PLAN_MEMBER));
    /* a comparison as the method has it, of so many tokens */
    const double pairs = plan.pairs / 2;
    CU_ASSERT(
        near(plan.parts[ND_PLAN_LEADERS].cpu, pairs * 2 * rates.value[ND_RATE_LEADERS_TIME] / 1e6));
    task.chained = false; /* over pairs within the bounds */
    rates = nd_plan_rates_of(ND_PLAN_STAR, false);
    const nd_plan star = nd_plan_make(&task, &rates);
    CU_ASSERT(star.candidates > 0 && star.parts[ND_PLAN_VERIFY].seconds == 0);
    CU_ASSERT(near(star.parts[ND_PLAN_BLOCK].written, star.pairs / 2 * ND_PLAN_PAIR));
}

static void test_time(void) {
    nd_plan_task task = tight_task(1e6, 16);
    task.checkpoints = true;
    const nd_plan slow = make(&task);
    task.speed = 2;
    const nd_plan fast = make(&task);
    CU_ASSERT(near(slow.parts[ND_PLAN_BLOCK].cpu, 2 * fast.parts[ND_PLAN_BLOCK].cpu));
    CU_ASSERT(near(slow.parts[ND_PLAN_BLOCK].disk, fast.parts[ND_PLAN_BLOCK].disk));
    task.input_disk = 1e6; /* 8 GB of inputs take longer than all the work on them */
    const nd_plan starved = make(&task);
    CU_ASSERT(starved.parts[ND_PLAN_INGEST].seconds > 8000);
    CU_ASSERT(starved.parts[ND_PLAN_INGEST].disk > 8000); /* which are the inputs' disk's */
    task.nodes = 4;
    const nd_plan spread = make(&task);
    CU_ASSERT(near(spread.parts[ND_PLAN_INGEST].seconds -
                       (spread.parts[ND_PLAN_INGEST].written + spread.parts[ND_PLAN_INGEST].read) *
                           4 / task.disk,
                   2000));
    CU_ASSERT(spread.parts[ND_PLAN_VERIFY].network > 0);
    int by_disk = 0;
    for (int i = 0; i < ND_PLAN_STAGES; i++) { /* the disk works while ranks do */
        const nd_plan_part *p = &spread.parts[i];
        CU_ASSERT(near(p->seconds, fmax(p->cpu, p->disk) + p->network));
        by_disk += p->disk > p->cpu;
    }
    CU_ASSERT(by_disk > 0 && by_disk < ND_PLAN_STAGES - 1); /* of which one is off */
    task.network *= 2;
    const nd_plan wide = make(&task);
    CU_ASSERT(near(spread.parts[ND_PLAN_VERIFY].network, 2 * wide.parts[ND_PLAN_VERIFY].network));
}

/* As the job refuses it: pages and base may take three quarters. */
static void test_smallest_memory(void) {
    const nd_plan_task task = ample_task(1e6, 3);
    CU_ASSERT(near(make(&task).smallest_memory, (333334.0 * 240 + 1e8) * 4 / 3));
}

/* What is not given is taken from the rates. */
static void test_defaults(void) {
    const nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    nd_plan_task task = ample_task(1e5, 2);
    task.page_bytes = task.input_bytes = task.tokens = task.text_bytes = task.name_bytes = 0;
    task.checkpoints = true;
    const nd_plan plan = nd_plan_make(&task, &rates);
    const double text = rates.value[ND_RATE_PAGE_BYTES] * rates.value[ND_RATE_TOKENS] *
                        rates.value[ND_RATE_TEXT] * nd_plan_rate(&rates, ND_RATE_PACKED, 1e5);
    CU_ASSERT(near(plan.parts[ND_PLAN_INGEST].disk_bytes,
                   1e5 * (ND_PLAN_PAGE + text + rates.value[ND_RATE_NAMES])));
    task.page_bytes = 2 * rates.value[ND_RATE_PAGE_BYTES];
    CU_ASSERT(near(nd_plan_make(&task, &rates).parts[ND_PLAN_INGEST].disk_bytes,
                   1e5 * (ND_PLAN_PAGE + 2 * text + rates.value[ND_RATE_NAMES])));
}

static const nd_test tests[] = {
    {"everything in memory", test_in_memory},
    {"checkpoints", test_checkpoints},
    {"packed texts", test_packed},
    {"fragments", test_fragments},
    {"marks", test_marks},
    {"digests", test_digests},
    {"spilling", test_spilling},
    {"memberships", test_memberships},
    {"contained", test_contained},
    {"pages and ranks", test_scaling},
    {"sets of the paper", test_leaders},
    {"a disk of each node", test_local},
    {"time", test_time},
    {"smallest memory", test_smallest_memory},
    {"what is not given", test_defaults},
};
ND_SUITE(t_run_plan, tests)
