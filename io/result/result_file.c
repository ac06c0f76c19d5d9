#include "io/result/result_file.h"

#include "io/result/result_seal.h"
#include "io/result/result_trust.h"
#include "io/store/foreign_file.h"
#include "src/base/buffer.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char FORMAT[] = "neardup-partition";
/* What is written. All from 1 on are read; what each has is in result_schema.c. */
static const uint64_t FORMAT_VERSION = 2;

/* Chunks of this size compress well and are still small beside the chunk cache. */
static const uint64_t CHUNK_BYTES = UINT64_C(1) << 20;
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
    return nd_hdf5_fail(result->path, what, name);
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
    const hsize_t chunk = nd_min(total, CHUNK_BYTES / nd_column_size(type));
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
    nd_result_notes_column(&result->notes, name, type, slab, values);
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
    nd_result_notes_attribute(&result->notes, name, true, text, strlen(text) + 1);
    return st;
}

nd_status nd_result_set_number(nd_result *result, const char *name, uint64_t number) {
    const nd_status st = set_attribute(result, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &number);
    nd_result_notes_attribute(&result->notes, name, false, &number, sizeof number);
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
    ND_TRY(st); /* out of memory says nothing of the file */
    ND_TRY(nd_result_get_number(result, "format_version", &result->version));
    if (result->version == 0 || result->version > FORMAT_VERSION) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: is of format version %" PRIu64
                     "; this neardup %s reads versions 1 to %" PRIu64,
                     result->path, result->version, ND_VERSION, FORMAT_VERSION);
    }
out:
    free(format);
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
    ND_TRY(nd_seal_look(descriptor, path, result->bytes, &seal));
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
    ND_TRY(nd_trust_column(&file, name, types_of(type).file, &column->column, &column->rows));
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
    ND_TRY(nd_trust_text(&file, name, &attribute, &size));
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
    ND_TRY(nd_trust_number(&file, name, &attribute));
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
