#include "src/measure/collections.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== capture and recapture */

nd_capture nd_capture_recapture(uint64_t a, uint64_t b, uint64_t both) {
    nd_capture c = {.known = both > 0};
    if (!c.known) {
        return c;
    }
    const double x = (double)a;
    const double y = (double)b;
    const double m = (double)both;
    const double seen = x + y - m;
    c.lincoln_petersen = x * y / m;
    c.chapman = (x + 1) * (y + 1) / (m + 1) - 1;
    const double unseen = c.chapman - seen;
    const double variance = (x + 1) * (y + 1) * (x - m) * (y - m) / ((m + 1) * (m + 1) * (m + 2));
    c.lower = c.upper = c.chapman;
    if (unseen > 0) { /* else one collection holds the other: all has been seen */
        const double factor = exp(1.96 * sqrt(log1p(variance / (unseen * unseen))));
        c.lower = seen + unseen / factor;
        c.upper = seen + unseen * factor;
    }
    return c;
}

/* ==== exact overlap */

void nd_overlap_counts_open(nd_overlap_counts *counts, size_t collections) {
    *counts = (nd_overlap_counts){.collections = collections};
    nd_new(&counts->pages, collections, sizeof *counts->pages);
    nd_new(&counts->alone, collections, sizeof *counts->alone);
    nd_new(&counts->in_exactly, collections + 1, sizeof *counts->in_exactly);
    nd_new(&counts->things, collections * collections, sizeof *counts->things);
    nd_new(&counts->pages_in, collections * collections, sizeof *counts->pages_in);
}

void nd_overlap_counts_add(nd_overlap_counts *counts, const nd_overlap_part *parts, size_t count) {
    size_t mask = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t x = parts[i].collection;
        counts->pages[x] += parts[i].pages;
        for (size_t k = 0; k < count; k++) {
            const size_t cell = x * counts->collections + parts[k].collection;
            counts->things[cell]++;
            counts->pages_in[cell] += parts[i].pages;
        }
        mask |= counts->collections <= ND_VENN_MOST ? (size_t)1 << x : 0;
    }
    counts->alone[parts[0].collection] += count == 1;
    counts->in_exactly[count]++;
    counts->venn[mask]++;
    counts->all++;
}

uint64_t nd_overlap_both(const nd_overlap_counts *counts, size_t x, size_t y) {
    return counts->things[x * counts->collections + y];
}

double nd_overlap_share(const nd_overlap_counts *counts, size_t x, size_t y) {
    const uint64_t own = nd_overlap_both(counts, x, x);
    return own > 0 ? (double)nd_overlap_both(counts, x, y) / (double)own : 0;
}

void nd_overlap_counts_free(nd_overlap_counts *counts) {
    free(counts->pages);
    free(counts->alone);
    free(counts->in_exactly);
    free(counts->things);
    free(counts->pages_in);
    *counts = (nd_overlap_counts){0};
}

/* ==== samples */

void nd_overlap_sample_open(nd_overlap_sample *sample, size_t collections, size_t wanted) {
    *sample = (nd_overlap_sample){.collections = collections,
                                  .words = ND_SAMPLE_BITS + (collections + 63) / 64,
                                  .wanted = wanted};
    nd_new(&sample->of, collections, sizeof *sample->of);
    for (size_t x = 0; x < collections; x++) {
        sample->of[x].most = UINT64_MAX;
    }
}

static void leave_out(nd_overlap_sample *sample, nd_overlap_drawn *drawn) {
    static const nd_record_order by_order = {2, {ND_SAMPLE_ORDER, ND_SAMPLE_PAGE}, NULL};
    nd_record_sort(drawn->records, drawn->count, sample->words * sizeof *drawn->records, &by_order);
    drawn->count = nd_min(drawn->count, sample->wanted);
    if (drawn->count == sample->wanted) {
        drawn->most = drawn->records[(drawn->count - 1) * sample->words + ND_SAMPLE_ORDER];
    }
}

void nd_overlap_sample_offer(nd_overlap_sample *sample, size_t x, uint64_t order, uint64_t page,
                             const uint64_t *in) {
    nd_overlap_drawn *drawn = &sample->of[x];
    if (order > drawn->most) {
        return;
    }
    if (drawn->count >= 2 * sample->wanted) {
        leave_out(sample, drawn);
    }
    nd_grow(&drawn->records, &drawn->capacity, drawn->count + 1,
            sample->words * sizeof *drawn->records);
    uint64_t *record = nd_overlap_drawn_at(sample, x, drawn->count++);
    record[ND_SAMPLE_ORDER] = order;
    record[ND_SAMPLE_PAGE] = page;
    memcpy(record + ND_SAMPLE_BITS, in, (sample->words - ND_SAMPLE_BITS) * sizeof *in);
}

