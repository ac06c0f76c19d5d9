/* compare_results A.h5 B.h5: are /pages, /sets, /pairs, /contained, /sites and /other of two
 * results equal to the byte? Exit code 0 if they are; 1 if not, with the first difference on
 * stdout; 2 if a file cannot be read. Every dataset of the groups is compared, and the checksums of
 * sources: name, type, dimensions, and bytes as stored in the file's own types.
 *
 * compare_results --sums A.h5: a checksum of every dataset and of every attribute of the root, one
 * a line, without what differs between two runs that are the same: /stages, when and how the file
 * was made, and on how many ranks. */
#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum outcome { EQUAL = 0, DIFFERENT = 1, UNREADABLE = 2 } outcome;

/* A one-dimensional dataset as it lies in its file. */
typedef struct column {
    hid_t type;
    hsize_t rows;
    size_t row_bytes;
    uint8_t *bytes;
} column;

static outcome unreadable(const char *path, const char *name) {
    (void)fprintf(stderr, "compare_results: %s: cannot read %s\n", path, name);
    return UNREADABLE;
}

static void close_column(column *c) {
    free(c->bytes);
    if (c->type >= 0) {
        (void)H5Tclose(c->type);
    }
}

static bool read_column(hid_t file, const char *name, column *c) {
    bool read = false;
    *c = (column){.type = H5I_INVALID_HID};
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset);
    if (space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
        H5Sget_simple_extent_dims(space, &c->rows, NULL) == 1) {
        c->type = H5Dget_type(dataset);
        c->row_bytes = c->type < 0 ? 0 : H5Tget_size(c->type);
        c->bytes = malloc(c->rows * c->row_bytes + 1);
        read = c->bytes != NULL && c->row_bytes > 0 &&
               (c->rows == 0 ||
                H5Dread(dataset, c->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->bytes) >= 0);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    if (dataset >= 0) {
        (void)H5Dclose(dataset);
    }
    return read;
}

static outcome compare_columns(const char *name, const column *a, const column *b) {
    if (H5Tequal(a->type, b->type) <= 0) {
        (void)printf("%s: the types differ\n", name);
        return DIFFERENT;
    }
    if (a->rows != b->rows) {
        (void)printf("%s: %llu and %llu rows\n", name, (unsigned long long)a->rows,
                     (unsigned long long)b->rows);
        return DIFFERENT;
    }
    for (hsize_t row = 0; row < a->rows; row++) {
        const size_t at = (size_t)row * a->row_bytes;
        if (memcmp(a->bytes + at, b->bytes + at, a->row_bytes) != 0) {
            (void)printf("%s: row %llu differs\n", name, (unsigned long long)row);
            return DIFFERENT;
        }
    }
    return EQUAL;
}

static bool is_compared(const char *name) {
    static const char *const groups[] = {"pages/", "sets/",  "pairs/",          "contained/",
                                         "sites/", "other/", "sources/checksum"};
    size_t i = 0;
    while (i < sizeof groups / sizeof groups[0] &&
           strncmp(name, groups[i], strlen(groups[i])) != 0) {
        i++;
    }
    return i < sizeof groups / sizeof groups[0];
}

/* The file whose columns are visited, and the other one. */
typedef struct comparison {
    const char *paths[2];
    hid_t other;
    size_t compared;
    outcome result;
} comparison;

/* \return other than 0 ends the visit */
static herr_t compare_link(hid_t file, const char *name, const H5L_info_t *info, void *context) {
    comparison *c = context;
    char group[64];
    (void)info;
    if (!is_compared(name)) {
        return 0;
    }
    (void)snprintf(group, sizeof group, "%.*s", (int)strcspn(name, "/"), name);
    if (H5Lexists(c->other, group, H5P_DEFAULT) <= 0 ||
        H5Lexists(c->other, name, H5P_DEFAULT) <= 0) {
        (void)printf("/%s: only in %s\n", name, c->paths[0]);
        c->result = DIFFERENT;
        return 1;
    }
    column a, b;
    const bool read[2] = {read_column(file, name, &a), read_column(c->other, name, &b)};
    c->result = !read[0]   ? unreadable(c->paths[0], name)
                : !read[1] ? unreadable(c->paths[1], name)
                           : compare_columns(name, &a, &b);
    close_column(&a);
    close_column(&b);
    c->compared++;
    return c->result != EQUAL;
}

