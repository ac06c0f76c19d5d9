#include "tests/support/bench.h"

#include "src/base/sort.h"
#include "tests/support/brief.h"

#include <time.h>

enum { REPEATS = 7, WORDS = 50000 };

/* Seconds: far above the clock's grain, and so long that once is enough. */
static const double SHORTEST_REPEAT = 0.004;
static const double LONG_ENOUGH = 0.2;

double nd_bench_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds_of(nd_bench_job run, void *context, int times) {
    double start = nd_bench_now();
    for (int i = 0; i < times; i++) {
        run(context);
    }
    return (nd_bench_now() - start) / times;
}

double nd_bench_seconds(nd_bench_job run, void *context) {
    double seconds[REPEATS];
    double once = seconds_of(run, context, 1);
    if (once > LONG_ENOUGH) {
        return once;
    }
    int times = once > SHORTEST_REPEAT ? 1 : (int)(SHORTEST_REPEAT / (once + 1e-9)) + 1;
    for (int i = 0; i < REPEATS; i++) {
        seconds[i] = seconds_of(run, context, times);
    }
    nd_sort(seconds, REPEATS, sizeof *seconds, nd_test_by_double);
    return seconds[REPEATS / 2];
}

void nd_bench_report(const char *name, nd_bench_job run, void *context, size_t items,
                     double *reference) {
    double nanoseconds = nd_bench_seconds(run, context) * 1e9 / (double)items;
    *reference = *reference > 0 ? *reference : nanoseconds;
    printf("  %-26s %12.1f ns %9.2f x\n", name, nanoseconds, *reference / nanoseconds);
}

void *nd_bench_allocate(size_t count, size_t size) {
    void *items = calloc(count, size);
    if (items == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return items;
}

static void fill_sums(double *sums) {
    double sum = 0;
    for (size_t i = 0; i < WORDS; i++) {
        sum += 1 / (double)(i + 1);
        sums[i] = sum;
    }
}

uint32_t nd_bench_word(nd_random *random) {
    static double sums[WORDS];
    if (sums[0] == 0) {
        fill_sums(sums);
    }
    double at = (double)(nd_random_next(random) >> 11) * 0x1p-53 * sums[WORDS - 1];
    size_t low = 0, high = WORDS - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sums[middle] < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint32_t)nd_mix64(low);
}
