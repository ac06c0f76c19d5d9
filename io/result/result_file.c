#include "io/result/result_file.h"

#include "io/store/foreign_file.h"
#include "io/store/own_file.h"
#include "src/base/buffer.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== opening what strangers made */

/* A reader holds a whole chunk: those of this program are of 1 MiB. */
static const uint64_t MOST_CHUNK_BYTES = UINT64_C(16) << 20;
/* Deflate makes at most so many bytes of one. */
static const uint64_t MOST_EXPANSION = 1032;
/* Of a text attribute, the longest of which is a command line. */
static const size_t MOST_TEXT_BYTES = (size_t)16 << 20;

/* The library's own reason: the description of the innermost error. */
static herr_t keep_reason(unsigned depth, const H5E_error2_t *error, void *text) {
    if (depth == 0 && error->desc != NULL) {
        (void)snprintf(text, 256, "%.*s", (int)strcspn(error->desc, "\n"), error->desc);
    }
    return 0;
}

/* Fail with the library's own reason: "PATH: cannot WHAT NAME: REASON". \return ND_ERR_IO */
static nd_status hdf5_fail(const char *path, const char *what, const char *name) {
    char reason[256] = "unknown HDF5 error";
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, reason);
    return nd_fail(ND_ERR_IO, "%s: cannot %s %s: %s", path, what, name, reason);
}

static nd_status distrust(const nd_trusted_file *file, const char *name, const char *what) {
    return nd_fail(ND_ERR_FORMAT, "%s: %s: %s: damaged, or not written by neardup", file->path,
                   name, what);
}

/* ---- columns */

/* Hard links all the way: others may lead to other files, or in circles. */
static nd_status check_links(const nd_trusted_file *file, const char *name) {
    char path[256];
    size_t size = 0;
    do {
        size += 1 + strcspn(name + size + 1, "/");
        H5L_info_t link;
        (void)snprintf(path, sizeof path, "%.*s", (int)size, name);
        if (H5Lget_info(file->file, path, &link, H5P_DEFAULT) < 0) {
            return distrust(file, name, "is missing");
        }
        if (link.type != H5L_TYPE_HARD) {
            return distrust(file, name, "is a link to something else");
        }
    } while (name[size] != '\0');
    return ND_OK;
}

/* Before anything else is asked of an opened column: even its size is looked up in other files if
 * its storage is virtual. */
static nd_status check_storage(const nd_trusted_file *file, const char *name, hid_t column,
                               size_t value_size, bool *filtered) {
    hsize_t chunk[H5S_MAX_RANK] = {0};
    nd_status st = ND_OK;
    const hid_t properties = H5Dget_create_plist(column);
    const H5D_layout_t layout = properties < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(properties);
    const int filters = properties < 0 ? 0 : H5Pget_nfilters(properties);
    bool known = filters >= 0;
    for (int i = 0; i < filters; i++) {
        size_t values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(properties, (unsigned)i, NULL, &values, NULL, 0, NULL, NULL);
        known = known && (filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE ||
                          filter == H5Z_FILTER_FLETCHER32);
    }
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) {
        st = distrust(file, name, "does not lie in the file");
    } else if (H5Pget_external_count(properties) != 0) {
        st = distrust(file, name, "lies in another file");
    } else if (!known) {
        st = distrust(file, name, "is packed in an unknown way");
    } else if (layout == H5D_CHUNKED && (H5Pget_chunk(properties, H5S_MAX_RANK, chunk) != 1 ||
                                         chunk[0] > MOST_CHUNK_BYTES / value_size)) {
        st = distrust(file, name, "has chunks of a wrong size");
    }
    *filtered = filters > 0;
    if (properties >= 0) {
        (void)H5Pclose(properties);
    }
    return st;
}

/* Open a column: one-dimensional, of exactly this type in the file.
 * \param[out] column  the caller's to H5Dclose(); H5I_INVALID_HID on failure */
