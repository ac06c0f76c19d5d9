/* Breaks a contract (src/base/status.h) on purpose: break_contract PLACE, where PLACE is the file
 * whose ND_ASSERT has to find it, and what is broken there; without arguments, the list of places.
 * All ranks call, and the last one alone breaks what one rank can break: the others must leave with
 * it. */
#include "io/result/result_file.h"
#include "io/store/manifest.h"
#include "io/store/work_folder.h"
#include "mpi/comm/components.h"
#include "mpi/comm/exchange.h"
#include "mpi/comm/fetch.h"
#include "mpi/comm/groups.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/gather.h"
#include "mpi/stage/index_pages.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "src/sets/forest.h"
#include "tests/support/brief.h"

enum { PAGES = 12 };

static nd_comm comm;
static bool last;                /* this is the rank that breaks what one rank can break */
static uint64_t first[1 + 1024]; /* PAGES on each rank */
static uint64_t numbers[PAGES];
static nd_spool spool; /* of links, in memory */

static void add_link(uint64_t a, uint64_t b) {
    const nd_link link = {a, b, 1};
    (void)nd_spool_append(&spool, &link, sizeof link);
}

/* ---- src */

static void in_numbers(void) {
    nd_number_ids ids;
    nd_number_ids_open(&ids, 2);
    for (uint64_t i = 0; i < 2U + last; i++) {
        (void)nd_number_ids_of(&ids, i);
    }
    nd_number_ids_free(&ids);
}

static void in_radix_sort(void) {
    static const nd_record_order order = {.word_count = 1, .words = {2}};
    nd_record_sort(numbers, 2, (last ? 2 : 3) * sizeof *numbers, &order);
}

static void in_candidates(void) {
    (void)nd_posting_value(last ? UINT64_C(1) << ND_POSTING_PAGE_BITS : 0, 1);
}

static void in_forest(void) {
    nd_link link = {numbers[0], last ? PAGES : numbers[1], 1};
    size_t kept = 0;
    nd_forest(numbers, 2, &link, 1, &kept);
}

static void in_tree(void) {
    const nd_link link = {0, 1, 1};
    nd_parent parents[2];
    (void)nd_tree_orient(numbers, 2, &link, last ? 2 : 0, parents);
}

/* ---- io */

static void in_spool(void) {
    add_link(0, 1);
    nd_spool_cut(&spool, spool.size + last);
}

static void in_spool_reader(void) {
    nd_spool_reader reader;
    nd_spool_reader_open(&reader, &spool, sizeof(nd_link), 0, last, 0);
    nd_spool_reader_close(&reader);
}

static int never_in_order(const void *a, const void *b) {
    (void)a;
    (void)b;
    return -1;
}

static void in_external_sort(void) {
    static const nd_record_order none = {.compare = never_in_order};
    nd_external_sort sort;
    nd_external_sort_open(&sort, NULL, sizeof *numbers, last ? &none : &nd_by_key_then_value, 0);
    if (last) {
        (void)nd_external_sort_add(&sort, numbers, PAGES);
        (void)nd_external_sort_finish(&sort);
    }
    nd_external_sort_close(&sort);
}

static void in_long_buffer(void) {
    ND_OWNED(nd_long_buffer_free) nd_long_buffer buffer = {0};
    (void)nd_long_buffer_append(&buffer, "1", 1, 8);
    nd_long_buffer_cut(&buffer, 1U + last);
}

static void in_page_store(void) {
    ND_OWNED(nd_page_store_free) nd_page_store store = {0};
    nd_document document;
    const nd_stored_page page = {0};
    (void)nd_page_store_append(&store, &page, NULL, NULL, (nd_span){0}, (nd_span){0});
    (void)nd_page_store_document(&store, last, &document);
}

static void in_manifest(void) {
    ND_OWNED(nd_manifest_free) nd_manifest manifest = {0};
    const nd_manifest_piece piece = {.count = last ? 0 : 1};
    (void)nd_manifest_add_piece(&manifest, "a", 8, &piece);
}

static void in_work_folder(void) {
    nd_work_folder folder;
    const char *const names[] = {last ? "b" : "a", "b", last ? "a" : "c"};
    (void)nd_work_folder_open(&folder, "no/such/folder");
    (void)nd_work_folder_remove(&folder, names, 3, false);
    nd_work_folder_close(&folder);
}

