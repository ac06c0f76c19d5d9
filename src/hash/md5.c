#include "src/base/util.h"
#include "src/hash/md5_internal.h"

#include <string.h>

/* ---- one message, in plain C */

/* The functions of RFC 1321, F and G with one operation less than as printed there. */
#define PLAIN_F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define PLAIN_G(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))
#define PLAIN_H(x, y, z) ((x) ^ (y) ^ (z))
#define PLAIN_I(x, y, z) ((y) ^ ((x) | ~(z)))
#define PLAIN_STEP(f, a, b, c, d, index, shift, constant)                                          \
    (a) += PLAIN_##f(b, c, d) + word[index] + (constant);                                          \
    (a) = ((a) << (shift) | (a) >> (32 - (shift))) + (b);

static void store_little32(uint8_t *bytes, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

void nd_md5_job_start(nd_md5_job *job, nd_span message) {
    size_t rest = message.size % ND_MD5_BLOCK;
    size_t tail_blocks = rest < ND_MD5_BLOCK - 8 ? 1 : 2; /* 0x80 and the length must fit */
    job->data = message.data;
    job->whole = message.size / ND_MD5_BLOCK;
    job->blocks = job->whole + tail_blocks;
    memset(job->tail, 0, tail_blocks * ND_MD5_BLOCK);
    if (rest > 0) {
        memcpy(job->tail, message.data + (message.size - rest), rest);
    }
    job->tail[rest] = 0x80;
    uint8_t *length = job->tail + tail_blocks * ND_MD5_BLOCK - 8;
    store_little32(length, (uint32_t)((uint64_t)message.size << 3));
    store_little32(length + 4, (uint32_t)((uint64_t)message.size >> 29));
}

void nd_md5_store(const uint32_t state[4], nd_md5 *digest) {
    for (int i = 0; i < 4; i++) {
        store_little32(digest->bytes + 4 * i, state[i]);
    }
}

static void run_plain(const nd_md5_job *const *jobs, nd_md5 *const *digests) {
    uint32_t state[4] = {ND_MD5_A, ND_MD5_B, ND_MD5_C, ND_MD5_D};
    for (size_t block = 0; block < jobs[0]->blocks; block++) {
        const uint8_t *bytes = nd_md5_job_block(jobs[0], block);
        uint32_t word[16];
        for (int i = 0; i < 16; i++, bytes += 4) {
            word[i] = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                      (uint32_t)bytes[3] << 24;
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        ND_MD5_STEPS(PLAIN_STEP)
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
    }
    nd_md5_store(state, digests[0]);
}

const nd_md5_variant nd_md5_plain = {"plain", 1, 1, 0, nd_md5_job_start, run_plain};

/* ---- many messages, in lanes */

enum {
    /* messages cut into blocks at a time; their tails stay in the L2 cache */
    CHUNK = 256,
    /* a group takes as long as its longest message: longer ones than this (a kilobyte) are rare
     * among sentences and hashed alone */
    MAX_BLOCKS = 16
};

const nd_md5_variant *const nd_md5_variants[] = {
    &nd_md5_plain,
#if defined(__x86_64__) && ND_SIMD
    &nd_md5_avx2,
    &nd_md5_avx512,
#endif
};
const size_t nd_md5_variant_count = sizeof nd_md5_variants / sizeof nd_md5_variants[0];

/* Hash `count` <= lanes jobs, the longest first. */
static void run_group(const nd_md5_variant *variant, const nd_md5_job *const *jobs,
                      nd_md5 *const *digests, size_t count) {
    if (count < variant->worthwhile) {
        for (size_t i = 0; i < count; i++) {
            nd_md5_plain.run(&jobs[i], &digests[i]);
        }
        return;
    }
    const nd_md5_job *full_jobs[ND_MD5_MAX_LANES];
    nd_md5 *full_digests[ND_MD5_MAX_LANES];
    for (size_t i = 0; i < variant->lanes; i++) {
        full_jobs[i] = jobs[nd_min(i, count - 1)];
        full_digests[i] = digests[nd_min(i, count - 1)];
    }
    variant->run(full_jobs, full_digests);
}

/* Messages of one class go side by side; the last class is that of all longer ones. */
static size_t class_of(const nd_md5_job *job) {
    return job->blocks <= MAX_BLOCKS ? job->blocks : MAX_BLOCKS + 1;
}

/* A counting sort by classes, the highest class first, then groups of neighbours. */
static void run_chunk(const nd_md5_variant *variant, const nd_span *messages, size_t count,
                      nd_md5 *digests) {
    nd_md5_job jobs[CHUNK];
    const nd_md5_job *sorted_jobs[CHUNK];
    nd_md5 *sorted_digests[CHUNK];
    size_t places[MAX_BLOCKS + 2] = {0}; /* [class] where its jobs go next */
    for (size_t i = 0; i < count; i++) {
        variant->start(&jobs[i], messages[i]);
        places[class_of(&jobs[i])]++;
    }
    size_t begin = 0;
    for (size_t class = MAX_BLOCKS + 2; class -- > 0;) {
        const size_t of_class = places[class];
        places[class] = begin;
        begin += of_class;
    }
    const size_t long_jobs = places[MAX_BLOCKS];
    for (size_t i = 0; i < count; i++) {
        size_t place = places[class_of(&jobs[i])]++;
        sorted_jobs[place] = &jobs[i];
        sorted_digests[place] = &digests[i];
    }
    for (size_t i = 0; i < long_jobs; i++) {
        nd_md5_plain.run(&sorted_jobs[i], &sorted_digests[i]);
    }
    for (size_t i = long_jobs; i < count; i += variant->lanes) {
        run_group(variant, sorted_jobs + i, sorted_digests + i, nd_min(count - i, variant->lanes));
    }
}

void nd_md5_batch_by(const nd_md5_variant *variant, const nd_span *messages, size_t count,
                     nd_md5 *digests) {
    for (size_t i = 0; i < count; i += CHUNK) {
        run_chunk(variant, messages + i, nd_min(count - i, CHUNK), digests + i);
    }
}

void nd_md5_batch(const nd_span *messages, size_t count, nd_md5 *digests) {
    size_t best;
    ND_CPU_BEST(best, nd_md5_variant_count, nd_md5_variants[best]->needs);
    nd_md5_batch_by(nd_md5_variants[best], messages, count, digests);
}
