/* The list of inputs on all ranks: what rank 0 resolved, in no more memory than a record of fixed
 * size and its own texts take an input. */
#include "mpi/job/inputs.h"
#include "src/base/util.h"
#include "tests/support/mpi_check.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 300 };

/* Rank 0 makes files in `folder`; each third has a second name before its first. */
static void make_files(const char *folder) {
    char path[4200];
    char other[4200];
    for (int i = 0; i < FILES; i++) {
        (void)snprintf(path, sizeof path, "m%03d.txt", i);
        (void)nd_test_write(path, nd_test_span("text"));
        (void)snprintf(path, sizeof path, "%s/m%03d.txt", folder, i);
        (void)snprintf(other, sizeof other, "%s/a%03d.txt", folder, i);
        CU_ASSERT(i % 3 > 0 || link(path, other) == 0);
    }
}

static bool same_list(const nd_input_list *is, const nd_input_list *was) {
    bool same = is->count == was->count && is->collection_count == was->collection_count &&
                is->root_count == was->root_count;
    for (size_t i = 0; same && i < is->count; i++) {
        const nd_input *a = &is->inputs[i];
        const nd_input *b = &was->inputs[i];
        same = strcmp(a->path, b->path) == 0 && strcmp(a->named, b->named) == 0 &&
               memcmp(&a->is, &b->is, sizeof a->is) == 0 && a->device == b->device &&
               a->collection == b->collection && a->root == b->root;
    }
    for (size_t i = 0; same && i < is->collection_count; i++) {
        same = strcmp(is->collections[i], was->collections[i]) == 0;
    }
    for (size_t i = 0; same && i < is->root_count; i++) {
        same = strcmp(is->roots[i].name, was->roots[i].name) == 0 &&
               strcmp(is->roots[i].folder, was->roots[i].folder) == 0 &&
               is->roots[i].collection == was->roots[i].collection;
    }
    return same;
}

static void test_share(void) {
    nd_comm *comm = nd_mpi_test_comm();
    nd_input_list list = {0};
    nd_input_list expected = {0};
    char folder[4096] = "";
    char named[4200];
    char file[4200];
    if (comm->rank == 0) {
        (void)snprintf(folder, sizeof folder, "%s", nd_test_folder());
        make_files(folder);
    }
    ND_MPI(MPI_Bcast(folder, (int)sizeof folder, MPI_CHAR, 0, comm->handle));
    (void)snprintf(named, sizeof named, "all=%s", folder);
    (void)snprintf(file, sizeof file, "some=%s/m000.txt", folder); /* it has another name, too */
    const char *const words[] = {named, file};
    CU_ASSERT(nd_inputs_share(comm, words, 2, false, &list) == ND_OK);
    CU_ASSERT(nd_input_list_resolve(&expected, words, 2) == ND_OK);
    (void)ND_CHECK_ALL(comm, list.count == FILES + 1 && same_list(&list, &expected));

    uint64_t texts = 0;
    for (size_t i = 0; i < list.count; i++) {
        const nd_input *input = &list.inputs[i];
        texts += strlen(input->path) + 1;
        texts += strcmp(input->named, input->path) != 0 ? strlen(input->named) + 1 : 0;
    }
    const uint64_t rest = 4 * strlen(folder) + 100; /* collections and roots */
    (void)ND_CHECK_ALL(comm, nd_input_list_bytes(&list) <=
                                 list.count * sizeof *list.inputs + texts + rest);
    nd_input_list_free(&list);
    nd_input_list_free(&expected);
}

