#include "mpi/job/units.h"

#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* Opening a file costs about as much as reading this many bytes; without it a rank that gets
 * many small files would get too many. */
static const uint64_t OPEN_COST_BYTES = 16384;
static const uint64_t SMALLEST_UNIT = UINT64_C(1) << 20;
static const uint64_t LARGEST_UNIT = UINT64_C(64) << 20;
/* Units per rank, so that the last one read is a small part of a rank's work. */
static const uint64_t UNITS_PER_RANK = 4;

static const uint64_t NONE = UINT64_MAX;

static uint64_t unit_cost(const nd_unit *unit) {
    return unit->done ? 0 : unit->end - unit->begin + OPEN_COST_BYTES;
}

/* Consecutive units whose middle lies in this rank's share of the total cost. */
void nd_units_deal(nd_units *units, int rank, int size) {
    uint64_t total = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < units->count; i++) {
        total += unit_cost(&units->units[i]);
    }
    const double low = (double)total / size * rank;
    const double high = rank + 1 == size ? (double)total + 1 : (double)total / size * (rank + 1);
    units->own_begin = units->count;
    units->own_end = units->count;
    for (size_t i = 0; i < units->count; i++) {
        const uint64_t cost = unit_cost(&units->units[i]);
        const double middle = (double)before + (double)cost / 2;
        before += cost;
        if (middle >= low && i < units->own_begin) {
            units->own_begin = i;
        }
        if (middle >= high && i < units->own_end) {
            units->own_end = i;
        }
    }
    ND_ASSERT(units->own_begin <= units->own_end, units->own_begin, units->own_end, units->count);
}

uint64_t nd_units_bytes(const nd_input_list *inputs, uint64_t asked, int size) {
    uint64_t total = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        total += inputs->inputs[i].is.bytes;
    }
    const uint64_t part = total / (uint64_t)size / UNITS_PER_RANK;
    return asked > 0 ? asked : nd_max(SMALLEST_UNIT, nd_min(part, LARGEST_UNIT));
}

nd_status nd_units_cut(nd_units *units, const nd_input_list *inputs, const nd_source_shape *shapes,
                       uint64_t unit_bytes, int rank, int size) {
    nd_status st = ND_OK;
    *units = (nd_units){0};
    for (size_t i = 0; i < inputs->count; i++) {
        const nd_source_shape *shape = &shapes[i];
        const uint64_t bytes = shape->format == NULL ? 0 : shape->bytes;
        const uint64_t step = shape->splittable ? unit_bytes : bytes;
        for (uint64_t begin = 0; begin < bytes;) {
            const uint64_t end = begin + nd_min(bytes - begin, step);
            ND_TRY(
                nd_grow(&units->units, &units->capacity, units->count + 1, sizeof *units->units));
            units->units[units->count++] =
                (nd_unit){.source = i, .begin = begin, .end = end, .first = NONE, .next = NONE};
            ND_ASSERT(begin < end && end <= bytes, begin, end, bytes);
            begin = end;
        }
    }
    nd_units_deal(units, rank, size);
out:
    return st;
}

/* What reading shows of a unit, as numbers; from the unit, or into it. */
enum { UNIT_FIELDS = 14, UNIT_NUMBERS = UNIT_FIELDS + ND_OTHERS };

static void unit_numbers(nd_unit *unit, uint64_t *numbers, int into) {
    uint64_t *const fields[UNIT_FIELDS] = {
        &unit->first,      &unit->next,   &unit->done,     &unit->reads,  &unit->records,
        &unit->pages,      &unit->place,  &unit->skipped,  &unit->failed, &unit->checksum,
        &unit->page_bytes, &unit->blocks, &unit->revisits, &unit->gaps};
    for (int i = 0; i < UNIT_NUMBERS; i++) {
        uint64_t *field = i < UNIT_FIELDS ? fields[i] : &unit->others[i - UNIT_FIELDS];
        if (into) {
            *field = numbers[i];
        } else {
            numbers[i] = *field;
        }
    }
}

/* A unit's numbers come from its owner alone: a sum with zeros of all others. */
void nd_units_share(nd_units *units, const nd_comm *comm) {
    enum { BLOCK = 1 << 13 };
    static uint64_t numbers[UNIT_NUMBERS * BLOCK];
    const uint64_t owned = nd_comm_sum(comm, units->own_end - units->own_begin);
    ND_ASSERT(owned == units->count, owned, units->count); /* each is some rank's */
    for (size_t begin = 0; begin < units->count; begin += BLOCK) {
        const size_t count = nd_min(units->count - begin, BLOCK);
        memset(numbers, 0, UNIT_NUMBERS * count * sizeof *numbers);
        for (size_t i = begin; i < begin + count; i++) {
            if (i >= units->own_begin && i < units->own_end) {
                unit_numbers(&units->units[i], &numbers[UNIT_NUMBERS * (i - begin)], 0);
            }
        }
        nd_comm_sum_all(comm, numbers, UNIT_NUMBERS * count);
        for (size_t i = begin; i < begin + count; i++) {
            unit_numbers(&units->units[i], &numbers[UNIT_NUMBERS * (i - begin)], 1);
            ND_ASSERT(units->units[i].done <= 1, units->units[i].done, i); /* and only one rank's */
        }
    }
}

size_t nd_units_mend(nd_units *units, const nd_comm *comm) {
    nd_units_share(units, comm);
    size_t mended = 0;
    uint64_t expected = NONE; /* start of the next record, once a unit of the source had one */
    int known = 0;
    for (size_t i = 0; i < units->count; i++) {
        nd_unit *unit = &units->units[i];
        if (i == 0 || units->units[i - 1].source != unit->source) {
            known = 0;
        }
        if (unit->failed) { /* where its first and next records start is not known */
            known = 0;
            continue;
        }
        const uint64_t right = known && expected < unit->end ? expected : NONE;
        /* a unit that was read from there already is taken as it is, so that this always ends */
        /* the true start of its first record; its end if the record before reaches beyond it */
        const uint64_t begin = nd_min(expected, unit->end);
        if (known && unit->first != right && unit->begin != begin) {
            ND_ASSERT(begin <= unit->end, begin, unit->end, i);
            unit->begin = begin;
            unit->done = 0;
            mended += i >= units->own_begin && i < units->own_end;
            /* the rest of the source is compared once this one was read again */
            while (i + 1 < units->count && units->units[i + 1].source == unit->source) {
                i++;
            }
            continue;
        }
        if (known && unit->first != right) { /* damage: the scan for the next start decides */
            known = 0;
        }
        if (unit->first != NONE) {
            known = 1;
            expected = unit->next;
        }
    }
    return mended;
}

void nd_units_free(nd_units *units) {
    free(units->units);
    *units = (nd_units){0};
}
