#include "mpi/cmd/overlap/overlap_text.h"

#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/measure/collections.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    WIDTH = 80,
    NAME = 16, /* bytes of a name */
    LABEL = 5 + NAME,
    COLLECTIONS_SHOWN = 16,
    PAIRS_SHOWN = 28
};

/* ---- cells */

/* Number and name of a collection, cut to LABEL columns. */
static void print_label(const nd_overlap_findings *f, size_t x) {
    const nd_span name = nd_overlap_name(f, x);
    size_t size = 0; /* whole characters, each of a column as a rule */
    for (size_t i = 0; i < name.size && i < NAME; i++) {
        const bool ends = i + 1 == name.size || (name.data[i + 1] & 0xc0) != 0x80;
        size = ends ? i + 1 : size;
    }
    (void)printf("%3zu  ", x + 1);
    nd_print_padded(stdout, nd_span_part(name, 0, size), NAME);
}

/* A number that may not be known. */
static void print_real(int width, int decimals, double value) {
    if (isfinite(value)) {
        (void)printf("%*.*f", width, decimals, value);
    } else {
        (void)printf("%*s", width, "-");
    }
}

static void print_interval(int width, int decimals, double value, double lower, double upper) {
    print_real(width, decimals, value);
    (void)printf("  [");
    print_real(1, decimals, lower);
    (void)printf(", ");
    print_real(1, decimals, upper);
    (void)printf("]");
}

static double percent(uint64_t part, uint64_t whole) {
    return whole > 0 ? 100 * (double)part / (double)whole : (double)NAN;
}

/* ---- exactly */

static const char *const names_of[ND_THINGS] = {"URLs", "texts", "sets"};

static void print_collections(const nd_overlap_findings *f) {
    const nd_overlap_counts *sets = &f->counts[ND_THING_SET];
    uint64_t pages = 0;
    (void)printf("%*s%11s%11s%11s%11s%7s%7s\n", LABEL, "", "pages", "URLs", "texts", "sets",
                 "p/set", "alone");
    for (size_t x = 0; x < sets->collections; x++) {
        const uint64_t own = nd_overlap_both(sets, x, x);
        pages += sets->pages[x];
        print_label(f, x);
        (void)printf("%11" PRIu64, sets->pages[x]);
        for (int thing = 0; thing < ND_THINGS; thing++) {
            (void)printf("%11" PRIu64, nd_overlap_both(&f->counts[thing], x, x));
        }
        print_real(7, 2, own > 0 ? (double)sets->pages[x] / (double)own : (double)NAN);
        print_real(6, 1, percent(sets->alone[x], own));
        (void)puts("%");
    }
    (void)printf("%-*s%11" PRIu64, LABEL, "     together", pages);
    for (int thing = 0; thing < ND_THINGS; thing++) {
        (void)printf("%11" PRIu64, f->counts[thing].all);
    }
    print_real(7, 2, sets->all > 0 ? (double)pages / (double)sets->all : (double)NAN);
    (void)puts("");
    (void)puts("p/set: pages for each set; alone: sets that no other collection has");
    if (f->without_url > 0) {
        (void)printf("%" PRIu64 " pages without a URL are none of the URLs\n", f->without_url);
    }
}

/* In blocks of as many columns as there is room for. */
static void print_matrix(const nd_overlap_findings *f, const nd_overlap_counts *c, bool shares) {
    const size_t width = shares ? 7 : 11;
    const size_t shown = nd_min(c->collections, COLLECTIONS_SHOWN);
    const size_t most = (WIDTH - LABEL) / width;
    for (size_t begin = 0; begin < shown; begin += most) {
        const size_t end = nd_min(begin + most, shown);
        (void)printf("%*s", LABEL, "");
        for (size_t y = begin; y < end; y++) {
            (void)printf("%*zu", (int)width, y + 1);
        }
        (void)puts("");
        for (size_t x = 0; x < shown; x++) {
            print_label(f, x);
            for (size_t y = begin; y < end; y++) {
                if (shares) {
                    print_real((int)width, 2,
                               percent(nd_overlap_both(c, x, y), nd_overlap_both(c, x, x)));
                } else {
                    (void)printf("%*" PRIu64, (int)width, nd_overlap_both(c, x, y));
                }
            }
            (void)puts("");
        }
    }
}

static void print_matrices(const nd_overlap_findings *f) {
    for (int thing = 0; thing < ND_THINGS; thing++) {
        (void)printf("\n%s that both have\n", names_of[thing]);
        print_matrix(f, &f->counts[thing], false);
        (void)printf("\nof the row's %s, %% that the column has\n", names_of[thing]);
        print_matrix(f, &f->counts[thing], true);
    }
    if (f->chosen.count > COLLECTIONS_SHOWN) {
        (void)printf("the first %d of %zu collections (--format json: all)\n", COLLECTIONS_SHOWN,
                     f->chosen.count);
    }
}

