#include "io/result/result_seal.h"

#include "io/result/result_trust.h"
#include "io/store/foreign_file.h"
#include "io/store/own_file.h"
#include "src/base/buffer.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const char HEAD[] = "neardup-partition\n";
/* The first bytes of HDF5's own part. */
static const char SIGNATURE[] = "\x89HDF\r\n\x1a\n";
enum { SIGNATURE_BYTES = 8 };

uint64_t nd_seal_blocks(uint64_t file_bytes) {
    const uint64_t sealed = nd_max(file_bytes, ND_SEAL_BYTES) - ND_SEAL_BYTES;
    return (sealed + ND_SEAL_BLOCK_BYTES - 1) / ND_SEAL_BLOCK_BYTES;
}

static nd_status digest_blocks(int descriptor, const char *path, uint64_t file_bytes,
                               uint64_t begin, uint64_t count, uint8_t *digests) {
    nd_status st = ND_OK;
    uint8_t *block = NULL;
    ND_ASSERT(begin + count <= nd_seal_blocks(file_bytes), begin, count, file_bytes);
    nd_new_room(&block, ND_SEAL_BLOCK_BYTES, 1);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = ND_SEAL_BYTES + (begin + i) * ND_SEAL_BLOCK_BYTES;
        const size_t size = (size_t)nd_min(file_bytes - at, ND_SEAL_BLOCK_BYTES);
        ND_TRY(nd_own_file_read(descriptor, path, at, block, size));
        XXH128_canonical_t digest;
        XXH128_canonicalFromHash(&digest, XXH3_128bits(block, size));
        memcpy(digests + i * ND_SEAL_DIGEST_BYTES, digest.digest, ND_SEAL_DIGEST_BYTES);
    }
out:
    free(block);
    return st;
}

nd_status nd_seal_digest(const char *path, uint64_t file_bytes, uint64_t begin, uint64_t count,
                         uint8_t *digests) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return nd_fail(ND_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    const nd_status st = digest_blocks(descriptor, path, file_bytes, begin, count, digests);
    (void)close(descriptor);
    return st;
}

/* The seal to the last byte: what is not text is zero. */
static void make_seal(uint64_t file_bytes, const XXH128_canonical_t *digest, char *seal) {
    memset(seal, 0, ND_SEAL_BYTES);
    int size = snprintf(seal, ND_SEAL_BYTES, "%sHDF5 from byte %d\nbytes %llu\nxxh3-128 ", HEAD,
                        ND_SEAL_BYTES, (unsigned long long)file_bytes);
    for (int i = 0; i < ND_SEAL_DIGEST_BYTES; i++) {
        size += snprintf(seal + size, (size_t)(ND_SEAL_BYTES - size), "%02x", digest->digest[i]);
    }
    seal[size] = '\n';
}

static XXH128_canonical_t digest_of_all(const uint8_t *digests, uint64_t file_bytes) {
    XXH128_canonical_t digest;
    const size_t size = (size_t)nd_seal_blocks(file_bytes) * ND_SEAL_DIGEST_BYTES;
    XXH128_canonicalFromHash(&digest, XXH3_128bits(digests, size));
    return digest;
}

