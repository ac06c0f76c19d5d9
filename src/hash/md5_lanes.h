/** \file src/hash/md5_lanes.h
 * The body of an MD5 variant with one message per 32-bit lane of SIMD registers, several registers
 * interleaved so that the dependent steps of one fill the waiting times of the other. Included once
 * by each source file of such a variant, which defines before it:
 *   LANES_TARGET        attribute of the functions that use the instructions
 *   LANES               messages per register
 *   REGISTERS           registers interleaved
 *   vector              type of a register
 *   LANES_F .. LANES_I  the functions of RFC 1321 on registers
 *   LANES_ADD(x, y), LANES_ROTATE(x, shift), LANES_ALL(constant)
 *   LANES_STORE(array, x)
 *   load_words(words, blocks, offset)   words[i] = word i of the 16 bytes at `offset` in each of
 *                                       the LANES blocks, for i < 4
 */
#ifndef ND_HASH_MD5_LANES_H
#define ND_HASH_MD5_LANES_H

#include "src/base/util.h"
#include "src/hash/md5_internal.h"

/* The steps name the words of the state a, b, c, d: here an array each, a register per entry. */
#define LANES_STEP(f, a, b, c, d, index, shift, constant)                                          \
    for (int r = 0; r < REGISTERS; r++) {                                                          \
        vector sum = LANES_ADD(words[r][index], LANES_ALL((int)(constant)));                       \
        sum = LANES_ADD(LANES_ADD((a)[r], sum), LANES_##f((b)[r], (c)[r], (d)[r]));                \
        (a)[r] = LANES_ADD(LANES_ROTATE(sum, shift), (b)[r]);                                      \
    }

typedef struct lanes_state {
    vector words[4][REGISTERS];
} lanes_state;

/* Hash one block of each message; blocks past a message's end stand for nothing. */
LANES_TARGET static void hash_blocks(lanes_state *state, const uint8_t *const *blocks) {
    vector words[REGISTERS][16];
    vector a[REGISTERS], b[REGISTERS], c[REGISTERS], d[REGISTERS];
    for (int r = 0; r < REGISTERS; r++) {
        for (int i = 0; i < 4; i++) {
            load_words(&words[r][4 * i], blocks + r * LANES, 16 * i);
        }
        a[r] = state->words[0][r];
        b[r] = state->words[1][r];
        c[r] = state->words[2][r];
        d[r] = state->words[3][r];
    }
    ND_MD5_STEPS(LANES_STEP)
    for (int r = 0; r < REGISTERS; r++) {
        state->words[0][r] = LANES_ADD(state->words[0][r], a[r]);
        state->words[1][r] = LANES_ADD(state->words[1][r], b[r]);
        state->words[2][r] = LANES_ADD(state->words[2][r], c[r]);
        state->words[3][r] = LANES_ADD(state->words[3][r], d[r]);
    }
}

/* Write the digests of the messages that end after `blocks` blocks. */
LANES_TARGET static void store_ended(const lanes_state *state, size_t blocks,
                                     const nd_md5_job *const *jobs, nd_md5 *const *digests) {
    uint32_t words[4][REGISTERS][LANES];
    for (int i = 0; i < 4; i++) {
        for (int r = 0; r < REGISTERS; r++) {
            LANES_STORE(words[i][r], state->words[i][r]);
        }
    }
    for (size_t i = 0; i < REGISTERS * LANES; i++) {
        if (jobs[i]->blocks == blocks) {
            size_t r = i / LANES, lane = i % LANES;
            uint32_t own[4] = {words[0][r][lane], words[1][r][lane], words[2][r][lane],
                               words[3][r][lane]};
            nd_md5_store(own, digests[i]);
        }
    }
}

LANES_TARGET static void run_lanes(const nd_md5_job *const *jobs, nd_md5 *const *digests) {
    lanes_state state;
    for (int r = 0; r < REGISTERS; r++) {
        state.words[0][r] = LANES_ALL((int)(ND_MD5_A));
        state.words[1][r] = LANES_ALL((int)(ND_MD5_B));
        state.words[2][r] = LANES_ALL((int)(ND_MD5_C));
        state.words[3][r] = LANES_ALL((int)(ND_MD5_D));
    }
    size_t shortest = jobs[REGISTERS * LANES - 1]->blocks;
    for (size_t done = 0; done < jobs[0]->blocks; done++) {
        const uint8_t *blocks[REGISTERS * LANES];
        for (size_t i = 0; i < REGISTERS * LANES; i++) {
            size_t last = jobs[i]->blocks - 1;
            blocks[i] = nd_md5_job_block(jobs[i], nd_min(done, last));
        }
        hash_blocks(&state, blocks);
        if (done + 1 >= shortest) {
            store_ended(&state, done + 1, jobs, digests);
        }
    }
}

#endif
