#include "mpi/job/inputs.h"

#include "src/base/printable.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list */

/* The list as bytes: counts, then for each input its numbers and texts, then the collections and
 * the roots. Read by the same program on another rank, or by one of the same version out of a work
 * folder or an index, whose bytes may be anyone's. */

enum { NUMBERS = 8 };
/* What is said of an input by one bit. */
enum { STANDARD_INPUT = 1, OTHER_NAME = 2 };

static void pack_text(nd_buffer *buffer, const char *text) {
    nd_buffer_append(buffer, text, strlen(text) + 1);
}

void nd_inputs_pack(const nd_input_list *list, nd_buffer *buffer) {
    const uint64_t counts[3] = {list->count, list->collection_count, list->root_count};
    nd_buffer_append(buffer, counts, sizeof counts);
    for (size_t i = 0; i < list->count; i++) {
        const nd_input *input = &list->inputs[i];
        const bool other = strcmp(input->named, input->path) != 0;
        const uint64_t flags =
            (uint64_t)(input->standard_input ? STANDARD_INPUT : 0) | (other ? OTHER_NAME : 0);
        nd_file_identity is = input->is;
        if (input->standard_input) { /* its copy is another file in each run */
            is = (nd_file_identity){.bytes = input->is.bytes};
        }
        const uint64_t numbers[NUMBERS] = {
            is.bytes,          is.inode,    is.modified,   is.altered,
            input->collection, input->root, input->device, flags};
        nd_buffer_append(buffer, numbers, sizeof numbers);
        pack_text(buffer, input->path);
        if (other) {
            pack_text(buffer, input->named);
        }
    }
    for (size_t i = 0; i < list->collection_count; i++) {
        pack_text(buffer, list->collections[i]);
    }
    for (size_t i = 0; i < list->root_count; i++) {
        const uint64_t collection = list->roots[i].collection;
        nd_buffer_append(buffer, &collection, sizeof collection);
        pack_text(buffer, list->roots[i].name);
        pack_text(buffer, list->roots[i].folder);
    }
}

/* The result file numbers collections in 16 bits. */
enum { MOST_COLLECTIONS = 65535 };

static char *next_text(char **from) {
    char *text = *from;
    *from += strlen(text) + 1;
    return text;
}

static void next_numbers(char **from, uint64_t *numbers, size_t count) {
    memcpy(numbers, *from, count * sizeof *numbers);
    *from += count * sizeof *numbers;
}

/* Put a text where the texts before it end, over the numbers, which are not needed any more. */
static void move_text(char **to, char **from) {
    const size_t size = strlen(*from) + 1;
    memmove(*to, *from, size);
    *to += size;
    *from += size;
}

/* Take numbers and texts off the front; false if they are not all there. */
static bool pass(nd_span *rest, size_t numbers, uint64_t *values, unsigned texts) {
    const size_t size = numbers * sizeof *values;
    if (rest->size < size) {
        return false;
    }
    memcpy(values, rest->data, size);
    *rest = nd_span_part(*rest, size, rest->size);
    for (; texts > 0; texts--) {
        const uint8_t *end = rest->size == 0 ? NULL : memchr(rest->data, '\0', rest->size);
        if (end == NULL) {
            return false;
        }
        *rest = nd_span_part(*rest, (size_t)(end - rest->data) + 1, rest->size);
    }
    return true;
}

/* Are these the bytes of a list, all of them? */
static bool are_whole(nd_span rest) {
    uint64_t counts[3] = {0};
    uint64_t numbers[NUMBERS] = {0};
    bool whole = pass(&rest, 3, counts, 0);
    for (uint64_t i = 0; i < counts[0] && whole; i++) {
        whole = pass(&rest, NUMBERS, numbers, 1) && numbers[4] < counts[1] &&
                numbers[5] < counts[2] &&
                ((numbers[7] & OTHER_NAME) == 0 || pass(&rest, 0, numbers, 1));
    }
    for (uint64_t i = 0; i < counts[1] && whole; i++) {
        whole = pass(&rest, 0, numbers, 1);
    }
    for (uint64_t i = 0; i < counts[2] && whole; i++) {
        whole = pass(&rest, 1, numbers, 2) && numbers[0] < counts[1];
    }
    return whole && rest.size == 0;
}

