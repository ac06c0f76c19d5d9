#include "mpi/job/inputs.h"

#include "src/base/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list as bytes: counts, then for each input its numbers and texts, then the collections. Only
 * ever read by the same program on another rank. */

static nd_status pack_text(nd_buffer *buffer, const char *text) {
    return nd_buffer_append(buffer, text, strlen(text) + 1);
}

nd_status nd_inputs_pack(const nd_input_list *list, nd_buffer *buffer) {
    nd_status st = ND_OK;
    const uint64_t counts[2] = {list->count, list->collection_count};
    ND_TRY(nd_buffer_append(buffer, counts, sizeof counts));
    for (size_t i = 0; i < list->count; i++) {
        const nd_input *input = &list->inputs[i];
        const uint64_t numbers[5] = {input->bytes, input->collection, input->device, input->inode,
                                     input->standard_input};
        ND_TRY(nd_buffer_append(buffer, numbers, sizeof numbers));
        ND_TRY(pack_text(buffer, input->path));
        ND_TRY(pack_text(buffer, input->url));
    }
    for (size_t i = 0; i < list->collection_count; i++) {
        ND_TRY(pack_text(buffer, list->collections[i]));
    }
out:
    return st;
}

/* The result file numbers collections in 16 bits. */
enum { MOST_COLLECTIONS = 65535 };

static nd_status unpack_text(const uint8_t **from, char **text) {
    const size_t size = strlen((const char *)*from) + 1;
    const nd_status st = nd_new(text, size, 1);
    if (st == ND_OK) {
        memcpy(*text, *from, size);
        *from += size;
    }
    return st;
}

nd_status nd_inputs_unpack(const uint8_t *from, nd_input_list *list) {
    nd_status st = ND_OK;
    *list = (nd_input_list){0};
    uint64_t counts[2];
    memcpy(counts, from, sizeof counts);
    from += sizeof counts;
    ND_TRY(nd_grow(&list->inputs, &list->capacity, counts[0], sizeof *list->inputs));
    ND_TRY(nd_grow(&list->collections, &list->collection_capacity, counts[1],
                   sizeof *list->collections));
    for (; list->count < counts[0]; list->count++) {
        uint64_t numbers[5];
        nd_input *input = &list->inputs[list->count];
        memcpy(numbers, from, sizeof numbers);
        from += sizeof numbers;
        *input = (nd_input){.bytes = numbers[0],
                            .collection = (uint32_t)numbers[1],
                            .device = numbers[2],
                            .inode = numbers[3],
                            .standard_input = numbers[4] != 0};
        ND_TRY(unpack_text(&from, &input->path));
        ND_TRY(unpack_text(&from, &input->url));
    }
    for (; list->collection_count < counts[1]; list->collection_count++) {
        ND_TRY(unpack_text(&from, &list->collections[list->collection_count]));
    }
out:
    return st;
}

/* The number of a collection in a list, to which it is moved if need be. */
static nd_status move_collection(nd_input_list *list, char **name, uint32_t *number) {
    nd_status st = ND_OK;
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
    ND_TRY(
        nd_grow(&list->collections, &list->collection_capacity, i + 1, sizeof *list->collections));
    list->collections[list->collection_count++] = *name;
    *name = NULL;
out:
    return st;
}

nd_status nd_inputs_put_before(nd_input_list *list, nd_input_list *before) {
    nd_status st = ND_OK;
    uint32_t *numbers = NULL;
    ND_TRY(nd_new(&numbers, list->collection_count, sizeof *numbers));
    for (size_t i = 0; i < list->collection_count; i++) {
        ND_TRY(move_collection(before, &list->collections[i], &numbers[i]));
    }
    ND_TRY(nd_grow(&before->inputs, &before->capacity, before->count + list->count,
                   sizeof *before->inputs));
    for (size_t i = 0; i < list->count; i++) {
        before->inputs[before->count] = list->inputs[i];
        before->inputs[before->count++].collection = numbers[list->inputs[i].collection];
    }
    list->count = 0; /* they have moved */
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
    *list = (nd_input_list){0};
    if (comm->rank == 0) {
        st = nd_input_list_resolve(list, words, count);
        st = st != ND_OK || !skip_copies ? st : nd_input_list_skip_copies(list);
        if (st == ND_OK && list->collection_count > MOST_COLLECTIONS) {
            st = nd_fail(ND_ERR_LIMIT, "%zu collections: at most %d can be distinguished",
                         list->collection_count, MOST_COLLECTIONS);
        }
        st = st != ND_OK ? st : nd_inputs_pack(list, &buffer);
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
    ND_TRY(nd_comm_share_bytes(comm, &buffer));
    ND_TRY(nd_comm_agree(comm, comm->rank == 0 ? ND_OK : nd_inputs_unpack(buffer.data, list)));
out:
    nd_buffer_free(&buffer);
    if (st != ND_OK) {
        nd_input_list_free(list);
    }
    return st;
}