void nd_overlap_sample_finish(nd_overlap_sample *sample) {
    for (size_t x = 0; x < sample->collections; x++) {
        leave_out(sample, &sample->of[x]);
    }
}

void nd_overlap_sample_free(nd_overlap_sample *sample) {
    for (size_t x = 0; sample->of != NULL && x < sample->collections; x++) {
        free(sample->of[x].records);
    }
    free(sample->of);
    *sample = (nd_overlap_sample){0};
}

/* ==== linear equations */

/* What is left of a pivot is rounding below this part of it. */
static const double NOTHING = 1e-12;

bool nd_linear_solve(double *a, double *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double *row = a + i * count;
        const double before = row[i];
        for (size_t k = 0; k <= i; k++) {
            const double *other = a + k * count;
            double left = row[k];
            for (size_t j = 0; j < k; j++) {
                left -= row[j] * other[j];
            }
            row[k] = k < i ? left / other[k] : left;
        }
        if (!(row[i] > NOTHING * before)) { /* also what is no number */
            return false;
        }
        row[i] = sqrt(row[i]);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            b[i] -= a[i * count + j] * b[j];
        }
        b[i] /= a[i * count + i];
    }
    for (size_t i = count; i-- > 0;) {
        for (size_t j = i + 1; j < count; j++) {
            b[i] -= a[j * count + i] * b[j];
        }
        b[i] /= a[i * count + i];
    }
    return true;
}

/* ==== relative sizes */

/* ---- what was found */

void nd_drawn_pages_open(nd_drawn_pages *c, size_t collections) {
    *c = (nd_drawn_pages){.collections = collections};
    nd_new(&c->asked, collections, sizeof *c->asked);
    nd_new(&c->found, collections * collections, sizeof *c->found);
    nd_new(&c->group, collections, sizeof *c->group);
    nd_new(&c->part, collections, sizeof *c->part);
}

void nd_drawn_pages_free(nd_drawn_pages *c) {
    free(c->asked);
    free(c->found);
    free(c->group);
    free(c->part);
    *c = (nd_drawn_pages){0};
}

static uint64_t found(const nd_drawn_pages *c, size_t x, size_t y) {
    return c->found[x * c->collections + y];
}

static double share(const nd_drawn_pages *c, size_t x, size_t y) {
    return (double)found(c, x, y) / (double)c->asked[x];
}

/* Is there anything to compare their sizes by? */
static bool meet(const nd_drawn_pages *c, size_t x, size_t y) {
    return x != y && found(c, x, y) > 0 && found(c, y, x) > 0;
}

/* Mark y and all that hang together with it. */
static void spread(nd_drawn_pages *c, size_t y, size_t group) {
    c->group[y] = group;
    for (size_t z = 0; z < c->collections; z++) {
        if (c->group[z] > group && meet(c, y, z)) {
            spread(c, z, group); /* no deeper than there are collections */
        }
    }
}

void nd_drawn_pages_group(nd_drawn_pages *c) {
    c->groups = 0;
    for (size_t x = 0; x < c->collections; x++) {
        c->group[x] = SIZE_MAX;
    }
    for (size_t x = 0; x < c->collections; x++) {
        if (c->group[x] == SIZE_MAX) {
            spread(c, x, x);
            c->groups++;
        }
    }
}

/* What was found of a sample. \param[in] times  how often each drawn page counts: that of x's i-th
 * is [x * wanted + i]; NULL: once */