nd_status nd_inputs_unpack(char **bytes, size_t size, nd_input_list *list) {
    char *from = *bytes;
    char *to = *bytes;
    uint64_t counts[3];
    *list = (nd_input_list){0};
    if (!are_whole((nd_span){(const uint8_t *)*bytes, size})) {
        return nd_fail(ND_ERR_FORMAT, "damaged: its list of inputs is none");
    }
    next_numbers(&from, counts, 3);
    nd_grow(&list->inputs, &list->capacity, counts[0], sizeof *list->inputs);
    nd_grow(&list->collections, &list->collection_capacity, counts[1], sizeof *list->collections);
    nd_grow(&list->roots, &list->root_capacity, counts[2], sizeof *list->roots);
    for (; list->count < counts[0]; list->count++) {
        uint64_t numbers[NUMBERS];
        nd_input *input = &list->inputs[list->count];
        next_numbers(&from, numbers, NUMBERS);
        *input = (nd_input){.is = {.bytes = numbers[0],
                                   .inode = numbers[1],
                                   .modified = numbers[2],
                                   .altered = numbers[3]},
                            .collection = (uint32_t)numbers[4],
                            .root = (uint32_t)numbers[5],
                            .device = numbers[6],
                            .standard_input = (numbers[7] & STANDARD_INPUT) != 0,
                            .other_name = (numbers[7] & OTHER_NAME) != 0};
        list->takes_stdin = list->takes_stdin || input->standard_input;
        move_text(&to, &from);
        if (input->other_name) {
            move_text(&to, &from);
        }
    }
    for (size_t i = 0; i < counts[1]; i++) {
        move_text(&to, &from);
    }
    for (; list->root_count < counts[2]; list->root_count++) {
        uint64_t collection = 0;
        next_numbers(&from, &collection, 1);
        list->roots[list->root_count] = (nd_input_root){.collection = (uint32_t)collection};
        move_text(&to, &from);
        move_text(&to, &from);
    }

    /* the texts alone stay */
    const size_t left = (size_t)(to - *bytes);
    char *texts = realloc(*bytes, left + 1);
    *bytes = texts != NULL ? texts : *bytes;
    from = *bytes;
    nd_texts_take(&list->texts, *bytes, texts != NULL ? left + 1 : size);
    *bytes = NULL;
    for (size_t i = 0; i < list->count; i++) {
        nd_input *input = &list->inputs[i];
        input->path = next_text(&from);
        input->named = input->other_name ? next_text(&from) : input->path;
    }
    for (; list->collection_count < counts[1]; list->collection_count++) {
        list->collections[list->collection_count] = next_text(&from);
    }
    for (size_t i = 0; i < list->root_count; i++) {
        list->roots[i].name = next_text(&from);
        list->roots[i].folder = next_text(&from);
    }
    return ND_OK;
}

/* The number of a collection in a list, to which it is moved if need be. */
static nd_status move_collection(nd_input_list *list, char **name, uint32_t *number) {
    size_t i = 0;
    while (i < list->collection_count && strcmp(list->collections[i], *name) != 0) {
        i++;
    }
    *number = (uint32_t)i;
    if (i < list->collection_count) {
        return ND_OK;
    }
    if (i == MOST_COLLECTIONS) {
        return nd_fail(ND_ERR_LIMIT, "more than %d collections: they cannot be distinguished",
                       MOST_COLLECTIONS);
    }
    nd_grow(&list->collections, &list->collection_capacity, i + 1, sizeof *list->collections);
    list->collections[list->collection_count++] = *name;
    *name = NULL;
    return ND_OK;
}