static void print_venn(const nd_overlap_findings *f) {
    const nd_overlap_counts *c = &f->counts[ND_THING_SET];
    if (c->collections <= ND_VENN_MOST) {
        (void)puts("\nsets that these collections have, and no other");
        for (size_t mask = 1; mask < (size_t)1 << c->collections; mask++) {
            (void)printf("    ");
            for (size_t x = 0; x < c->collections; x++) {
                (void)printf(" %c", mask >> x & 1 ? (char)('1' + x) : '.');
            }
            (void)printf("%*s%11" PRIu64, (int)(2 * (ND_VENN_MOST - c->collections)), "",
                         c->venn[mask]);
            print_real(7, 2, percent(c->venn[mask], c->all));
            (void)puts(" %");
        }
        return;
    }
    (void)puts("\nsets that so many collections have");
    for (size_t n = 1; n <= nd_min(c->collections, COLLECTIONS_SHOWN); n++) {
        (void)printf("%14zu%11" PRIu64, n, c->in_exactly[n]);
        print_real(7, 2, percent(c->in_exactly[n], c->all));
        (void)puts(" %");
    }
}

/* ---- pairs */

typedef struct pair {
    size_t x, y;
    uint64_t both;
} pair;

static int by_both(const void *a, const void *b) {
    const pair *p = a;
    const pair *q = b;
    return p->both != q->both ? (p->both < q->both) - (p->both > q->both)
           : p->x != q->x     ? (p->x > q->x) - (p->x < q->x)
                              : (p->y > q->y) - (p->y < q->y);
}

/* Those that share most. \param[out] pairs  room for PAIRS_SHOWN */
static void list_pairs(const nd_overlap_findings *f, pair *pairs, size_t *shown) {
    const size_t count = f->chosen.count;
    pair *all = NULL;
    size_t listed = 0;
    nd_new_room(&all, count * (count - 1) / 2, sizeof *all);
    for (size_t x = 0; x < count; x++) {
        for (size_t y = x + 1; y < count; y++) {
            all[listed++] = (pair){x, y, nd_overlap_both(&f->counts[ND_THING_SET], x, y)};
        }
    }
    nd_sort(all, listed, sizeof *all, by_both);
    *shown = nd_min(listed, PAIRS_SHOWN);
    for (size_t i = 0; i < *shown; i++) {
        pairs[i] = all[i];
    }
    free(all);
}

static void say_shown(const nd_overlap_findings *f, size_t shown) {
    const size_t all = f->chosen.count * (f->chosen.count - 1) / 2;
    if (shown < all) {
        (void)printf("the first %zu of %zu pairs, by the sets that both have\n", shown, all);
    }
}

/* A name within a sentence, cut so that this stays within a line. */
static void print_short(const nd_overlap_findings *f, size_t x) {
    enum { SHORT = 14 };
    const nd_span name = nd_overlap_name(f, x);
    size_t size = nd_min(name.size, SHORT);
    while (size < name.size && size > 0 && (name.data[size] & 0xc0) == 0x80) {
        size--;
    }
    nd_print_text(stdout, ND_PRINTABLE_FIELD, nd_span_part(name, 0, size));
}

/* What most people ask, first: a sentence for each pair. */
static void print_sentences(const nd_overlap_findings *f, const pair *pairs, size_t shown) {
    const nd_overlap_counts *c = &f->counts[ND_THING_SET];
    for (size_t i = 0; i < shown; i++) {
        const size_t x = pairs[i].x;
        const size_t y = pairs[i].y;
        print_real(1, 1, percent(pairs[i].both, nd_overlap_both(c, x, x)));
        (void)printf(" %% of ");
        print_short(f, x);
        (void)printf("'s sets are also in ");
        print_short(f, y);
        (void)printf(" (");
        print_real(1, 1, percent(pairs[i].both, nd_overlap_both(c, y, y)));
        (void)puts(" % in reverse)");
    }
    say_shown(f, shown);
    (void)puts("");
}