static nd_status trust_column(const nd_trusted_file *file, const char *name, hid_t type,
                              hid_t *column, uint64_t *rows) {
    nd_status st = ND_OK;
    const uint64_t value_size = H5Tget_size(type);
    bool filtered = false;
    hsize_t count = 0;
    hid_t found = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    *column = H5I_INVALID_HID;
    ND_TRY(check_links(file, name));
    *column = H5Dopen2(file->file, name, H5P_DEFAULT);
    if (*column < 0 || value_size == 0) {
        st = hdf5_fail(file->path, "read", name);
        goto out;
    }
    ND_TRY(check_storage(file, name, *column, value_size, &filtered));
    found = H5Dget_type(*column);
    if (found < 0 || H5Tequal(found, type) <= 0) {
        st = distrust(file, name, "has values of a wrong type");
        goto out;
    }
    space = H5Dget_space(*column);
    if (space < 0 || H5Sget_simple_extent_type(space) != H5S_SIMPLE ||
        H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_dims(space, &count, NULL) != 1) {
        st = distrust(file, name, "is no column");
        goto out;
    }
    *rows = count;
    const uint64_t stored = H5Dget_storage_size(*column);
    if (stored > file->bytes || *rows > stored * (filtered ? MOST_EXPANSION : 1) / value_size) {
        st = distrust(file, name, "has more rows than the file can hold");
    }
out:
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    if (found >= 0) {
        (void)H5Tclose(found);
    }
    if (st != ND_OK && *column >= 0) {
        (void)H5Dclose(*column);
        *column = H5I_INVALID_HID;
    }
    return st;
}

/* ---- attributes */

static nd_status open_scalar(const nd_trusted_file *file, const char *name, hid_t *attribute) {
    *attribute = H5I_INVALID_HID;
    const htri_t there = H5Aexists(file->file, name);
    if (there == 0) {
        return nd_fail(ND_ERR_FORMAT, "%s: has no attribute %s", file->path, name);
    }
    *attribute = there < 0 ? there : H5Aopen(file->file, name, H5P_DEFAULT);
    if (*attribute < 0) {
        return hdf5_fail(file->path, "read attribute", name);
    }
    const hid_t space = H5Aget_space(*attribute);
    const H5S_class_t class = space < 0 ? H5S_NO_CLASS : H5Sget_simple_extent_type(space);
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    if (class == H5S_SCALAR) {
        return ND_OK;
    }
    (void)H5Aclose(*attribute);
    *attribute = H5I_INVALID_HID;
    return class == H5S_NO_CLASS ? hdf5_fail(file->path, "read attribute", name)
                                 : distrust(file, name, "the attribute is no single value");
}

/* After a look at an attribute's type: one that is not believed is closed too. */
static nd_status looked_at(hid_t type, nd_status st, hid_t *attribute) {
    if (type >= 0) {
        (void)H5Tclose(type);
    }
    if (st != ND_OK && *attribute >= 0) {
        (void)H5Aclose(*attribute);
        *attribute = H5I_INVALID_HID;
    }
    return st;
}

/* Open a scalar attribute of the root group: a fixed-length text, or a number of 64 bits.
 * \param[out] attribute  the caller's to H5Aclose(); H5I_INVALID_HID on failure
 * \param[out] size       bytes of its value */
static nd_status trust_text(const nd_trusted_file *file, const char *name, hid_t *attribute,
                            size_t *size) {
    nd_status st = ND_OK;
    hid_t type = H5I_INVALID_HID;
    ND_TRY(open_scalar(file, name, attribute));
    type = H5Aget_type(*attribute);
    *size = type < 0 ? 0 : H5Tget_size(type);
    const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    const htri_t variable = class == H5T_STRING ? H5Tis_variable_str(type) : 0;
    if (*size == 0 || class == H5T_NO_CLASS || variable < 0) {
        st = hdf5_fail(file->path, "read attribute", name);
    } else if (class != H5T_STRING || variable > 0 || *size > MOST_TEXT_BYTES ||
               *size > file->bytes) {
        st = distrust(file, name, "the attribute is no text of a fixed length");
    }
out:
    return looked_at(type, st, attribute);
}

static nd_status trust_number(const nd_trusted_file *file, const char *name, hid_t *attribute) {
    nd_status st = ND_OK;
    hid_t type = H5I_INVALID_HID;
    ND_TRY(open_scalar(file, name, attribute));
    type = H5Aget_type(*attribute);
    const htri_t is = type < 0 ? -1 : H5Tequal(type, H5T_STD_U64LE);
    if (is <= 0) {
        st = is < 0 ? hdf5_fail(file->path, "read attribute", name)
                    : distrust(file, name, "the attribute is no number");
    }
out:
    return looked_at(type, st, attribute);
}

/* ==== notes */