/* The seed is that of the bytes alone: the names, their order, and the ranks mean nothing. */
static void test_seed(void) {
    enum { TEXTS = 7 };
    static const char *const words[2][1] = {{"ahead"}, {"behind"}};
    nd_comm *comm = nd_mpi_test_comm();
    nd_input_list lists[2] = {{0}};
    uint64_t seeds[3] = {0};
    nd_buffer scratch = {0};
    uint64_t sum = 0;
    char path[64];
    CU_ASSERT_EQUAL_FATAL(chdir(nd_test_folder()), 0); /* each rank has its own */
    for (int k = 0; k < 2; k++) {
        (void)mkdir(words[k][0], 0700);
        for (uint32_t i = 0; i < TEXTS; i++) {
            const char text[] = {'t', 'e', 'x', 't', (char)('a' + i), '\0'};
            (void)snprintf(path, sizeof path, "%s/%u.txt", words[k][0], k == 0 ? i : TEXTS - i);
            (void)nd_test_write(path, nd_test_span(text));
        }
        CU_ASSERT_EQUAL_FATAL(nd_input_list_resolve(&lists[k], words[k], 1), ND_OK);
        CU_ASSERT_EQUAL_FATAL(lists[k].count, TEXTS);
        CU_ASSERT_EQUAL(nd_inputs_seed(comm, &lists[k], &seeds[k]), ND_OK);
    }
    for (size_t i = 0; i < TEXTS; i++) {
        uint64_t number = 0;
        CU_ASSERT_EQUAL(nd_input_number(lists[0].inputs[i].path, &scratch, &number), ND_OK);
        sum += number;
    }
    (void)ND_CHECK_ALL(comm, seeds[0] == seeds[1] && seeds[0] > 0 && seeds[0] >> 53 == 0);
    (void)ND_CHECK_ALL(comm, seeds[0] == nd_mix64(sum) >> 11);
    lists[1].count--; /* it depends on each of them */
    CU_ASSERT_EQUAL(nd_inputs_seed(comm, &lists[1], &seeds[2]), ND_OK);
    (void)ND_CHECK_ALL(comm, seeds[2] != seeds[1]);
    nd_input_list_free(&lists[0]);
    nd_input_list_free(&lists[1]);
    nd_buffer_free(&scratch);
}

/* The bytes of a list, which may come out of a file that anyone has made: cut anywhere, or with
 * another number in them, they are no list, and nothing beyond them is read. */
static void test_damaged(void) {
    enum { NUMBERS_OF_COUNTS = 3, COLLECTION = 4, ROOT = 5 };
    const char *const words[] = {nd_test_write("one.txt", nd_test_span("text"))};
    nd_input_list list = {0};
    nd_input_list again = {0};
    nd_buffer packed = {0};
    CU_ASSERT_EQUAL(nd_input_list_resolve(&list, words, 1), ND_OK);
    nd_inputs_pack(&list, &packed);
    for (size_t cut = 0; cut <= packed.size; cut++) {
        char *bytes = nd_mpi_test_new(cut, 1);
        memcpy(bytes, packed.data, cut);
        CU_ASSERT_EQUAL(nd_inputs_unpack(&bytes, cut, &again),
                        cut < packed.size ? ND_ERR_FORMAT : ND_OK);
        nd_input_list_free(&again);
        free(bytes);
    }
    for (size_t i = 0; i <= NUMBERS_OF_COUNTS + ROOT; i++) {
        const bool counts = i < NUMBERS_OF_COUNTS;
        const bool checked = counts || i - NUMBERS_OF_COUNTS >= COLLECTION;
        const uint64_t other = UINT64_C(1) << 61;
        char *bytes = nd_mpi_test_new(packed.size, 1);
        memcpy(bytes, packed.data, packed.size);
        memcpy(bytes + i * sizeof other, &other, sizeof other);
        CU_ASSERT_EQUAL(nd_inputs_unpack(&bytes, packed.size, &again),
                        checked ? ND_ERR_FORMAT : ND_OK);
        nd_input_list_free(&again);
        free(bytes);
    }
    nd_input_list_free(&list);
    nd_buffer_free(&packed);
}

static const nd_test tests[] = {
    {"share", test_share},
    {"seed", test_seed},
    {"damaged", test_damaged},
};
ND_SUITE(m_inputs, tests)
