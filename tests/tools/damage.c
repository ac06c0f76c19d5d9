/* damage FILE COPY SEED flip|cut: a copy of a file with one bit flipped, or cut short, at a place
 * that the seed says. Says on stdout what it did; exit code 2 if it could not. */
#include "src/base/util.h"
#include "tests/support/brief.h"
#include "tests/support/corpus.h"

int main(int argc, char **argv) {
    ND_OWNED(nd_buffer_free) nd_buffer bytes = {0};
    if (argc != 5 || (strcmp(argv[4], "flip") != 0 && strcmp(argv[4], "cut") != 0)) {
        (void)fprintf(stderr, "usage: damage FILE COPY SEED flip|cut\n");
        return 2;
    }
    nd_random random = {strtoull(argv[3], NULL, 10)};
    if (nd_test_read_file(&bytes, argv[1]) != ND_OK || bytes.size == 0) {
        (void)fprintf(stderr, "damage: %s: cannot be read\n", argv[1]);
        return 2;
    }
    const uint64_t place = nd_random_below(&random, bytes.size);
    if (strcmp(argv[4], "cut") == 0) {
        bytes.size = place;
        (void)printf("cut at byte %llu\n", (unsigned long long)place);
    } else {
        const unsigned bit = (unsigned)nd_random_below(&random, 8);
        bytes.data[place] = (uint8_t)(bytes.data[place] ^ (1U << bit));
        (void)printf("bit %u of byte %llu flipped\n", bit, (unsigned long long)place);
    }
    FILE *copy = fopen(argv[2], "wb");
    const bool written = copy != NULL && fwrite(bytes.data, 1, bytes.size, copy) == bytes.size;
    return copy != NULL && fclose(copy) == 0 && written ? 0 : 2;
}