size_t nd_column_size(nd_column_type type) {
    static const size_t sizes[] = {[ND_COLUMN_U8] = 1,  [ND_COLUMN_U16] = 2, [ND_COLUMN_U32] = 4,
                                   [ND_COLUMN_U64] = 8, [ND_COLUMN_F32] = 4, [ND_COLUMN_F64] = 8};
    return sizes[type];
}

/* Each word of the column's bytes times an odd number that its place gives. */
uint64_t nd_result_notes_sum(uint64_t begin, const void *bytes, size_t size) {
    enum { WORD = sizeof(uint64_t) };
    uint64_t sum = 0;
    for (size_t done = 0; done < size;) {
        uint8_t word[WORD] = {0};
        uint64_t number = 0;
        const uint64_t at = begin + done;
        const size_t now = (size_t)nd_min(size - done, WORD - at % WORD);
        memcpy(word + at % WORD, (const uint8_t *)bytes + done, now);
        memcpy(&number, word, WORD);
        sum += number * (nd_mix64(at / WORD + 1) | 1);
        done += now;
    }
    return sum;
}

static void note(nd_result_notes *notes, const char *name, nd_result_note added) {
    nd_grow(&notes->notes, &notes->capacity, notes->count + 1, sizeof *notes->notes);
    (void)snprintf(added.name, sizeof added.name, "%s", name);
    notes->notes[notes->count++] = added;
}

/* Note a part of a column: of one that goes on there is a note already. */
static void result_notes_column(nd_result_notes *notes, const char *name, nd_column_type type,
                                const nd_slab *slab, const void *values) {
    const size_t size = nd_column_size(type);
    if (!notes->on) {
        return;
    }
    const uint64_t sum =
        nd_result_notes_sum(slab->offset * size, values, (size_t)slab->count * size);
    size_t i = slab->goes_on ? 0 : notes->count;
    while (i < notes->count && strcmp(notes->notes[i].name, name) != 0) {
        i++;
    }
    if (i < notes->count) {
        notes->notes[i].sum += sum;
    } else {
        note(notes, name,
             (nd_result_note){
                 .what = ND_NOTE_COLUMN, .type = type, .rows = slab->total, .sum = sum});
    }
}

/* Note an attribute's value: `size` bytes, of a text with its NUL. */
static void result_notes_attribute(nd_result_notes *notes, const char *name, bool text,
                                   const void *value, size_t size) {
    if (notes->on) {
        note(notes, name,
             (nd_result_note){.what = text ? ND_NOTE_TEXT : ND_NOTE_NUMBER,
                              .sum = nd_result_notes_sum(0, value, size)});
    }
}

void nd_result_notes_free(nd_result_notes *notes) {
    free(notes->notes);
    *notes = (nd_result_notes){.on = false};
}

/* ==== the seal */

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

/* Look at the seal only.
 * \return ND_OK; ND_ERR_FORMAT if the seal is damaged or missing, or the file of another size;
 *         ND_ERR_IO */