static void print_captures(const nd_overlap_findings *f, const pair *pairs, size_t shown) {
    const nd_overlap_counts *c = &f->counts[ND_THING_SET];
    (void)puts("\nsets there are at least, by capture and recapture: a * b / both, and Chapman's\n"
               "with a 95 % interval; where two prefer the same pages, there are more");
    (void)puts("    pair       both      a*b/both   Chapman's     from        to");
    for (size_t i = 0; i < shown; i++) {
        const nd_capture n =
            nd_capture_recapture(nd_overlap_both(c, pairs[i].x, pairs[i].x),
                                 nd_overlap_both(c, pairs[i].y, pairs[i].y), pairs[i].both);
        (void)printf("%4zu %3zu%11" PRIu64, pairs[i].x + 1, pairs[i].y + 1, pairs[i].both);
        if (n.known) {
            (void)printf("%14.0f%12.0f%11.0f%11.0f\n", n.lincoln_petersen, n.chapman, n.lower,
                         n.upper);
        } else {
            (void)puts("   no overlap: nothing follows");
        }
    }
    say_shown(f, shown);
}

/* ---- from samples */

static void say_groups(const nd_overlap_findings *f, const nd_size_estimates *e) {
    const nd_drawn_pages *c = &e->of;
    if (e->apart > 0) {
        (void)printf("in %" PRIu64 " of %" PRIu64 " resamples other collections hang together: no "
                     "interval has these\n",
                     e->apart, f->wish->resamples);
    }
    if (c->groups == 1) {
        return;
    }
    (void)printf("The collections do not hang together: there are %zu groups of which no two have\n"
                 "pages of each other in the samples. Sizes and shares are of each group alone:\n",
                 c->groups);
    for (size_t x = 0, said = 0; x < c->collections && said < COLLECTIONS_SHOWN; x++) {
        if (c->group[x] != x) {
            continue;
        }
        (void)printf("   ");
        for (size_t y = x, column = 3; y < c->collections; y++) {
            if (c->group[y] == x) {
                const int put = printf(column > WIDTH - 5 ? "\n    %zu" : " %zu", y + 1);
                column = column > WIDTH - 5 ? 4 : column + (size_t)put;
            }
        }
        (void)puts("");
        said++;
    }
}

static bool holds(const nd_estimate *interval, const nd_estimate *other) {
    return interval->lower <= other->mean && other->mean <= interval->upper;
}

/* Is a collection the only one of its group? Then its size follows from nothing. */
static bool is_group_alone(const nd_drawn_pages *c, size_t x) {
    size_t members = 0;
    for (size_t y = 0; y < c->collections; y++) {
        members += c->group[y] == c->group[x];
    }
    return members == 1;
}

/* By either form, and whether they agree. */
static void print_shares(const nd_overlap_findings *f, const nd_size_estimates *e) {
    size_t apart = 0;
    const nd_overlap_counts *c = &f->counts[ND_THING_SET];
    (void)printf("%*s%9s  %-24s%-s\n", LABEL, "", "exactly", "  least squares", "  logarithms");
    for (size_t x = 0; x < c->collections; x++) {
        print_label(f, x);
        print_real(9, 2, percent(nd_overlap_both(c, x, x), c->all));
        if (is_group_alone(&e->of, x)) {
            (void)puts("        -  (it shares nothing: no estimate)");
            continue;
        }
        for (int form = 0; form < ND_SIZE_FORMS; form++) {
            const nd_estimate *share = &e->by[form][x].share;
            (void)printf("  ");
            print_interval(7, 2, 100 * share->mean, 100 * share->lower, 100 * share->upper);
        }
        (void)puts("");
        const nd_estimate *squares = &e->by[ND_SIZE_SQUARES][x].share;
        const nd_estimate *logs = &e->by[ND_SIZE_LOGS][x].share;
        apart += isfinite(squares->lower) && !holds(squares, logs) && !holds(logs, squares);
    }
    if (apart > 0) {
        (void)printf(
            "The two disagree on %zu of them: where overlaps are small, least squares draw "
            "all\nsizes but the fixed one to 0; the logarithms do not.\n",
            apart);
    }
}

