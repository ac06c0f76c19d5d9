#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void nd_fuzz_broken(const char *file, int line, const char *property) {
    (void)fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, property);
    abort();
}

uint8_t nd_fuzz_byte(nd_span *input) {
    if (input->size == 0) {
        return 0;
    }
    const uint8_t byte = input->data[0];
    *input = nd_span_part(*input, 1, input->size);
    return byte;
}

size_t nd_fuzz_below(nd_span *input, size_t bound) {
    const size_t high = nd_fuzz_byte(input);
    return (high << 8 | nd_fuzz_byte(input)) % bound;
}

bool nd_fuzz_same(nd_span a, nd_span b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

const char *nd_fuzz_file(unsigned slot, nd_span bytes) {
    static struct {
        int descriptor;
        char path[32];
    } files[2] = {{.descriptor = -1}, {.descriptor = -1}};
    if (files[slot].descriptor < 0) {
        files[slot].descriptor = memfd_create("fuzz", 0);
        ND_FUZZ_CHECK(files[slot].descriptor >= 0);
        (void)snprintf(files[slot].path, sizeof files[slot].path, "/proc/self/fd/%d",
                       files[slot].descriptor);
    }
    ND_FUZZ_CHECK(ftruncate(files[slot].descriptor, 0) == 0);
    const ssize_t written = pwrite(files[slot].descriptor, bytes.data, bytes.size, 0);
    ND_FUZZ_CHECK(written == (ssize_t)bytes.size);
    return files[slot].path;
}

/* ---- memory: what the sanitizers' runtime offers, if there is one */

__attribute__((weak)) int
__sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                          void (*on_free)(const volatile void *));
__attribute__((weak)) size_t __sanitizer_get_allocated_size(const volatile void *bytes);

static bool counting;
static size_t held, most_held;

static void count_malloc(const volatile void *bytes, size_t size) {
    (void)bytes;
    if (counting) {
        held += size;
        most_held = held > most_held ? held : most_held;
    }
}

static void count_free(const volatile void *bytes) {
    if (counting && bytes != NULL) {
        const size_t size = __sanitizer_get_allocated_size(bytes);
        held -= size < held ? size : held;
    }
}

void nd_fuzz_memory_start(void) {
    static bool installed;
    if (!installed && __sanitizer_install_malloc_and_free_hooks != NULL) {
        installed = __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free) > 0;
    }
    counting = installed;
    held = most_held = 0;
}

size_t nd_fuzz_memory_peak(void) {
    counting = false;
    return most_held;
}