static nd_status seal_look(int descriptor, const char *path, uint64_t file_bytes,
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

/* ==== columns and attributes */

static const char FORMAT[] = "neardup-partition";
/* What is written, and read. It goes up with every change to what a column means. */
static const uint64_t FORMAT_VERSION = 3;

/* The fastest level: the columns are small beside the crawl, and higher ones gain little. */
enum { DEFLATE_LEVEL = 1 };

typedef struct column_types {
    hid_t file;
    hid_t memory;
} column_types;

static column_types types_of(nd_column_type type) {
    switch (type) {
    case ND_COLUMN_U8:
        return (column_types){H5T_STD_U8LE, H5T_NATIVE_UINT8};
    case ND_COLUMN_U16:
        return (column_types){H5T_STD_U16LE, H5T_NATIVE_UINT16};
    case ND_COLUMN_U32:
        return (column_types){H5T_STD_U32LE, H5T_NATIVE_UINT32};
    case ND_COLUMN_F32:
        return (column_types){H5T_IEEE_F32LE, H5T_NATIVE_FLOAT};
    case ND_COLUMN_F64:
        return (column_types){H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE};
    case ND_COLUMN_U64:
        break;
    }
    return (column_types){H5T_STD_U64LE, H5T_NATIVE_UINT64};
}

static nd_status fail(const nd_result *result, const char *what, const char *name) {
    return hdf5_fail(result->path, what, name);
}

/* Errors are reported by fail() in one line, not by the library in thirty; and no file makes it
 * load a plugin. */
static void start(nd_result *result, const char *path, hid_t dxpl) {
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    (void)H5PLset_loading_state(0);
    *result = (nd_result){.file = H5I_INVALID_HID, .dxpl = dxpl};
    (void)snprintf(result->path, sizeof result->path, "%s", path);
}

nd_status nd_result_create(nd_result *result, const char *path, hid_t fapl, hid_t dxpl) {
    nd_status st = ND_OK;
    start(result, path, dxpl);
    ND_TRY(nd_fault(ND_FAULT_RESULT));
    /* with room for the seal, and in the format in which HDF5 keeps checksums of all that describes
     * the data: what is damaged there is refused by the library instead of being followed */
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    const hid_t access = fapl == H5P_DEFAULT ? H5Pcreate(H5P_FILE_ACCESS) : H5Pcopy(fapl);
    if (creation >= 0 && access >= 0 && H5Pset_userblock(creation, ND_SEAL_BYTES) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0) {
        result->file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    }
    /* before another call forgets the reason */
    st = result->file < 0 ? fail(result, "create", "the file") : ND_OK;
    (void)H5Pclose(access);
    (void)H5Pclose(creation);
    st = st != ND_OK ? st : nd_result_set_text(result, "format", FORMAT);
    st = st != ND_OK ? st : nd_result_set_number(result, "format_version", FORMAT_VERSION);
out:
    return st;
}

nd_status nd_result_group(nd_result *result, const char *name) {
    const nd_status st = nd_fault(ND_FAULT_RESULT);
    if (st != ND_OK) {
        return st;
    }
    const hid_t group = H5Gcreate2(result->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return group < 0 || H5Gclose(group) < 0 ? fail(result, "create group", name) : ND_OK;
}

/* A column without rows cannot be chunked: HDF5 knows no chunk of size 0. */
static hid_t column_properties(nd_column_type type, uint64_t total) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = nd_min(total, ND_RESULT_CHUNK_BYTES / nd_column_size(type));
    if (properties >= 0 && total > 0 &&
        (H5Pset_chunk(properties, 1, &chunk) < 0 || H5Pset_shuffle(properties) < 0 ||
         H5Pset_deflate(properties, DEFLATE_LEVEL) < 0 || H5Pset_fletcher32(properties) < 0)) {
        (void)H5Pclose(properties);
        return H5I_INVALID_HID;
    }
    return properties;
}

/* The slab's place in the file and in memory; nothing where it is empty. */
static herr_t select_slab(hid_t file_space, hid_t memory_space, const nd_slab *slab) {
    const hsize_t offset = slab->offset;
    const hsize_t count = slab->count;
    if (count == 0) {
        const herr_t file = H5Sselect_none(file_space);
        return H5Sselect_none(memory_space) < 0 ? -1 : file;
    }
    return H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &offset, NULL, &count, NULL);
}

nd_status nd_result_write(nd_result *result, const char *name, nd_column_type type,
                          const nd_slab *slab, const void *values) {
    nd_status st = nd_fault(ND_FAULT_RESULT);
    if (st != ND_OK) {
        return st;
    }
    ND_ASSERT(slab->offset <= slab->total && slab->count <= slab->total - slab->offset,
              slab->offset, slab->count, slab->total);
    const column_types types = types_of(type);
    const hsize_t total = slab->total;
    const hsize_t count = slab->count == 0 ? 1 : slab->count;
    const hid_t properties = column_properties(type, total);
    const hid_t file_space = H5Screate_simple(1, &total, NULL);
    const hid_t memory_space = H5Screate_simple(1, &count, NULL);
    const hid_t column = slab->goes_on ? H5Dopen2(result->file, name, H5P_DEFAULT)
                                       : H5Dcreate2(result->file, name, types.file, file_space,
                                                    H5P_DEFAULT, properties, H5P_DEFAULT);
    /* a rank without rows passes an address all the same: NULL would mean "all" to some drivers */
    const void *from = slab->count == 0 ? &types : values;
    if (column < 0 ||
        (total > 0 && /* without rows there is no storage to write to */
         (select_slab(file_space, memory_space, slab) < 0 ||
          H5Dwrite(column, types.memory, memory_space, file_space, result->dxpl, from) < 0))) {
        st = fail(result, "write", name);
    }
    if (column >= 0 && H5Dclose(column) < 0 && st == ND_OK) {
        st = fail(result, "write", name);
    }
    (void)H5Sclose(memory_space);
    (void)H5Sclose(file_space);
    (void)H5Pclose(properties);
    result_notes_column(&result->notes, name, type, slab, values);
    return st;
}