nd_status nd_inputs_put_before(nd_input_list *list, nd_input_list *before) {
    nd_status st = ND_OK;
    uint32_t *numbers = NULL;
    nd_new(&numbers, list->collection_count, sizeof *numbers);
    for (size_t i = 0; i < list->collection_count; i++) {
        ND_TRY(move_collection(before, &list->collections[i], &numbers[i]));
    }
    nd_grow(&before->inputs, &before->capacity, before->count + list->count,
            sizeof *before->inputs);
    nd_grow(&before->roots, &before->root_capacity, before->root_count + list->root_count,
            sizeof *before->roots);
    nd_grow(&before->texts.blocks, &before->texts.capacity, before->texts.count + list->texts.count,
            sizeof *before->texts.blocks);
    for (size_t i = 0; i < list->count; i++) {
        nd_input *input = &before->inputs[before->count++];
        *input = list->inputs[i];
        input->collection = numbers[input->collection];
        input->root += (uint32_t)before->root_count;
    }
    for (size_t i = 0; i < list->root_count; i++) {
        nd_input_root *root = &before->roots[before->root_count++];
        *root = list->roots[i];
        root->collection = numbers[root->collection];
    }
    for (; list->texts.count > 0; list->texts.count--) {
        nd_texts_take(&before->texts, list->texts.blocks[list->texts.count - 1], 0);
    }
    before->texts.bytes += list->texts.bytes;
    before->takes_stdin = list->takes_stdin;
    nd_input_list_free(list);
    *list = *before;
    *before = (nd_input_list){0};
out:
    free(numbers);
    return st;
}

nd_status nd_inputs_share(nd_comm *comm, const char *const *words, size_t count, bool skip_copies,
                          nd_input_list *list) {
    nd_status st = ND_OK;
    nd_buffer buffer = {0};
    char *bytes = NULL;
    *list = (nd_input_list){0};
    if (comm->rank == 0) {
        st = nd_input_list_resolve(list, words, count);
        st = st != ND_OK || !skip_copies ? st : nd_input_list_skip_copies(list);
        if (st == ND_OK && list->collection_count > MOST_COLLECTIONS) {
            st = nd_fail(ND_ERR_LIMIT, "%zu collections: at most %d can be distinguished",
                         list->collection_count, MOST_COLLECTIONS);
        }
        if (st == ND_OK) {
            nd_inputs_pack(list, &buffer);
        }
    }
    ND_TRY(nd_comm_agree(comm, st));
    if (comm->rank == 0 && list->left_out > 0) {
        (void)fprintf(stderr,
                      "neardup: %llu files of the input folders are neither pages nor crawls "
                      "by their names, and are left out (name them to have them read)\n",
                      (unsigned long long)list->left_out);
    }
    if (comm->rank == 0 && list->repeated > 0) {
        (void)fprintf(stderr,
                      "neardup: %llu inputs were given twice (the same file, by whatever names, in "
                      "one collection): each is read once\n",
                      (unsigned long long)list->repeated);
    }
    nd_comm_share_bytes(comm, &buffer);
    nd_input_list_free(list); /* rank 0's: in one piece it takes less */
    bytes = (char *)buffer.data;
    const size_t size = buffer.size;
    buffer = (nd_buffer){0};
    ND_TRY(nd_comm_agree(comm, nd_inputs_unpack(&bytes, size, list)));
out:
    nd_buffer_free(&buffer);
    free(bytes);
    if (st != ND_OK) {
        nd_input_list_free(list);
    }
    return st;
}

nd_status nd_inputs_seed(nd_comm *comm, const nd_input_list *list, uint64_t *seed) {
    nd_status st = ND_OK;
    nd_buffer scratch = {0};
    uint64_t sum = 0;
    for (size_t i = (size_t)comm->rank; i < list->count && st == ND_OK; i += (size_t)comm->size) {
        uint64_t number = 0;
        st = nd_input_number(nd_input_file(&list->inputs[i]), &scratch, &number);
        sum += number;
    }
    ND_TRY(nd_comm_agree(comm, st));
    *seed = nd_input_seed(nd_comm_sum(comm, sum));
out:
    nd_buffer_free(&scratch);
    return st;
}

/* ---- units */

