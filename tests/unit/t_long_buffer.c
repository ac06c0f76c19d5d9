/* nd_long_buffer: growth keeps contents, in and out of mappings; cutting; absurd sizes. */
#include "io/store/spool.h"
#include "src/base/util.h"
#include "tests/support/check.h"

#include <stdbool.h>
#include <string.h>

enum { PIECE = 100003, MOST = 11 << 20 };

static uint8_t byte_at(size_t place) {
    return (uint8_t)nd_mix64(place);
}

/* Append what byte_at() says, up to so many bytes. */
static bool fill_to(nd_long_buffer *buffer, size_t size, size_t most) {
    uint8_t piece[PIECE];
    while (buffer->size < size) {
        const size_t left = size - buffer->size;
        const size_t length = left < PIECE ? left : PIECE;
        for (size_t i = 0; i < length; i++) {
            piece[i] = byte_at(buffer->size + i);
        }
        if (nd_long_buffer_append(buffer, piece, length, most) != ND_OK) {
            return false;
        }
    }
    return true;
}

static bool holds(const nd_long_buffer *buffer, size_t size) {
    bool same = buffer->size == size && buffer->capacity >= size;
    for (size_t i = 0; same && i < size; i++) {
        same = buffer->data[i] == byte_at(i);
    }
    return same;
}

static void test_growth_keeps_bytes(void) {
    nd_long_buffer buffer = {0};
    CU_ASSERT(fill_to(&buffer, 1000, MOST));
    CU_ASSERT(buffer.capacity < ND_LONG_BUFFER_MAPPED);
    CU_ASSERT(holds(&buffer, 1000));
    CU_ASSERT(fill_to(&buffer, ND_LONG_BUFFER_MAPPED + 1, MOST));
    CU_ASSERT(holds(&buffer, ND_LONG_BUFFER_MAPPED + 1));
    CU_ASSERT(fill_to(&buffer, MOST, MOST));
    CU_ASSERT(holds(&buffer, MOST));
    CU_ASSERT_EQUAL(buffer.capacity, MOST);
    nd_long_buffer_free(&buffer);
    CU_ASSERT_PTR_NULL(buffer.data);
    CU_ASSERT_EQUAL(buffer.capacity, 0);
}

/* Cut and filled again, short and long. */
static void test_cut(void) {
    static const size_t sizes[] = {0, 17, ND_LONG_BUFFER_MAPPED - 1, ND_LONG_BUFFER_MAPPED + 4097};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        nd_long_buffer buffer = {0};
        CU_ASSERT(fill_to(&buffer, MOST, SIZE_MAX));
        nd_long_buffer_cut(&buffer, sizes[i]);
        CU_ASSERT(holds(&buffer, sizes[i]));
        CU_ASSERT(buffer.capacity <= sizes[i] || buffer.capacity == ND_LONG_BUFFER_MAPPED);
        CU_ASSERT(fill_to(&buffer, MOST, SIZE_MAX));
        CU_ASSERT(holds(&buffer, MOST));
        nd_long_buffer_free(&buffer);
    }
    nd_long_buffer little = {0};
    CU_ASSERT(fill_to(&little, 5000, SIZE_MAX));
    nd_long_buffer_cut(&little, 20);
    CU_ASSERT(holds(&little, 20));
    nd_long_buffer_free(&little);
}

static void test_absurd_size_is_refused(void) {
    nd_long_buffer buffer = {0};
    const uint8_t byte = byte_at(0);
    CU_ASSERT_EQUAL(nd_long_buffer_append(&buffer, &byte, SIZE_MAX / 4, SIZE_MAX), ND_ERR_MEMORY);
    CU_ASSERT(fill_to(&buffer, ND_LONG_BUFFER_MAPPED, MOST));
    CU_ASSERT_EQUAL(nd_long_buffer_append(&buffer, &byte, SIZE_MAX / 4, SIZE_MAX), ND_ERR_MEMORY);
    CU_ASSERT_EQUAL(strncmp(nd_fail_text(), "out of memory", 13), 0);
    CU_ASSERT(holds(&buffer, ND_LONG_BUFFER_MAPPED));
    nd_long_buffer_free(&buffer);
}

static const nd_test tests[] = {
    {"growth keeps bytes", test_growth_keeps_bytes},
    {"cut", test_cut},
    {"absurd size is refused", test_absurd_size_is_refused},
};
ND_SUITE(t_long_buffer, tests)
