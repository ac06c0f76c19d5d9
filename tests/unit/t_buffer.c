/* nd_buffer and nd_grow: growth keeps contents, room is made, absurd sizes are refused. */
#include "src/base/buffer.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static void test_append_keeps_bytes(void) {
    nd_buffer buffer = {0};
    for (int i = 0; i < 1000; i++) {
        CU_ASSERT_EQUAL(nd_buffer_append(&buffer, &(uint8_t){(uint8_t)i}, 1), ND_OK);
    }
    CU_ASSERT_EQUAL(nd_buffer_append_text(&buffer, "end"), ND_OK);
    CU_ASSERT_EQUAL(buffer.size, 1003);
    for (size_t i = 0; i < 1000; i++) {
        CU_ASSERT_EQUAL(buffer.data[i], (uint8_t)i);
    }
    CU_ASSERT_EQUAL(memcmp(buffer.data + 1000, "end", 3), 0);
    nd_buffer_free(&buffer);
    CU_ASSERT_PTR_NULL(buffer.data);
}

static void test_absurd_size_is_refused(void) {
    uint64_t *items = NULL;
    size_t capacity = 0;
    CU_ASSERT_EQUAL(nd_grow(&items, &capacity, SIZE_MAX / 4, sizeof *items), ND_ERR_MEMORY);
    CU_ASSERT_PTR_NULL(items);
    CU_ASSERT_EQUAL(capacity, 0);
    CU_ASSERT_EQUAL(strncmp(nd_fail_text(), "out of memory", 13), 0);
}

/* Room is not zeroed, but it is there; none at all is not NULL. */
static void test_room(void) {
    uint64_t *items = NULL;
    CU_ASSERT_EQUAL_FATAL(nd_new_room(&items, 1000, sizeof *items), ND_OK);
    memset(items, 0xff, 1000 * sizeof *items);
    free(items);
    CU_ASSERT_EQUAL_FATAL(nd_new_room(&items, 0, sizeof *items), ND_OK);
    CU_ASSERT_PTR_NOT_NULL(items);
    free(items);
    CU_ASSERT_EQUAL(nd_new_room(&items, SIZE_MAX / 4, sizeof *items), ND_ERR_MEMORY);
    CU_ASSERT_PTR_NULL(items);
}

static const nd_test tests[] = {
    {"room", test_room},
    {"append keeps bytes", test_append_keeps_bytes},
    {"absurd size is refused", test_absurd_size_is_refused},
};
ND_SUITE(t_buffer, tests)