/* Opening a file costs about as much as reading this many bytes; without it a rank that gets
 * many small files would get too many. */
static const uint64_t OPEN_COST_BYTES = 16384;
static const uint64_t SMALLEST_UNIT = UINT64_C(1) << 20;
static const uint64_t LARGEST_UNIT = UINT64_C(64) << 20;
/* Units per rank, so that the last one read is a small part of a rank's work. */
static const uint64_t UNITS_PER_RANK = 16;

static const uint64_t NONE = UINT64_MAX;

uint64_t nd_unit_cost(const nd_unit *unit) {
    return unit->done ? 0 : unit->end - unit->begin + OPEN_COST_BYTES;
}

/* Consecutive units whose middle lies in this rank's share of the total cost. */
void nd_units_deal(nd_units *units, int rank, int size) {
    uint64_t total = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < units->count; i++) {
        total += nd_unit_cost(&units->units[i]);
    }
    const double low = (double)total / size * rank;
    const double high = rank + 1 == size ? (double)total + 1 : (double)total / size * (rank + 1);
    units->own_begin = units->count;
    units->own_end = units->count;
    for (size_t i = 0; i < units->count; i++) {
        const uint64_t cost = nd_unit_cost(&units->units[i]);
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
    free(units->fresh);
    nd_new(&units->fresh, units->count, sizeof *units->fresh);
}

uint64_t nd_units_bytes(const nd_input_list *inputs, uint64_t asked, int size) {
    uint64_t total = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        total += inputs->inputs[i].is.bytes;
    }
    const uint64_t part = total / (uint64_t)size / UNITS_PER_RANK;
    return asked > 0 ? asked : nd_max(SMALLEST_UNIT, nd_min(part, LARGEST_UNIT));
}

void nd_units_cut(nd_units *units, const nd_input_list *inputs, const nd_source_shape *shapes,
                  uint64_t unit_bytes, int rank, int size) {
    *units = (nd_units){0};
    for (size_t i = 0; i < inputs->count; i++) {
        const nd_source_shape *shape = &shapes[i];
        const uint64_t bytes = shape->format == NULL ? 0 : shape->bytes;
        const uint64_t step = shape->splittable ? unit_bytes : bytes;
        for (uint64_t begin = 0; begin < bytes;) {
            const uint64_t end = begin + nd_min(bytes - begin, step);
            nd_grow(&units->units, &units->capacity, units->count + 1, sizeof *units->units);
            units->units[units->count++] =
                (nd_unit){.source = i, .begin = begin, .end = end, .first = NONE, .next = NONE};
            ND_ASSERT(begin < end && end <= bytes, begin, end, bytes);
            begin = end;
        }
    }
    nd_units_deal(units, rank, size);
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

/* A unit's numbers come from its reader alone: a sum with zeros of all others. */
void nd_units_share(nd_units *units, const nd_comm *comm) {
    enum { BLOCK = 1 << 13, EACH = UNIT_NUMBERS + 1 }; /* first: was it read? */
    static uint64_t numbers[EACH * BLOCK];
    for (size_t begin = 0; begin < units->count; begin += BLOCK) {
        const size_t count = nd_min(units->count - begin, BLOCK);
        memset(numbers, 0, EACH * count * sizeof *numbers);
        for (size_t i = 0; i < count; i++) {
            if (units->fresh[begin + i]) {
                ND_ASSERT(units->units[begin + i].done == 1, units->units[begin + i].done, i);
                numbers[EACH * i] = 1;
                unit_numbers(&units->units[begin + i], &numbers[EACH * i + 1], 0);
            }
        }
        nd_comm_sum_all(comm, numbers, EACH * count);
        for (size_t i = 0; i < count; i++) {
            ND_ASSERT(numbers[EACH * i] <= 1, begin + i); /* only one rank has read it */
            if (numbers[EACH * i] > 0) {
                unit_numbers(&units->units[begin + i], &numbers[EACH * i + 1], 1);
            }
            units->fresh[begin + i] = false;
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
    free(units->fresh);
    *units = (nd_units){0};
}