static void containment_count(nd_drawn_pages *c, const nd_overlap_sample *sample,
                              const uint32_t *times) {
    memset(c->asked, 0, c->collections * sizeof *c->asked);
    memset(c->found, 0, c->collections * c->collections * sizeof *c->found);
    for (size_t x = 0; x < c->collections; x++) {
        for (size_t i = 0; i < sample->of[x].count; i++) {
            const uint64_t count = times != NULL ? times[x * sample->wanted + i] : 1;
            const uint64_t *bits = nd_overlap_drawn_at(sample, x, i) + ND_SAMPLE_BITS;
            c->asked[x] += count;
            for (size_t w = 0; w < sample->words - ND_SAMPLE_BITS && count > 0; w++) {
                for (uint64_t left = bits[w]; left != 0; left &= left - 1) {
                    const size_t y = 64 * w + (size_t)__builtin_ctzll(left);
                    c->found[x * c->collections + y] += count;
                }
            }
        }
    }
    nd_drawn_pages_group(c);
    for (size_t x = 0; x < c->collections; x++) {
        double sum = 0;
        for (size_t i = 0; i < sample->of[x].count; i++) {
            const uint64_t *bits = nd_overlap_drawn_at(sample, x, i) + ND_SAMPLE_BITS;
            uint64_t having = 0;
            for (size_t w = 0; w < sample->words - ND_SAMPLE_BITS; w++) {
                for (uint64_t left = bits[w]; left != 0; left &= left - 1) {
                    having += c->group[64 * w + (size_t)__builtin_ctzll(left)] == c->group[x];
                }
            }
            sum += (times != NULL ? times[x * sample->wanted + i] : 1) / (double)having;
        }
        c->part[x] = sum / (double)c->asked[x];
    }
}

/* ---- sizes */

/* Variance of the logarithm of a share, about. */
static double variance(const nd_drawn_pages *c, size_t x, size_t y) {
    return 1 / (double)found(c, x, y) - 1 / ((double)c->asked[x] + 1);
}

bool nd_size_ratio(const nd_drawn_pages *c, size_t x, size_t y, nd_estimate *ratio) {
    if (!meet(c, x, y)) {
        return false;
    }
    const double value = share(c, y, x) / share(c, x, y);
    const double factor = exp(1.96 * sqrt(variance(c, x, y) + variance(c, y, x)));
    *ratio = (nd_estimate){value, value / factor, value * factor};
    return true;
}

/* What the pair adds to the normal equation of x: its own coefficient, that of y, the right side.
 */
static void add_pair(const nd_drawn_pages *c, nd_size_form form, size_t x, size_t y, double *own,
                     double *other, double *right) {
    if (form == ND_SIZE_SQUARES) {
        *own = share(c, x, y) * share(c, x, y);
        *other = -share(c, x, y) * share(c, y, x);
        *right = 0;
    } else {
        const double weight = meet(c, x, y) ? 1 / (variance(c, x, y) + variance(c, y, x)) : 0;
        *own = weight;
        *other = -weight;
        *right = weight > 0 ? weight * log(share(c, y, x) / share(c, x, y)) : 0;
    }
}

/* Those of one group. \param[out] sizes  of its collections alone */
static void solve_group(const nd_drawn_pages *c, nd_size_form form, size_t fixed, double *sizes,
                        double *a) {
    const size_t group = c->group[fixed];
    size_t unknowns = 0;
    for (size_t x = 0; x < c->collections; x++) {
        unknowns += c->group[x] == group && x != fixed;
    }
    memset(a, 0, unknowns * unknowns * sizeof *a);
    double *b = a + unknowns * unknowns; /* there is room: a size is fixed */
    size_t row = 0;
    for (size_t x = 0; x < c->collections; x++) {
        size_t column = 0;
        if (c->group[x] != group || x == fixed) {
            continue;
        }
        b[row] = 0;
        for (size_t y = 0; y < c->collections; y++) {
            double own = 0;
            double other = 0;
            double right = 0;
            if (c->group[y] != group) {
                continue;
            }
            if (y != x) {
                add_pair(c, form, x, y, &own, &other, &right);
            }
            a[row * unknowns + row] += own;
            b[row] += right;
            if (y == fixed) {
                b[row] -= form == ND_SIZE_SQUARES ? other : 0; /* its size is 1, its logarithm 0 */
            } else {
                a[row * unknowns + column++] += other;
            }
        }
        row++;
    }
    const bool solved = nd_linear_solve(a, b, unknowns);
    row = 0;
    for (size_t x = 0; x < c->collections; x++) {
        if (c->group[x] == group) {
            const double value = x == fixed ? form == ND_SIZE_SQUARES
                                 : solved   ? b[row]
                                            : (double)NAN;
            sizes[x] = form == ND_SIZE_SQUARES ? value : exp(value);
            row += x != fixed;
        }
    }
}

void nd_relative_sizes(const nd_drawn_pages *c, nd_size_form form, size_t fixed, double *sizes,
                       double *scratch) {
    for (size_t x = 0; x < c->collections; x++) {
        if (c->group[x] == x) {
            solve_group(c, form, c->group[fixed] == x ? fixed : x, sizes, scratch);
        }
    }
}