static nd_status set_attribute(nd_result *result, const char *name, hid_t type, hid_t memory_type,
                               const void *value) {
    nd_status st = nd_fault(ND_FAULT_RESULT);
    if (st != ND_OK) {
        return st;
    }
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(result->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, memory_type, value) < 0) {
        st = fail(result, "write attribute", name);
    }
    if (attribute >= 0) {
        (void)H5Aclose(attribute);
    }
    (void)H5Sclose(space);
    return st;
}

nd_status nd_result_set_text(nd_result *result, const char *name, const char *text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    nd_status st = ND_OK;
    if (H5Tset_size(type, strlen(text) + 1) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
        st = fail(result, "write attribute", name);
    } else {
        st = set_attribute(result, name, type, type, text);
    }
    (void)H5Tclose(type);
    result_notes_attribute(&result->notes, name, true, text, strlen(text) + 1);
    return st;
}

nd_status nd_result_set_number(nd_result *result, const char *name, uint64_t number) {
    const nd_status st = set_attribute(result, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &number);
    result_notes_attribute(&result->notes, name, false, &number, sizeof number);
    return st;
}

/* ---- reading */

/* Columns stay open: each was looked at once, and its last chunk is at hand for the next slab. */
enum { MOST_OPEN = 80 };

typedef struct open_column {
    char name[64];
    nd_column_type type;
    hid_t column;
    uint64_t rows;
} open_column;

struct nd_open_columns {
    size_t count;
    open_column columns[MOST_OPEN];
};

static nd_trusted_file trusted(const nd_result *result) {
    return (nd_trusted_file){result->file, result->path, result->bytes};
}

static nd_status check_format(nd_result *result) {
    nd_status st = ND_OK;
    char *format = NULL;
    st = nd_result_get_text(result, "format", &format);
    if (st == ND_ERR_FORMAT || (st == ND_OK && strcmp(format, FORMAT) != 0)) {
        st = nd_fail(ND_ERR_FORMAT, "%s: an HDF5 file, but not a result of neardup partition",
                     result->path);
    }
    free(format);
    return st;
}

nd_status nd_result_check_version(const nd_result *result) {
    nd_status st = ND_OK;
    uint64_t version = 0;
    ND_TRY(nd_result_get_number(result, "format_version", &version));
    if (version != FORMAT_VERSION) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: is of format version %" PRIu64 "; this neardup %s reads version %" PRIu64
                     ": partition again",
                     result->path, version, ND_VERSION, FORMAT_VERSION);
    }
out:
    return st;
}

nd_status nd_result_open_file(nd_result *result, const char *path) {
    nd_status st = ND_OK;
    int descriptor = -1;
    struct stat info;
    nd_seal_state seal = ND_SEAL_NONE;
    start(result, path, H5P_DEFAULT);
    ND_TRY(nd_foreign_file_open(path, &descriptor, &info)); /* the library would wait for a FIFO */
    result->bytes = (uint64_t)info.st_size;
    ND_TRY(seal_look(descriptor, path, result->bytes, &seal));
    result->sealed = seal == ND_SEAL_WHOLE;
    nd_new(&result->columns, 1, sizeof *result->columns);
    result->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (result->file < 0) {
        st = fail(result, "open", "the file");
        goto out;
    }
    ND_TRY(check_format(result));
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    if (st != ND_OK) {
        (void)nd_result_close(result);
    }
    return st;
}

bool nd_result_has(const nd_result *result, const char *name) {
    return H5Lexists(result->file, name, H5P_DEFAULT) > 0;
}