nd_status nd_seal_write(const char *path, uint64_t file_bytes, const uint8_t *digests) {
    char seal[ND_SEAL_BYTES];
    const XXH128_canonical_t digest = digest_of_all(digests, file_bytes);
    make_seal(file_bytes, &digest, seal);
    const int descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) {
        return nd_fail(ND_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    nd_status st = nd_own_file_write(descriptor, path, 0, seal, sizeof seal);
    if (close(descriptor) != 0 && st == ND_OK) {
        st = nd_fail(ND_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    }
    return st;
}

/* ---- reading */

/* The digest that a seal names: two hexadecimal digits a byte, at its end. */
static bool parse_seal(const char *seal, uint64_t *file_bytes, XXH128_canonical_t *digest) {
    char copy[ND_SEAL_BYTES + 1] = "";
    unsigned long long bytes = 0;
    int at = 0;
    char again[ND_SEAL_BYTES];
    memcpy(copy, seal, ND_SEAL_BYTES);
    if (sscanf(copy, "neardup-partition HDF5 from byte %*d bytes %llu xxh3-128 %n", &bytes, &at) !=
            1 ||
        at == 0) {
        return false;
    }
    for (int i = 0; i < ND_SEAL_DIGEST_BYTES; i++) {
        unsigned byte = 0;
        if (sscanf(copy + at + 2 * (size_t)i, "%2x", &byte) != 1) {
            return false;
        }
        digest->digest[i] = (unsigned char)byte;
    }
    *file_bytes = bytes;
    make_seal(bytes, digest, again); /* whatever was parsed loosely */
    return memcmp(again, seal, ND_SEAL_BYTES) == 0;
}

static nd_status read_seal(int descriptor, const char *path, uint64_t file_bytes,
                           nd_seal_state *state, XXH128_canonical_t *digest) {
    nd_status st = ND_OK;
    char head[ND_SEAL_BYTES + SIGNATURE_BYTES] = "";
    uint64_t sealed_bytes = 0;
    *state = ND_SEAL_NONE;
    const size_t size = (size_t)nd_min(file_bytes, sizeof head);
    ND_TRY(nd_own_file_read(descriptor, path, 0, head, size));
    const bool headed = memcmp(head, HEAD, sizeof HEAD - 1) == 0;
    const bool followed = memcmp(head + ND_SEAL_BYTES, SIGNATURE, SIGNATURE_BYTES) == 0;
    if ((!headed && !followed) || memcmp(head, SIGNATURE, SIGNATURE_BYTES) == 0) {
        return ND_OK; /* none of ours, or one from before there were seals: HDF5 will say */
    }
    if (size < sizeof head || !parse_seal(head, &sealed_bytes, digest)) {
        return nd_fail(ND_ERR_FORMAT, "%s: damaged: its first %d bytes are no seal", path,
                       ND_SEAL_BYTES);
    }
    if (sealed_bytes != file_bytes) {
        return nd_fail(ND_ERR_FORMAT, "%s: damaged: it has %llu bytes and was written with %llu",
                       path, (unsigned long long)file_bytes, (unsigned long long)sealed_bytes);
    }
    *state = ND_SEAL_WHOLE;
out:
    return st;
}

nd_status nd_seal_file(const char *path) {
    nd_status st = ND_OK;
    uint8_t *digests = NULL;
    struct stat info;
    if (stat(path, &info) != 0) {
        return nd_fail(ND_ERR_IO, "%s: cannot be looked at: %s", path, strerror(errno));
    }
    const uint64_t bytes = (uint64_t)info.st_size;
    const uint64_t blocks = nd_seal_blocks(bytes);
    nd_new_room(&digests, blocks, ND_SEAL_DIGEST_BYTES);
    ND_TRY(nd_seal_digest(path, bytes, 0, blocks, digests));
    ND_TRY(nd_seal_write(path, bytes, digests));
out:
    free(digests);
    return st;
}

bool nd_seal_is_hdf5(int descriptor) {
    static const off_t places[] = {0, ND_SEAL_BYTES};
    char bytes[sizeof HEAD - 1];
    bool is = pread(descriptor, bytes, sizeof bytes, 0) == sizeof bytes &&
              memcmp(bytes, HEAD, sizeof bytes) == 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        is = is || (pread(descriptor, bytes, SIGNATURE_BYTES, places[i]) == SIGNATURE_BYTES &&
                    memcmp(bytes, SIGNATURE, SIGNATURE_BYTES) == 0);
    }
    return is;
}

nd_status nd_seal_look(int descriptor, const char *path, uint64_t file_bytes,
                       nd_seal_state *state) {
    XXH128_canonical_t digest;
    return read_seal(descriptor, path, file_bytes, state, &digest);
}

nd_status nd_seal_check(const char *path, nd_seal_state *state) {
    nd_status st = ND_OK;
    XXH128_canonical_t sealed;
    struct stat info;
    uint64_t file_bytes = 0;
    uint8_t *digests = NULL;
    int descriptor = -1;
    *state = ND_SEAL_NONE;
    ND_TRY(nd_foreign_file_open(path, &descriptor, &info));
    file_bytes = (uint64_t)info.st_size;
    ND_TRY(read_seal(descriptor, path, file_bytes, state, &sealed));
    if (*state == ND_SEAL_WHOLE) {
        const uint64_t blocks = nd_seal_blocks(file_bytes);
        nd_new(&digests, blocks, ND_SEAL_DIGEST_BYTES);
        ND_TRY(digest_blocks(descriptor, path, file_bytes, 0, blocks, digests));
        const XXH128_canonical_t found = digest_of_all(digests, file_bytes);
        if (memcmp(&found, &sealed, sizeof found) != 0) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: damaged: its bytes are not those that were written (checksum)", path);
        }
    }
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    free(digests);
    return st;
}