void nd_joint_shares(const nd_drawn_pages *c, double *sizes) {
    for (size_t group = 0; group < c->collections; group++) {
        double all = 0;
        for (size_t x = group; x < c->collections; x++) {
            all += c->group[x] == group ? sizes[x] * c->part[x] : 0;
        }
        for (size_t x = group; x < c->collections; x++) {
            sizes[x] = c->group[x] == group ? sizes[x] / all : sizes[x];
        }
    }
}

/* ---- how sure they are */

/* As many pages of each collection, drawn anew from those that there are. */
static void resample(const nd_overlap_sample *sample, nd_random *random, uint32_t *times) {
    memset(times, 0, sample->collections * sample->wanted * sizeof *times);
    for (size_t x = 0; x < sample->collections; x++) {
        const size_t count = sample->of[x].count;
        for (size_t i = 0; i < count; i++) {
            times[x * sample->wanted + nd_random_below(random, count)]++;
        }
    }
}

/* Where the values of one quantity lie: each collection has `resamples` of them. */
static double *values_of(double *values, const nd_drawn_pages *c, size_t resamples, int quantity,
                         size_t x) {
    return values + ((size_t)quantity * c->collections + x) * resamples;
}

static void set_interval(nd_estimate *estimate, double value, double *values, size_t count) {
    *estimate = (nd_estimate){value, (double)NAN, (double)NAN};
    if (count > 0 && !isnan(value)) {
        nd_percentile_interval(values, count, &estimate->lower, &estimate->upper);
    }
}

/* Sizes and shares of all collections, by each form. \param[out] sizes  [2 * form, 2 * form + 1] */
static void estimate(const nd_drawn_pages *c, size_t fixed, double *scratch, double *sizes) {
    for (int form = 0; form < ND_SIZE_FORMS; form++, sizes += 2 * c->collections) {
        nd_relative_sizes(c, (nd_size_form)form, fixed, sizes, scratch);
        memcpy(sizes + c->collections, sizes, c->collections * sizeof *sizes);
        nd_joint_shares(c, sizes + c->collections);
    }
}

void nd_size_estimates_make(nd_size_estimates *estimates, const nd_overlap_sample *sample,
                            size_t fixed, size_t resamples, uint64_t seed) {
    enum { QUANTITIES = 2 * ND_SIZE_FORMS };
    nd_drawn_pages again = {0};
    nd_random random = {seed};
    uint32_t *times = NULL;
    double *scratch = NULL;
    double *values = NULL; /* of resamples */
    double *sizes = NULL;  /* of one sample */
    size_t kept = 0;
    const size_t count = sample->collections;
    nd_size_estimates *e = estimates;
    *e = (nd_size_estimates){.apart = 0};
    nd_drawn_pages_open(&e->of, count);
    nd_drawn_pages_open(&again, count);
    nd_new(&times, count * sample->wanted, sizeof *times);
    nd_new_room(&scratch, count * count, sizeof *scratch);
    nd_new_room(&values, QUANTITIES * count * resamples, sizeof *values);
    nd_new_room(&sizes, QUANTITIES * count, sizeof *sizes);
    for (int form = 0; form < ND_SIZE_FORMS; form++) {
        nd_new(&e->by[form], count, sizeof *e->by[form]);
    }
    containment_count(&e->of, sample, NULL);
    for (size_t r = 0; r < resamples; r++) {
        resample(sample, &random, times);
        containment_count(&again, sample, times);
        if (memcmp(again.group, e->of.group, count * sizeof *again.group) != 0) {
            e->apart++;
            continue;
        }
        estimate(&again, fixed, scratch, sizes);
        for (int q = 0; q < QUANTITIES; q++) {
            for (size_t x = 0; x < count; x++) {
                values_of(values, &again, resamples, q, x)[kept] = sizes[(size_t)q * count + x];
            }
        }
        kept++;
    }
    estimate(&e->of, fixed, scratch, sizes);
    for (int q = 0; q < QUANTITIES; q++) {
        for (size_t x = 0; x < count; x++) {
            nd_size_estimate *to = &e->by[q / 2][x];
            set_interval(q % 2 == 0 ? &to->size : &to->share, sizes[(size_t)q * count + x],
                         values_of(values, &again, resamples, q, x), kept);
        }
    }
    nd_drawn_pages_free(&again);
    free(times);
    free(scratch);
    free(values);
    free(sizes);
}

void nd_size_estimates_free(nd_size_estimates *estimates) {
    nd_drawn_pages_free(&estimates->of);
    for (int form = 0; form < ND_SIZE_FORMS; form++) {
        free(estimates->by[form]);
    }
    *estimates = (nd_size_estimates){0};
}
