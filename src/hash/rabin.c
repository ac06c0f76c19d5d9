#include "src/hash/rabin.h"

#include "src/base/util.h"

/* ---- polynomials over GF(2) */

enum { DEGREE = 64, TOKEN_BITS = 32 };

/* Polynomials below x^64 are numbers; that of degree 64 is known by its other coefficients. */

static uint64_t times_x(uint64_t a, uint64_t modulus) {
    return a << 1 ^ (a >> (DEGREE - 1) != 0 ? modulus : 0);
}

static uint64_t times(uint64_t a, uint64_t b, uint64_t modulus) {
    uint64_t product = 0;
    for (; b != 0; b >>= 1) {
        product ^= (b & 1) != 0 ? a : 0;
        a = times_x(a, modulus);
    }
    return product;
}

/* The remainder of high * x^64 + low divided by b, which is not 0; coefficient by coefficient. */
static uint64_t remainder_by(uint64_t b, uint64_t high, uint64_t low) {
    const uint64_t highest = UINT64_C(1) << (63 - __builtin_clzll(b));
    uint64_t rest = 0;
    for (int i = 2 * DEGREE - 1; i >= 0; i--) {
        const uint64_t from = i >= DEGREE ? high : low;
        rest = rest << 1 | (from >> i % DEGREE & 1);
        rest ^= (rest & highest) != 0 ? b : 0;
    }
    return rest;
}

/* Have x^64 + modulus and a no divisor in common but 1? */
static bool coprime(uint64_t modulus, uint64_t a) {
    if (a == 0) {
        return false;
    }
    uint64_t b = remainder_by(a, 1, modulus);
    while (b != 0) {
        const uint64_t rest = remainder_by(b, 0, a);
        a = b;
        b = rest;
    }
    return a == 1;
}

/* x^(2^64) - x is the product of all irreducible polynomials whose degree divides 64, and
 * x^(2^32) - x that of those whose degree divides 32. */
bool nd_rabin_irreducible(uint64_t polynomial) {
    const uint64_t x = 2;
    uint64_t power = x;
    for (int i = 0; i < DEGREE / 2; i++) {
        power = times(power, power, polynomial);
    }
    if (!coprime(polynomial, power ^ x)) {
        return false;
    }
    for (int i = DEGREE / 2; i < DEGREE; i++) {
        power = times(power, power, polynomial);
    }
    return power == x;
}

/* table[i][v] = v x^(8i) * base */
static void fill_table(nd_rabin_table table, uint64_t base, uint64_t modulus) {
    for (int i = 0; i < ND_RABIN_BYTES; i++) {
        table[i][0] = 0;
        for (uint32_t bit = 1; bit < ND_RABIN_VALUES; bit *= 2) {
            for (uint32_t below = 0; below < bit; below++) {
                table[i][bit + below] = table[i][below] ^ base;
            }
            base = times_x(base, modulus);
        }
    }
}

void nd_rabin_start(nd_rabin *rabin, uint64_t seed, size_t window) {
    nd_random random = {seed};
    do {
        rabin->polynomial = nd_random_next(&random) | 1; /* else x divides it */
    } while (!nd_rabin_irreducible(rabin->polynomial));
    rabin->window = window;
    uint64_t first = 1; /* x^(32 window), by squares */
    uint64_t square = 2;
    for (uint64_t power = TOKEN_BITS * (uint64_t)window; power != 0; power >>= 1) {
        first = (power & 1) != 0 ? times(first, square, rabin->polynomial) : first;
        square = times(square, square, rabin->polynomial);
    }
    const uint64_t next = times(first, UINT64_C(1) << TOKEN_BITS, rabin->polynomial);
    rabin->turn = first ^ next;
    fill_table(rabin->enter, rabin->polynomial, rabin->polynomial); /* x^64 is the rest */
    fill_table(rabin->leave, first, rabin->polynomial);
}

uint64_t nd_rabin_of(const nd_rabin *rabin, const uint32_t *tokens, size_t count) {
    uint64_t fingerprint = 1;
    for (size_t i = 0; i < count; i++) {
        fingerprint = nd_rabin_append(rabin, fingerprint, tokens[i]);
    }
    return fingerprint;
}

/* ---- polynomials modulo a prime */

enum { BITS = 61 };
static const uint64_t MODULUS = (UINT64_C(1) << BITS) - 1;

__extension__ typedef unsigned __int128 wide;

/* a * b + c modulo 2^61 - 1; each is at most that. */
static inline uint64_t multiply_add(uint64_t a, uint64_t b, uint64_t c) {
    const wide product = (wide)a * b + c;
    const uint64_t sum = ((uint64_t)product & MODULUS) + (uint64_t)(product >> BITS);
    return sum >= MODULUS ? sum - MODULUS : sum;
}

/* Where the polynomials are evaluated. */
static nd_joined_digest points_of(uint64_t seed) {
    nd_random random = {seed};
    const uint64_t high = nd_random_next(&random) % MODULUS;
    return (nd_joined_digest){high, nd_random_next(&random) % MODULUS};
}

static uint64_t power(uint64_t base, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent > 0; exponent /= 2) {
        result = exponent % 2 > 0 ? multiply_add(result, base, 0) : result;
        base = multiply_add(base, base, 0);
    }
    return result;
}

nd_joined_digest nd_joined_digest_of(const uint64_t *hashes, size_t count, uint64_t seed) {
    const nd_joined_digest at = points_of(seed);
    nd_joined_digest sum = {0};
    for (size_t i = 0; i < count; i++) { /* each takes 61 bits of a hash, both together all */
        sum.high = multiply_add(sum.high, at.high, hashes[i] >> (64 - BITS));
        sum.low = multiply_add(sum.low, at.low, hashes[i] & MODULUS);
    }
    return sum;
}

nd_joined_digest nd_joined_digest_join(nd_joined_digest begin, nd_joined_digest rest,
                                       uint64_t count, uint64_t seed) {
    const nd_joined_digest at = points_of(seed);
    return (nd_joined_digest){multiply_add(begin.high, power(at.high, count), rest.high),
                              multiply_add(begin.low, power(at.low, count), rest.low)};
}