static void in_result_file(void) {
    nd_result result = {0};
    const nd_slab slab = {.total = 3, .offset = 2, .count = 2};
    if (last) {
        (void)nd_result_write(&result, "/pages/link", ND_COLUMN_U64, &slab, numbers);
    }
}

/* ---- mpi/comm */

static void in_comm(void) {
    (void)nd_comm_agree(&comm, last ? ND_END : ND_OK);
}

static void in_exchange(void) {
    uint64_t count = 1;
    ND_FREED uint64_t *records = calloc(1, sizeof *records);
    const int owner = last ? comm.size : 0;
    (void)nd_shuffle_to(&comm, &records, &count, sizeof *records, &owner);
}

static nd_status too_many(void *context, void *records, uint64_t room, uint64_t *count) {
    (void)context;
    (void)records;
    *count = last ? room + 1 : 0;
    return ND_OK;
}

static nd_status take_nothing(void *context, const void *records, uint64_t count) {
    (void)context;
    (void)records;
    (void)count;
    return ND_OK;
}

static void in_shuffle_stream(void) {
    const nd_shuffle_stream stream = {.comm = &comm,
                                      .record_size = sizeof *numbers,
                                      .owner = nd_shuffle_owner_of_hash,
                                      .sink = take_nothing};
    (void)nd_shuffle_run(&stream, too_many, NULL);
}

static uint64_t eight(const void *context, uint64_t item) {
    (void)context;
    (void)item;
    return sizeof *numbers;
}

static nd_status give_less(void *context, uint64_t item, nd_span *bytes) {
    (void)context;
    (void)item;
    *bytes = (nd_span){(const uint8_t *)numbers, sizeof *numbers - last};
    return ND_OK;
}

static void in_fetch(void) {
    const nd_provider provider = {.size = eight, .give = give_less};
    const uint64_t item = first[comm.size] - 1; /* the last rank's */
    ND_OWNED(nd_fetched_free) nd_fetched fetched = {0};
    (void)nd_fetch(&comm, first, &item, 1, &provider, &fetched);
}

static uint64_t nothing(const void *record) {
    (void)record;
    return last ? 0 : 1;
}

static void in_deal(void) {
    int owners[PAGES];
    nd_deal_owners(&comm, numbers, PAGES, sizeof *numbers, nothing, NULL, owners);
}

static void in_groups(void) {
    nd_candidate candidates[ND_GROUP_ALL_PAIRS];
    nd_groups groups;
    uint64_t count = 0;
    nd_groups_open(&groups, NULL, 0);
    (void)nd_groups_next(&groups, candidates, ND_GROUP_ALL_PAIRS - (uint64_t)last, &count);
    nd_groups_close(&groups);
}

static void in_components(void) {
    uint64_t root[PAGES];
    nd_spool tree;
    nd_spool_open(&tree, NULL, 0);
    add_link(0, last ? first[comm.size] : 1);
    (void)nd_components(&comm, first, &spool, 1 << 20, root, &tree);
    nd_spool_close(&tree);
}

static void in_tour(void) {
    uint64_t root[PAGES];
    nd_euler_tour_page pages[PAGES];
    for (uint64_t i = 0; i < PAGES; i++) {
        root[i] = first[comm.rank] + (i < 3 ? 0 : i);
    }
    for (uint64_t i = 0; i < 2U + last; i++) { /* the last rank has a circle */
        add_link(first[comm.rank] + i, first[comm.rank] + (i + 1) % 3);
    }
    (void)nd_euler_tour(&comm, first, &spool, root, pages);
}

/* ---- mpi/job, mpi/stage */

static void in_checkpoint_read(void) {
    const nd_checkpoint checkpoint = {.comm = &comm};
    (void)nd_checkpoint_load(&checkpoint, "array", 8, last, 0, numbers);
}

static void in_units(void) {
    nd_unit unit[2] = {{.done = 1}, {.done = 0}};
    bool fresh[2] = {false, last}; /* read, and not done */
    nd_units units = {.units = unit, .count = 2, .own_begin = 0, .own_end = 1, .fresh = fresh};
    nd_units_share(&units, &comm);
}