/* The columns of `file` in another file. */
static outcome compare_files(const char *path, hid_t file, const char *other_path, hid_t other) {
    comparison c = {{path, other_path}, other, 0, EQUAL};
    return H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, compare_link, &c) < 0 ||
                   (c.result == EQUAL && c.compared == 0)
               ? unreadable(path, "all of it")
               : c.result;
}

/* ---- checksums */

/* FNV-1a. */
static void print_sum(const char *name, const uint8_t *bytes, size_t size) {
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ bytes[i]) * 1099511628211u;
    }
    (void)printf("%s %zu %016llx\n", name, size, (unsigned long long)sum);
}

static herr_t sum_link(hid_t file, const char *name, const H5L_info_t *info, void *unused) {
    (void)info;
    (void)unused;
    column c;
    if (strncmp(name, "stages", 6) == 0) {
        return 0;
    }
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    const H5I_type_t type = H5Iget_type(object);
    if (object < 0 || H5Oclose(object) < 0) {
        return -1;
    }
    if (type != H5I_DATASET) {
        return 0;
    }
    const bool read = read_column(file, name, &c);
    if (read) {
        print_sum(name, c.bytes, (size_t)c.rows * c.row_bytes);
    }
    close_column(&c);
    return read ? 0 : -1;
}

static herr_t sum_attribute(hid_t file, const char *name, const H5A_info_t *info, void *unused) {
    (void)info;
    (void)unused;
    if (strcmp(name, "created") == 0 || strcmp(name, "command_line") == 0 ||
        strcmp(name, "ranks") == 0) {
        return 0;
    }
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    const hid_t type = attribute < 0 ? H5I_INVALID_HID : H5Aget_type(attribute);
    const hsize_t size = attribute < 0 ? 0 : H5Aget_storage_size(attribute);
    uint8_t *bytes = malloc((size_t)size + 1);
    const bool read = bytes != NULL && type >= 0 && H5Aread(attribute, type, bytes) >= 0;
    if (read) {
        print_sum(name, bytes, (size_t)size);
    }
    free(bytes);
    if (type >= 0) {
        (void)H5Tclose(type);
    }
    if (attribute >= 0) {
        (void)H5Aclose(attribute);
    }
    return read ? 0 : -1;
}

static outcome print_sums(const char *path) {
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        return unreadable(path, "the file");
    }
    const bool all =
        H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, sum_attribute, NULL) >= 0 &&
        H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, sum_link, NULL) >= 0;
    (void)H5Fclose(file);
    return all ? EQUAL : unreadable(path, "all of it");
}

int main(int argc, char **argv) {
    if (argc != 3) {
        (void)fprintf(stderr, "usage: compare_results A.h5 B.h5\n"
                              "       compare_results --sums A.h5\n");
        return UNREADABLE;
    }
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (strcmp(argv[1], "--sums") == 0) {
        return (int)print_sums(argv[2]);
    }
    outcome result = EQUAL;
    hid_t files[2];
    for (int i = 0; i < 2; i++) {
        files[i] = H5Fopen(argv[1 + i], H5F_ACC_RDONLY, H5P_DEFAULT);
        result = files[i] < 0 ? unreadable(argv[1 + i], "the file") : result;
    }
    for (int i = 0; i < 2 && result == EQUAL; i++) {
        result = compare_files(argv[1 + i], files[i], argv[2 - i], files[1 - i]);
    }
    for (int i = 0; i < 2; i++) {
        if (files[i] >= 0) {
            (void)H5Fclose(files[i]);
        }
    }
    return (int)result;
}