static double exact_ratio(uint64_t part, uint64_t whole) {
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

static void print_bias(const nd_overlap_findings *f) {
    const nd_overlap_counts *c = &f->counts[ND_THING_SET];
    (void)printf("\nsizes relative to collection %zu (of another group: to its first), least "
                 "squares;\na set of many pages is drawn more often by page\n",
                 f->fixed + 1);
    (void)printf("%*s%8s  %-25s%8s  %-s\n", LABEL, "", "sets", "drawn by set", "pages",
                 "drawn by page");
    for (size_t x = 0; x < c->collections; x++) {
        const nd_drawn_pages *of = &f->set_sizes.of;
        const size_t one = of->group[x] == of->group[f->fixed] ? f->fixed : of->group[x];
        print_label(f, x);
        print_real(8, 3, exact_ratio(nd_overlap_both(c, x, x), nd_overlap_both(c, one, one)));
        const nd_estimate *by_set = &f->set_sizes.by[ND_SIZE_SQUARES][x].size;
        const nd_estimate *by_page = &f->page_sizes.by[ND_SIZE_SQUARES][x].size;
        print_interval(8, 3, by_set->mean, by_set->lower, by_set->upper);
        print_real(8, 3, exact_ratio(c->pages[x], c->pages[one]));
        print_real(8, 3, by_page->mean);
        (void)puts("");
    }
}

static void print_ratios(const nd_overlap_findings *f, const pair *pairs, size_t shown) {
    const nd_drawn_pages *c = &f->set_sizes.of;
    (void)puts("\n|a| / |b| of two alone: of b's sample what a has, over of a's what b has");
    (void)puts("       a   b   exactly   a in b   b in a  estimated");
    for (size_t i = 0; i < shown; i++) {
        const size_t x = pairs[i].x;
        const size_t y = pairs[i].y;
        const nd_overlap_counts *sets = &f->counts[ND_THING_SET];
        nd_estimate ratio;
        (void)printf("    %4zu%4zu", x + 1, y + 1);
        print_real(10, 3, exact_ratio(nd_overlap_both(sets, x, x), nd_overlap_both(sets, y, y)));
        print_real(8, 2, percent(c->found[x * c->collections + y], c->asked[x]));
        (void)printf("%%");
        print_real(8, 2, percent(c->found[y * c->collections + x], c->asked[y]));
        (void)printf("%%");
        if (nd_size_ratio(c, x, y, &ratio)) {
            print_interval(10, 3, ratio.mean, ratio.lower, ratio.upper);
            (void)puts("");
        } else {
            (void)puts("   no overlap seen: not known");
        }
    }
    say_shown(f, shown);
}

/* ---- by strong queries */

static void print_queries(const nd_overlap_findings *f, const pair *pairs, size_t shown) {
    const nd_strong_queries *q = &f->queries;
    nd_query_tally all = {0};
    uint64_t asked = 0;
    uint64_t poor = 0;
    (void)printf("\nstrong queries: the %d rarest words of a drawn page, asked of the others\n",
                 ND_QUERY_WORDS);
    (void)puts("       of   in     asked    it has     found    missed  only others found");
    for (size_t i = 0; i < 2 * shown; i++) {
        const size_t x = i % 2 == 0 ? pairs[i / 2].x : pairs[i / 2].y;
        const size_t y = i % 2 == 0 ? pairs[i / 2].y : pairs[i / 2].x;
        const nd_query_tally *t = &q->tally[x * q->collections + y];
        (void)printf("     %4zu %4zu%10" PRIu64 "%10" PRIu64 "%10" PRIu64, x + 1, y + 1,
                     q->tally[x * q->collections + x].has, t->has, t->found);
        print_real(9, 2, percent(t->has - t->found, t->has));
        (void)printf("%%%10" PRIu64 "\n", t->other);
    }
    say_shown(f, shown);
    for (size_t x = 0; x < q->collections; x++) {
        asked += q->tally[x * q->collections + x].has;
        poor += q->poor[x];
        for (size_t y = 0; y < q->collections; y++) {
            const nd_query_tally *t = &q->tally[x * q->collections + y];
            all.has += x != y ? t->has : 0;
            all.found += x != y ? t->found : 0;
        }
    }
    (void)printf("%" PRIu64 " pages asked, %" PRIu64 " with fewer words not; missed of %" PRIu64
                 " in others: ",
                 asked, poor, all.has);
    print_real(1, 2, percent(all.has - all.found, all.has));
    (void)puts(" %");
    (void)puts("\nshares of all sets, %, where a page of its set answers");
    say_groups(f, &f->own_sizes);
    print_shares(f, &f->own_sizes);
    (void)puts("\nand where any page does");
    say_groups(f, &f->any_sizes);
    print_shares(f, &f->any_sizes);
}

void nd_overlap_text_print(const nd_overlap_findings *findings) {
    const nd_overlap_findings *f = findings;
    pair pairs[PAIRS_SHOWN];
    size_t shown = 0;
    list_pairs(f, pairs, &shown);
    print_sentences(f, pairs, shown);
    print_collections(f);
    print_matrices(f);
    print_venn(f);
    print_captures(f, pairs, shown);
    if (f->wish->sample > 0) {
        (void)printf("\nfrom samples alone: %" PRIu64 " sets of each (seed %" PRIu64
                     "), looked for in the others\nshares of all sets, %%, with 95 %% intervals of "
                     "%" PRIu64 " resamples\n",
                     f->wish->sample, f->wish->seed, f->wish->resamples);
        say_groups(f, &f->set_sizes);
        print_shares(f, &f->set_sizes);
        print_ratios(f, pairs, shown);
        print_bias(f);
    }
    if (f->wish->queries > 0) {
        print_queries(f, pairs, shown);
    }
}
