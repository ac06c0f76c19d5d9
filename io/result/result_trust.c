#include "io/result/result_trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

nd_status nd_hdf5_fail(const char *path, const char *what, const char *name) {
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

nd_status nd_trust_column(const nd_trusted_file *file, const char *name, hid_t type, hid_t *column,
                          uint64_t *rows) {
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
        st = nd_hdf5_fail(file->path, "read", name);
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
        return nd_hdf5_fail(file->path, "read attribute", name);
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
    return class == H5S_NO_CLASS ? nd_hdf5_fail(file->path, "read attribute", name)
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

nd_status nd_trust_text(const nd_trusted_file *file, const char *name, hid_t *attribute,
                        size_t *size) {
    nd_status st = ND_OK;
    hid_t type = H5I_INVALID_HID;
    ND_TRY(open_scalar(file, name, attribute));
    type = H5Aget_type(*attribute);
    *size = type < 0 ? 0 : H5Tget_size(type);
    const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    const htri_t variable = class == H5T_STRING ? H5Tis_variable_str(type) : 0;
    if (*size == 0 || class == H5T_NO_CLASS || variable < 0) {
        st = nd_hdf5_fail(file->path, "read attribute", name);
    } else if (class != H5T_STRING || variable > 0 || *size > MOST_TEXT_BYTES ||
               *size > file->bytes) {
        st = distrust(file, name, "the attribute is no text of a fixed length");
    }
out:
    return looked_at(type, st, attribute);
}

nd_status nd_trust_number(const nd_trusted_file *file, const char *name, hid_t *attribute) {
    nd_status st = ND_OK;
    hid_t type = H5I_INVALID_HID;
    ND_TRY(open_scalar(file, name, attribute));
    type = H5Aget_type(*attribute);
    const htri_t is = type < 0 ? -1 : H5Tequal(type, H5T_STD_U64LE);
    if (is <= 0) {
        st = is < 0 ? nd_hdf5_fail(file->path, "read attribute", name)
                    : distrust(file, name, "the attribute is no number");
    }
out:
    return looked_at(type, st, attribute);
}