static nd_status find_column(const nd_result *result, const char *name, nd_column_type type,
                             const open_column **found) {
    nd_status st = ND_OK;
    struct nd_open_columns *open = result->columns;
    ND_TRY(nd_fault_if_tight(ND_FAULT_RESULT));
    if (open == NULL) {
        return nd_fail(ND_ERR_INTERNAL, "%s: is not open for reading", result->path);
    }
    for (size_t i = 0; i < open->count; i++) {
        if (open->columns[i].type == type && strcmp(open->columns[i].name, name) == 0) {
            *found = &open->columns[i];
            return ND_OK;
        }
    }
    const nd_trusted_file file = trusted(result);
    open_column *column = &open->columns[open->count];
    if (open->count == MOST_OPEN ||
        snprintf(column->name, sizeof column->name, "%s", name) >= (int)sizeof column->name) {
        return nd_fail(ND_ERR_INTERNAL, "%s: %s: too many columns", result->path, name);
    }
    ND_TRY(trust_column(&file, name, types_of(type).file, &column->column, &column->rows));
    column->type = type;
    open->count++;
    *found = column;
out:
    return st;
}

nd_status nd_result_rows(const nd_result *result, const char *name, nd_column_type type,
                         uint64_t *rows) {
    const open_column *column = NULL;
    const nd_status st = find_column(result, name, type, &column);
    *rows = st == ND_OK ? column->rows : 0;
    return st;
}

nd_status nd_result_read(const nd_result *result, const char *name, nd_column_type type,
                         uint64_t offset, uint64_t count, void *values) {
    nd_status st = ND_OK;
    const open_column *column = NULL;
    const nd_slab slab = {.offset = offset, .count = count};
    const hsize_t size = count;
    if (count == 0) {
        return ND_OK;
    }
    ND_TRY(find_column(result, name, type, &column));
    if (offset > column->rows || count > column->rows - offset) {
        return nd_fail(ND_ERR_IO, "%s: cannot read %s: it has only %" PRIu64 " rows", result->path,
                       name, column->rows);
    }
    const hid_t file_space = H5Dget_space(column->column);
    const hid_t memory_space = H5Screate_simple(1, &size, NULL);
    if (file_space < 0 || select_slab(file_space, memory_space, &slab) < 0 ||
        H5Dread(column->column, types_of(type).memory, memory_space, file_space, H5P_DEFAULT,
                values) < 0) {
        st = fail(result, "read", name);
    }
    (void)H5Sclose(memory_space);
    (void)H5Sclose(file_space);
out:
    return st;
}

nd_status nd_result_get_text(const nd_result *result, const char *name, char **text) {
    nd_status st = ND_OK;
    const nd_trusted_file file = trusted(result);
    hid_t attribute = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    size_t size = 0;
    *text = NULL;
    ND_TRY(trust_text(&file, name, &attribute, &size));
    nd_new(text, size + 1, 1);
    type = H5Aget_type(attribute);
    if (type < 0 || H5Aread(attribute, type, *text) < 0) {
        st = fail(result, "read attribute", name);
        free(*text);
        *text = NULL;
    }
out:
    if (type >= 0) {
        (void)H5Tclose(type);
    }
    if (attribute >= 0) {
        (void)H5Aclose(attribute);
    }
    return st;
}

nd_status nd_result_find_text(const nd_result *result, const char *name, char **text) {
    *text = NULL;
    return H5Aexists(result->file, name) == 0 ? ND_OK : nd_result_get_text(result, name, text);
}

nd_status nd_result_get_number(const nd_result *result, const char *name, uint64_t *number) {
    nd_status st = ND_OK;
    const nd_trusted_file file = trusted(result);
    hid_t attribute = H5I_INVALID_HID;
    ND_TRY(trust_number(&file, name, &attribute));
    if (H5Aread(attribute, H5T_NATIVE_UINT64, number) < 0) {
        st = fail(result, "read attribute", name);
    }
    (void)H5Aclose(attribute);
out:
    return st;
}

nd_status nd_result_hash_seed(const nd_result *result, uint64_t *seed) {
    const nd_status st = nd_result_get_number(result, "hash_seed", seed);
    *seed = st == ND_OK ? *seed : 0;
    return st == ND_ERR_FORMAT ? ND_OK : st;
}

nd_status nd_result_close(nd_result *result) {
    nd_status st = nd_fault(ND_FAULT_RESULT);
    for (size_t i = 0; result->columns != NULL && i < result->columns->count; i++) {
        (void)H5Dclose(result->columns->columns[i].column);
    }
    free(result->columns);
    result->columns = NULL;
    if (st == ND_OK && result->file >= 0 && H5Fclose(result->file) < 0) {
        st = fail(result, "close", "the file");
    }
    result->file = H5I_INVALID_HID;
    return st;
}

bool nd_result_left_open(void) {
    return H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) > 0;
}
