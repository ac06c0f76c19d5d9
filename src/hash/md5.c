#include "src/hash/md5_internal.h"

#include "src/hash/md5_steps.h"

#include <string.h>

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
