/* Manifests of work folders. By the first byte the input is a manifest's text, or all of it but its
 * checksum: one that is read is written as a text that reads as the same manifest. */
#include "io/store/manifest.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"
#include "tests/support/sources.h"

#include <xxhash.h>

/* The pieces of each array follow one another, and can be looked up. */
static void check_pieces(const nd_manifest *manifest) {
    for (size_t i = 0; i < manifest->piece_count; i++) {
        const nd_manifest_piece *piece = &manifest->pieces[i];
        size_t count = 0;
        const nd_kept_array *kept = nd_manifest_array_of(manifest, piece);
        const nd_manifest_piece *array = nd_manifest_array(manifest, kept->name, &count);
        char file[NAME_MAX + 1];
        ND_FUZZ_CHECK(piece->count > 0 && kept->record_size > 0);
        nd_manifest_file(manifest, piece, file);
        ND_FUZZ_CHECK(strchr(file, '/') == NULL && file[0] != '.');
        ND_FUZZ_CHECK(array != NULL && piece >= array && piece < array + count);
        ND_FUZZ_CHECK(piece == array || piece[-1].first + piece[-1].count <= piece->first);
    }
    const char **files = nd_manifest_files(manifest);
    for (size_t i = 1; i < manifest->piece_count; i++) {
        ND_FUZZ_CHECK(strcmp(files[i - 1], files[i]) <= 0);
    }
    free(files);
}

ND_FUZZ_TARGET(z_manifest) {
    nd_span body = {data, size};
    const bool whole = nd_fuzz_byte(&body) % 8 == 0;
    ND_OWNED(nd_manifest_free) nd_manifest manifest = {0}, again = {0};
    ND_OWNED(nd_buffer_free) nd_buffer text = {0}, written = {0}, rewritten = {0};
    nd_buffer_append(&text, body.data, body.size);
    if (!whole) {
        nd_test_print(&text, ",\n\"checksum\":\"%016" PRIx64 "\"}\n",
                      (uint64_t)XXH3_64bits(body.data, body.size));
    }
    const nd_status st = nd_manifest_parse(&manifest, nd_buffer_span(&text), "a/path");
    ND_FUZZ_CHECK(st == ND_OK || st == ND_ERR_FORMAT || st == ND_ERR_INTERNAL);
    if (st == ND_OK) {
        check_pieces(&manifest);
        ND_FUZZ_CHECK(nd_manifest_format(&manifest, &written) == ND_OK);
        ND_FUZZ_CHECK(nd_manifest_parse(&again, nd_buffer_span(&written), "a/path") == ND_OK);
        ND_FUZZ_CHECK(nd_manifest_format(&again, &rewritten) == ND_OK);
        ND_FUZZ_CHECK(nd_fuzz_same(nd_buffer_span(&written), nd_buffer_span(&rewritten)));
        ND_FUZZ_CHECK(again.piece_count == manifest.piece_count &&
                      again.generation == manifest.generation);
    } else {
        ND_FUZZ_CHECK(manifest.pieces == NULL && manifest.values == NULL);
    }
    return 0;
}
