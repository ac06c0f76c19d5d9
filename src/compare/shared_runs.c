#include "src/compare/shared_runs.h"

#include "src/base/contract.h"
#include "src/base/order.h"

/* Each run looks so far back for the one before it: most often it is the last one. Between runs
 * so many tokens are looked at from either end. */
enum { LOOK_BACK = 32, SPAN = 64 };

/* How many tokens between two runs stand at the same place, counted from the one run or from the
 * other. */
static uint32_t between(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    const size_t count = nd_min(nd_min(n, m), SPAN);
    uint32_t from_begin = 0, from_end = 0;
    for (size_t i = 0; i < count; i++) {
        from_begin += a[i] == b[i];
    }
    for (size_t i = 1; i <= count && n != m; i++) {
        from_end += a[n - i] == b[m - i];
    }
    return (uint32_t)nd_max(from_begin, from_end);
}

uint64_t nd_shared_runs_chain(nd_shared_run *runs, size_t count, const uint32_t *a, size_t n,
                              const uint32_t *b, size_t m) {
    uint32_t longest = 0; /* chain up to here */
    uint64_t most = 0;    /* with what follows its last run */
    for (size_t r = 0; r < count; r++) {
        nd_shared_run *run = &runs[r];
        ND_ASSERT(run->tokens > 0 && run->a <= n && run->tokens <= n - run->a && run->b <= m &&
                      run->tokens <= m - run->b,
                  run->a, run->b, run->tokens);
        ND_ASSERT(r == 0 || runs[r - 1].b <= run->b, r, run->b);
        run->chain = run->tokens + between(a, run->a, b, run->b);
        for (size_t back = r; back-- > 0 && r - back <= LOOK_BACK;) {
            const nd_shared_run *before = &runs[back];
            const uint64_t end_a = (uint64_t)before->a + before->tokens;
            const uint64_t end_b = (uint64_t)before->b + before->tokens;
            /* the part of this run that stands after that one in both sequences */
            const uint64_t overlap_a = end_a > run->a ? end_a - run->a : 0;
            const uint64_t overlap_b = end_b > run->b ? end_b - run->b : 0;
            const uint64_t overlap = nd_max(overlap_a, overlap_b);
            if (overlap >= run->tokens) {
                continue;
            }
            uint32_t chain = before->chain + run->tokens - (uint32_t)overlap;
            if (overlap == 0 && chain + SPAN > run->chain) {
                chain += between(a + end_a, run->a - end_a, b + end_b, run->b - end_b);
            }
            run->chain = (uint32_t)nd_max(chain, run->chain);
            if (before->chain == longest) {
                break; /* no other one is better */
            }
        }
        longest = (uint32_t)nd_max(run->chain, longest);
        const size_t after_a = run->a + run->tokens, after_b = run->b + run->tokens;
        most =
            nd_max(run->chain + between(a + after_a, n - after_a, b + after_b, m - after_b), most);
    }
    return most;
}