static void in_gather(void) {
    nd_components_reader reader = {0};
    nd_components_drop(&reader, 0, last);
    nd_components_close(&reader);
}

static void in_compare_batch(void) {
    nd_state state = {.pair_count = 0};
    nd_job job = {.comm = comm, .state = &state};
    nd_compare_batch batch = {.job = &job};
    double similarity = 0;
    if (last) {
        nd_compare_batch_pair(&batch, 0, 1, 0.5, &similarity);
    }
}

static void in_index_texts(void) {
    nd_state state = {.pair_count = 0};
    nd_job job = {.comm = comm, .state = &state};
    if (last) {
        (void)nd_index_text_ensure(&job, 0); /* of no pages */
    }
}

static void in_state(void) {
    nd_state state = {.pair_count = 0};
    nd_job job = {.comm = comm, .first = first, .state = &state};
    job.totals.pages = first[comm.size] + 1; /* one is nowhere */
    nd_stage_check_left(&job, &nd_stage_ingest);
}

/* ---- all */

static const struct {
    const char *place;
    void (*make)(void);
} breaks[] = {
    {"src/base/sort.c:numbers", in_numbers},
    {"src/base/sort.c:radix_sort", in_radix_sort},
    {"src/sets/candidates.c:candidates", in_candidates},
    {"src/sets/forest.c:forest", in_forest},
    {"src/sets/forest.c:tree", in_tree},
    {"io/store/spool.c:spool", in_spool},
    {"io/store/spool.c:spool_reader", in_spool_reader},
    {"io/store/external_sort.c:external_sort", in_external_sort},
    {"io/store/spool.c:long_buffer", in_long_buffer},
    {"io/store/page_store.c:page_store", in_page_store},
    {"io/store/manifest.c:manifest", in_manifest},
    {"io/store/work_folder.c:work_folder", in_work_folder},
    {"io/result/result_file.c:result_file", in_result_file},
    {"mpi/comm/comm.c:comm", in_comm},
    {"mpi/comm/exchange.c:exchange", in_exchange},
    {"mpi/comm/exchange.c:shuffle_stream", in_shuffle_stream},
    {"mpi/comm/fetch.c:fetch", in_fetch},
    {"mpi/comm/exchange.c:deal", in_deal},
    {"mpi/comm/groups.c:groups", in_groups},
    {"mpi/comm/components.c:components", in_components},
    {"mpi/comm/components.c:tour", in_tour},
    {"mpi/job/checkpoint.c:checkpoint_read", in_checkpoint_read},
    {"mpi/job/inputs.c:units", in_units},
    {"mpi/stage/gather.c:gather", in_gather},
    {"mpi/stage/compare.c:compare_batch", in_compare_batch},
    {"mpi/stage/index_pages.c:index_texts", in_index_texts},
    {"mpi/stage/state.c:stage", in_state},
};

int main(int argc, char **argv) {
    const size_t count = sizeof breaks / sizeof breaks[0];
    size_t i = 0;
    if (argc < 2) {
        for (i = 0; i < count; i++) {
            (void)puts(breaks[i].place);
        }
        return 0;
    }
    while (i < count && strcmp(argv[1], breaks[i].place) != 0) {
        i++;
    }
    if (i == count) {
        (void)fprintf(stderr, "break_contract: nothing breaks %s\n", argv[1]);
        return 2;
    }
    last = argc > 2; /* a second argument: without MPI, as in programs that know no ranks */
    comm.size = 1;
    for (uint64_t n = 0; n < PAGES; n++) {
        numbers[n] = n;
    }
    nd_spool_open(&spool, NULL, 0);
    if (!last) {
        ND_MPI(MPI_Init(&argc, &argv));
        nd_comm_open(&comm, MPI_COMM_WORLD);
        nd_comm_ranges(&comm, PAGES, first);
        last = comm.rank + 1 == comm.size;
    }
    breaks[i].make();
    if (comm.size > 1) { /* the others wait for the one that is gone */
        ND_MPI(MPI_Barrier(comm.handle));
    }
    nd_spool_close(&spool);
    return 0;
}
