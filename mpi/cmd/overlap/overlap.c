/* neardup overlap OUT.h5 : what the collections of a result share, and how large they are. */
#include "io/store/foreign_file.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/overlap/overlap_findings.h"
#include "mpi/cmd/partition/partition.h"
#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/measure/collections.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ==== The findings of neardup overlap as tables for a terminal, none wider than 80 columns: of
 * many collections the tables say of how many rows they show the first.
 */

enum {
    WIDTH = 80,
    NAME = 16, /* bytes of a name */
    LABEL = 5 + NAME,
    COLLECTIONS_SHOWN = 16,
    PAIRS_SHOWN = 28
};

/* ---- cells */

static nd_span name_of(const nd_overlap_findings *f, size_t x) {
    return nd_overlap_name(f, x, "(no name)");
}

/* Number and name of a collection, cut to LABEL columns. */
static void print_label(const nd_overlap_findings *f, size_t x) {
    (void)printf("%3zu  ", x + 1);
    nd_print_padded(stdout, nd_utf8_cut(name_of(f, x), NAME), NAME);
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

static double ratio_of(uint64_t part, uint64_t whole) {
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
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
        print_real(7, 2, ratio_of(sets->pages[x], own));
        print_real(6, 1, percent(sets->alone[x], own));
        (void)puts("%");
    }
    (void)printf("%-*s%11" PRIu64, LABEL, "     together", pages);
    for (int thing = 0; thing < ND_THINGS; thing++) {
        (void)printf("%11" PRIu64, f->counts[thing].all);
    }
    print_real(7, 2, ratio_of(pages, sets->all));
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
    if (f->count > COLLECTIONS_SHOWN) {
        (void)printf("the first %d of %zu collections (--format json: all)\n", COLLECTIONS_SHOWN,
                     f->count);
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

/* Those that share most. \param[out] pairs  room for PAIRS_SHOWN */
static void list_pairs(const nd_overlap_findings *f, pair *pairs, size_t *shown) {
    nd_least most;
    nd_least_open(&most, PAIRS_SHOWN);
    for (size_t x = 0; x < f->count; x++) {
        for (size_t y = x + 1; y < f->count; y++) {
            nd_least_offer(&most, UINT64_MAX - nd_overlap_both(&f->counts[ND_THING_SET], x, y),
                           x * f->count + y);
        }
    }
    nd_least_finish(&most);
    *shown = most.count;
    for (size_t i = 0; i < *shown; i++) {
        const nd_key_value *r = &most.records[i];
        pairs[i] = (pair){r->value / f->count, r->value % f->count, UINT64_MAX - r->key};
    }
    free(most.records);
}

static void say_shown(const nd_overlap_findings *f, size_t shown) {
    const size_t all = f->count * (f->count - 1) / 2;
    if (shown < all) {
        (void)printf("the first %zu of %zu pairs, by the sets that both have\n", shown, all);
    }
}

/* A name within a sentence, cut so that this stays within a line. */
static void print_short(const nd_overlap_findings *f, size_t x) {
    enum { SHORT = 14 };
    nd_print_text(stdout, ND_PRINTABLE_FIELD, nd_utf8_cut(name_of(f, x), SHORT));
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

static nd_capture capture(const nd_overlap_counts *c, size_t x, size_t y) {
    return nd_capture_recapture(nd_overlap_both(c, x, x), nd_overlap_both(c, y, y),
                                nd_overlap_both(c, x, y));
}

static void print_captures(const nd_overlap_findings *f, const pair *pairs, size_t shown) {
    const nd_overlap_counts *c = &f->counts[ND_THING_SET];
    (void)puts("\nsets there are at least, by capture and recapture: a * b / both, and Chapman's\n"
               "with a 95 % interval; where two prefer the same pages, there are more");
    (void)puts("    pair       both      a*b/both   Chapman's     from        to");
    for (size_t i = 0; i < shown; i++) {
        const nd_capture n = capture(c, pairs[i].x, pairs[i].y);
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
        print_real(8, 3, ratio_of(nd_overlap_both(c, x, x), nd_overlap_both(c, one, one)));
        const nd_estimate *by_set = &f->set_sizes.by[ND_SIZE_SQUARES][x].size;
        const nd_estimate *by_page = &f->page_sizes.by[ND_SIZE_SQUARES][x].size;
        print_interval(8, 3, by_set->mean, by_set->lower, by_set->upper);
        print_real(8, 3, ratio_of(c->pages[x], c->pages[one]));
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
        print_real(10, 3, ratio_of(nd_overlap_both(sets, x, x), nd_overlap_both(sets, y, y)));
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
    nd_query_tally all = {0};
    uint64_t asked = 0;
    uint64_t poor = 0;
    (void)printf("\nstrong queries: the %d rarest words of a drawn page, asked of the others\n",
                 ND_QUERY_WORDS);
    (void)puts("       of   in     asked    it has     found    missed  only others found");
    for (size_t i = 0; i < 2 * shown; i++) {
        const size_t x = i % 2 == 0 ? pairs[i / 2].x : pairs[i / 2].y;
        const size_t y = i % 2 == 0 ? pairs[i / 2].y : pairs[i / 2].x;
        const nd_query_tally *t = &f->tally[x * f->count + y];
        (void)printf("     %4zu %4zu%10" PRIu64 "%10" PRIu64 "%10" PRIu64, x + 1, y + 1,
                     f->tally[x * f->count + x].has, t->has, t->found);
        print_real(9, 2, percent(t->has - t->found, t->has));
        (void)printf("%%%10" PRIu64 "\n", t->other);
    }
    say_shown(f, shown);
    for (size_t x = 0; x < f->count; x++) {
        asked += f->tally[x * f->count + x].has;
        poor += f->poor[x];
        for (size_t y = 0; y < f->count; y++) {
            const nd_query_tally *t = &f->tally[x * f->count + y];
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

/* Print on stdout. */
static void print_for_people(const nd_overlap_findings *f) {
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

/* ==== The findings of neardup overlap as one JSON object: all of them, matrices as rows of numbers
 * in the order of the collections. What is not known is null. */

static json_object *real(double value) {
    return nd_json_real(value, 9);
}

static void put_list(json_object *to, const char *name, const uint64_t *numbers, size_t count) {
    json_object *list = nd_json_add_array(to, name);
    for (size_t i = 0; i < count; i++) {
        ND_JSON_PUT(list, {NULL, nd_json_number(numbers[i])});
    }
}

static void put_matrix(json_object *to, const char *name, const uint64_t *cells, size_t count) {
    json_object *rows = nd_json_add_array(to, name);
    for (size_t x = 0; x < count; x++) {
        put_list(rows, NULL, cells + x * count, count);
    }
}

static json_object *counts_object(const nd_overlap_counts *c) {
    json_object *object = ND_JSON({"all", nd_json_number(c->all)});
    put_matrix(object, "both", c->things, c->collections);
    put_matrix(object, "pages_in", c->pages_in, c->collections);
    put_list(object, "pages", c->pages, c->collections);
    put_list(object, "alone", c->alone, c->collections);
    put_list(object, "in_exactly", c->in_exactly, c->collections + 1);
    if (c->collections <= ND_VENN_MOST) {
        put_list(object, "venn", c->venn, (size_t)1 << c->collections);
    }
    return object;
}

static void put_captures(json_object *to, const nd_overlap_counts *c) {
    json_object *list = nd_json_add_array(to, "capture_recapture");
    for (size_t x = 0; x < c->collections; x++) {
        for (size_t y = x + 1; y < c->collections; y++) {
            const nd_capture n = capture(c, x, y);
            ND_JSON_PUT(list, {NULL, ND_JSON({"a", nd_json_number(x)}, {"b", nd_json_number(y)},
                                             {"both", nd_json_number(nd_overlap_both(c, x, y))},
                                             {"lincoln_petersen",
                                              n.known ? real(n.lincoln_petersen) : NULL},
                                             {"chapman", n.known ? real(n.chapman) : NULL},
                                             {"lower", n.known ? real(n.lower) : NULL},
                                             {"upper", n.known ? real(n.upper) : NULL})});
        }
    }
}

static json_object *estimate(const nd_estimate *e) {
    return ND_JSON({"estimate", real(e->mean)}, {"lower", real(e->lower)},
                   {"upper", real(e->upper)});
}

static json_object *sizes(const nd_size_estimates *e) {
    static const char *const forms[ND_SIZE_FORMS] = {"least_squares", "logarithms"};
    const nd_drawn_pages *c = &e->of;
    json_object *object = nd_json_new();
    put_list(object, "asked", c->asked, c->collections);
    put_matrix(object, "found", c->found, c->collections);
    json_object *groups = nd_json_add_array(object, "group");
    for (size_t x = 0; x < c->collections; x++) {
        ND_JSON_PUT(groups, {NULL, nd_json_number(c->group[x])});
    }
    ND_JSON_PUT(object, {"groups", nd_json_number(c->groups)},
                {"resamples_apart", nd_json_number(e->apart)});
    json_object *ratios = nd_json_add_array(object, "ratios");
    for (size_t x = 0; x < c->collections; x++) {
        for (size_t y = x + 1; y < c->collections; y++) {
            nd_estimate ratio = {(double)NAN, (double)NAN, (double)NAN};
            (void)nd_size_ratio(c, x, y, &ratio);
            ND_JSON_PUT(ratios, {NULL, ND_JSON({"a", nd_json_number(x)}, {"b", nd_json_number(y)},
                                               {"ratio", estimate(&ratio)})});
        }
    }
    for (int form = 0; form < ND_SIZE_FORMS; form++) {
        json_object *list = nd_json_add_array(object, forms[form]);
        for (size_t x = 0; x < c->collections; x++) {
            const nd_size_estimate *by = &e->by[form][x];
            ND_JSON_PUT(list, {NULL, ND_JSON({"size", estimate(&by->size)},
                                             {"share", estimate(&by->share)})});
        }
    }
    return object;
}

static void put_queries(json_object *to, const nd_overlap_findings *f) {
    json_object *object = nd_json_add_object(to, "strong_queries");
    ND_JSON_PUT(object, {"words", nd_json_number(ND_QUERY_WORDS)});
    put_list(object, "too_few_words", f->poor, f->count);
    json_object *list = nd_json_add_array(object, "pairs");
    for (size_t i = 0; i < f->count * f->count; i++) {
        const size_t x = i / f->count, y = i % f->count;
        const nd_query_tally *t = &f->tally[i];
        if (x != y) {
            ND_JSON_PUT(
                list,
                {NULL, ND_JSON({"of", nd_json_number(x)}, {"in", nd_json_number(y)},
                               {"asked", nd_json_number(f->tally[x * f->count + x].has)},
                               {"has", nd_json_number(t->has)}, {"found", nd_json_number(t->found)},
                               {"only_others", nd_json_number(t->other)})});
        }
    }
    ND_JSON_PUT(object, {"own_set_answers", sizes(&f->own_sizes)},
                {"any_page_answers", sizes(&f->any_sizes)});
}

/* Print on stdout. */
static void print_json(const nd_overlap_findings *f) {
    json_object *root = ND_JSON({"result", nd_json_words(f->result->path)});
    json_object *names = nd_json_add_array(root, "collections");
    for (size_t x = 0; x < f->count; x++) {
        ND_JSON_PUT(names, {NULL, nd_json_text(nd_overlap_name(f, x, ""))});
    }
    ND_JSON_PUT(root, {"fixed", nd_json_number(f->fixed)},
                {"without_url", nd_json_number(f->without_url)},
                {"urls", counts_object(&f->counts[ND_THING_URL])},
                {"texts", counts_object(&f->counts[ND_THING_TEXT])},
                {"sets", counts_object(&f->counts[ND_THING_SET])});
    put_captures(root, &f->counts[ND_THING_SET]);
    if (f->wish->sample > 0) {
        ND_JSON_PUT(root, {"samples", ND_JSON({"wanted", nd_json_number(f->wish->sample)},
                                              {"resamples", nd_json_number(f->wish->resamples)},
                                              {"seed", nd_json_number(f->wish->seed)},
                                              {"by_set", sizes(&f->set_sizes)},
                                              {"by_page", sizes(&f->page_sizes)})});
    }
    if (f->wish->queries > 0) {
        put_queries(root, f);
    }
    nd_json_print(stdout, &root);
}

/* ==== The sets of near-duplicates that collections share as a picture (SVG): of two or three a
 * Venn diagram, whose circles are not to scale, and of any number a matrix with the share of each
 * row's sets that the column has. */

/* In the picture's own units. */
enum { LEAST_WIDTH = 600, VENN_HEIGHT = 400, RADIUS = 120, LEFT = 190, TOP = 130, SIDE = 960 };
enum { LARGEST_CELL = 64, LEAST_CELL = 4, NUMBERED_CELL = 40, NAME_BYTES = 24 };

static const char FIRST_LINE[] = "<!-- made by neardup overlap -->\n";

static bool is_picture(const char *path) {
    return nd_foreign_file_begins(path, FIRST_LINE);
}

/* A name, cut where it is long: it may be any bytes. */
static void put_label(FILE *to, const nd_overlap_findings *f, size_t x, int at_x, int at_y,
                      const char *more) {
    const nd_span name = name_of(f, x);
    const nd_span shown = nd_utf8_cut(name, NAME_BYTES);
    (void)fprintf(to, "<text x=\"%d\" y=\"%d\" %s>", at_x, at_y, more);
    nd_print_text(to, ND_PRINTABLE_HTML, shown);
    (void)fprintf(to, "%s</text>\n", shown.size < name.size ? "..." : "");
}

static void put_count(FILE *to, int x, int y, const nd_overlap_counts *c, size_t mask) {
    (void)fprintf(to,
                  "<text x=\"%d\" y=\"%d\">%" PRIu64 "</text><text x=\"%d\" y=\"%d\" "
                  "font-size=\"11\">%.1f %%</text>\n",
                  x, y, c->venn[mask], x, y + 14,
                  c->all > 0 ? 100 * (double)c->venn[mask] / (double)c->all : 0);
}

static void draw_venn(FILE *to, const nd_overlap_findings *f) {
    static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73"};
    static const int centres[2][3][2] = {{{170, 200}, {310, 200}, {0, 0}},
                                         {{170, 150}, {310, 150}, {240, 270}}};
    /* by the set of collections: where its number stands */
    static const int places[2][8][2] = {
        {{0, 0}, {115, 200}, {365, 200}, {240, 200}, {0, 0}, {0, 0}, {0, 0}, {0, 0}},
        {{0, 0},
         {115, 120},
         {365, 120},
         {240, 105},
         {240, 340},
         {160, 232},
         {320, 232},
         {240, 185}}};
    static const int names[2][3][2] = {{{120, 70}, {360, 70}, {0, 0}},
                                       {{110, 20}, {370, 20}, {398, 360}}};
    const nd_overlap_counts *c = &f->counts[ND_THING_SET];
    const int form = c->collections == 3;
    (void)fputs("<g text-anchor=\"middle\">\n", to);
    for (size_t x = 0; x < c->collections; x++) {
        (void)fprintf(to,
                      "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"%s\" fill-opacity=\".25\" "
                      "stroke=\"%s\"/>\n",
                      centres[form][x][0], centres[form][x][1], RADIUS, colours[x], colours[x]);
        put_label(to, f, x, names[form][x][0], names[form][x][1], "font-weight=\"bold\"");
    }
    for (size_t mask = 1; mask < (size_t)1 << c->collections; mask++) {
        put_count(to, places[form][mask][0], places[form][mask][1], c, mask);
    }
    (void)fputs("</g>\n", to);
}

static void draw_matrix(FILE *to, const nd_overlap_findings *f, int cell) {
    const nd_overlap_counts *c = &f->counts[ND_THING_SET];
    const bool numbered = cell >= NUMBERED_CELL;
    for (size_t x = 0; x < c->collections; x++) {
        const int y_at = TOP + (int)x * cell;
        const int x_at = LEFT + (int)x * cell;
        char turned[96];
        (void)snprintf(turned, sizeof turned, "transform=\"rotate(-45 %d %d)\" font-size=\"%d\"",
                       x_at + cell / 2, TOP - 6, cell < 12 ? cell : 12);
        put_label(to, f, x, x_at + cell / 2, TOP - 6, turned);
        (void)snprintf(turned, sizeof turned, "text-anchor=\"end\" font-size=\"%d\"",
                       cell < 12 ? cell : 12);
        put_label(to, f, x, LEFT - 6, y_at + cell / 2 + 4, turned);
        for (size_t y = 0; y < c->collections; y++) {
            const double share = nd_overlap_share(c, x, y);
            const int at = LEFT + (int)y * cell;
            (void)fprintf(to,
                          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#0072B2\" "
                          "fill-opacity=\"%.3f\" stroke=\"#ccc\"><title>%" PRIu64
                          " sets, %.2f %%</title></rect>\n",
                          at, y_at, cell, cell, share, nd_overlap_both(c, x, y), 100 * share);
            if (numbered) {
                (void)fprintf(to,
                              "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"11\" "
                              "fill=\"%s\">%.1f</text>\n",
                              at + cell / 2, y_at + cell / 2 + 4, share > .6 ? "#fff" : "#000",
                              100 * share);
            }
        }
    }
}

/* Write it. \return ND_OK, ND_ERR_IO or ND_ERR_MEMORY */
static nd_status save_picture(const nd_overlap_findings *f, const char *path) {
    nd_status st = ND_OK;
    char *bytes = NULL;
    size_t size = 0;
    const int count = (int)f->count;
    const int room = SIDE / count;
    const int cell = room > LARGEST_CELL ? LARGEST_CELL : room < LEAST_CELL ? LEAST_CELL : room;
    const bool venn = count <= 3;
    const int width = LEFT + count * cell + 120;
    FILE *to = open_memstream(&bytes, &size);
    if (to == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a picture");
    }
    (void)fprintf(to,
                  "%s<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                  "font-family=\"sans-serif\" font-size=\"13\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                  FIRST_LINE, width > LEAST_WIDTH ? width : LEAST_WIDTH,
                  (venn ? VENN_HEIGHT : 0) + TOP + count * cell + 40);
    if (venn) {
        draw_venn(to, f);
    }
    (void)fprintf(to, "<g transform=\"translate(0 %d)\">\n", venn ? VENN_HEIGHT : 0);
    draw_matrix(to, f, cell);
    (void)fprintf(to,
                  "<text x=\"10\" y=\"%d\">sets of near-duplicates: %% of the row's that the "
                  "column has%s</text>\n</g>\n</svg>\n",
                  TOP + count * cell + 24, venn ? "; circles are not to scale" : "");
    const bool failed = ferror(to) != 0;
    const bool closed = fclose(to) == 0;
    st = failed || !closed ? nd_fail(ND_ERR_MEMORY, "out of memory: a picture")
                           : nd_own_file_save(path, bytes, size);
    free(bytes);
    return st;
}

/* ==== the command */

typedef struct request {
    nd_overlap_wish wish;
    nd_shown_run run;
    const char *svg;
    bool force, json;
} request;

static request asked;

#define AT(field) offsetof(request, field)

static const nd_option options[] = {
    {"collections", "A,B,...", ND_OPTION_TEXT, AT(wish.collections),
     .help = "these alone, in this order (all)"},
    {"format", "json|text", ND_OPTION_SWITCH, AT(json),
     .help = "print text, or one JSON object with all matrices"},
    {"svg", "FILE", ND_OPTION_TEXT, AT(svg),
     .help = "draw the shared sets: a Venn diagram for two or three collections, a matrix for any "
             "number"},
    {"force", NULL, ND_OPTION_FLAG, AT(force),
     .help = "replace any file with this name, not only such a picture", .rare = true},
    {"memory", "SIZE", ND_OPTION_SIZE, AT(wish.memory),
     .help = "for sorting; what needs more (about 32 bytes a page) lies in OUT.h5.spill meanwhile",
     .rare = true},

    {.help = "Estimates from samples alone, beside the exact numbers"},
    {"sample", "N", ND_OPTION_NUMBER, AT(wish.sample),
     .help = "estimate sizes from N sets drawn in each collection; 0: no estimates",
     .bounded = true, .most = 1e6},
    {"queries", "N", ND_OPTION_NUMBER, AT(wish.queries),
     .help = "look for N pages among these by strong queries too; this reads all inputs again, "
             "twice; 0: none",
     .bounded = true, .most = 1e6},
    {"fixed", "NAME", ND_OPTION_TEXT, AT(wish.fixed),
     .help = "the collection whose size is 1 (the first); least squares depend on it"},
    {"resamples", "N", ND_OPTION_NUMBER, AT(wish.resamples), .help = "for the intervals",
     .rare = true, .bounded = true, .least = 1, .most = 1e6},
    {"seed", "N", ND_OPTION_NUMBER, AT(wish.seed), .help = "another one draws other samples"},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.wish = {.resamples = 1000, .seed = 1, .memory = UINT64_C(1) << 28}};
    nd_partition_defaults(&asked.run.options);
    sets[0] = (nd_command_table){.table = options, .options = &asked};
    sets[1] = (nd_command_table){.table = nd_shown_run_option_table,
                                 .options = &asked.run.options.reader};
}

static nd_status overlap(nd_command_call *call) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    nd_overlap_findings findings = {.fixed = 0};
    const char *path = NULL;
    ND_TRY(nd_command_line_result(call, &path));
    const nd_output picture = {.option = "--svg",
                               .path = asked.svg,
                               .force = asked.force,
                               .replaces = is_picture,
                               .what = "a picture of neardup overlap"};
    ND_TRY(asked.svg != NULL ? nd_output_check(&picture) : ND_OK);
    asked.wish.sample = nd_max(asked.wish.sample, asked.wish.queries);
    ND_TRY(nd_result_open(&result, path));
    ND_TRY(nd_shown_run_read(&asked.run, &result));
    ND_TRY(nd_overlap_find(&findings, &asked.run, &asked.wish));
    ND_TRY(asked.svg != NULL ? save_picture(&findings, asked.svg) : ND_OK);
    if (asked.json) {
        print_json(&findings);
    } else {
        print_for_people(&findings);
    }
out:
    nd_overlap_findings_free(&findings);
    nd_shown_run_close(&asked.run);
    (void)nd_result_close(&result);
    return st;
}

const nd_command nd_command_overlap = {
    .name = "overlap",
    .summary = "compare the collections in a result",
    .usage = "OUT.h5 [options]",
    .about = "Compares the collections (NAME=INPUT) in a result. First comes a sentence for each "
             "pair. Exact tables follow: shared URLs, texts and sets, what all collections share, "
             "pages for each set, and how many sets exist at least (capture and recapture). "
             "--sample adds estimates as Bharat and Broder (1998) made them from samples: pages "
             "drawn in one collection are looked for in the others. Sizes follow by least squares "
             "and by logarithms, with 95 % intervals. --queries looks for them by strong queries, "
             "and counts what these miss.",
    .examples = "neardup overlap out.h5\n"
                "neardup overlap out.h5 --collections spring,autumn --svg overlap.svg\n"
                "neardup overlap out.h5 --sample 1000 --queries 200 --format json",
    .notes =
        "Least squares minimise the sum over pairs of (f_xy s_x - f_yx s_y) squared; f_xy is the "
        "share of x's sample that y has. Sizes then become shares in the joint coverage: a drawn "
        "page counts one divided by the number of collections that have it. Logarithms do the same "
        "with ln s_x - ln s_y - ln(f_yx / f_xy), weighted by certainty. They need no fixed "
        "collection and no pair without overlap. With small overlaps and many collections, least "
        "squares draw all sizes but the fixed one to 0. Collections that share nothing form "
        "groups, and sizes hold within a group.\n\nA strong query asks for the 8 rarest words in a "
        "page together; pages with fewer words are counted, not asked for.\n\nURLs are compared "
        "byte by byte. At most 512 collections are compared at once.",
    .open = open_options,
    .run = overlap,
};
