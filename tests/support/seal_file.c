#include "tests/support/seal_file.h"

#include "src/base/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

nd_status nd_test_seal_file(const char *path) {
    nd_status st = ND_OK;
    uint8_t *digests = NULL;
    struct stat status;
    if (stat(path, &status) != 0) {
        return nd_fail(ND_ERR_IO, "%s: cannot look at it: %s", path, strerror(errno));
    }
    const uint64_t file_bytes = (uint64_t)status.st_size;
    const uint64_t blocks = nd_seal_blocks(file_bytes);
    ND_TRY(nd_new(&digests, blocks, ND_SEAL_DIGEST_BYTES));
    ND_TRY(nd_seal_digest(path, file_bytes, 0, blocks, digests));
    ND_TRY(nd_seal_write(path, file_bytes, digests));
out:
    free(digests);
    return st;
}
