#include "io/result/result_sources.h"

#include <string.h>
#include <sys/stat.h>

nd_status nd_result_text_read(const nd_result *result, const char *offset_name,
                              const char *bytes_name, uint64_t row, nd_buffer *text) {
    nd_status st = ND_OK;
    uint64_t range[2] = {0, 0};
    uint64_t bytes = 0;
    text->size = 0;
    ND_TRY(nd_result_rows(result, bytes_name, ND_COLUMN_U8, &bytes));
    ND_TRY(nd_result_read_offsets(result, offset_name, row, 1, false, bytes, range));
    const uint64_t size = range[1] - range[0];
    ND_TRY(nd_buffer_reserve(text, (size_t)size + 1));
    ND_TRY(nd_result_read(result, bytes_name, ND_COLUMN_U8, range[0], size, text->data));
    text->size = (size_t)size;
    ND_TRY(nd_buffer_append(text, "", 1));
out:
    return st;
}

nd_status nd_result_source_name(const nd_result *result, uint64_t row, nd_buffer *name) {
    return nd_result_text_read(result, "/sources/path_offset", "/sources/path_bytes", row, name);
}

static bool is_there(const nd_buffer *path) {
    struct stat info;
    return stat((const char *)path->data, &info) == 0;
}

nd_status nd_result_source_path(const nd_result *result, uint64_t row, nd_buffer *path) {
    nd_status st = ND_OK;
    nd_buffer beside = {0};
    const char *slash = strrchr(result->path, '/');
    ND_TRY(nd_result_source_name(result, row, path));
    if (slash == NULL || path->data[0] == '/' || is_there(path)) {
        goto out;
    }
    ND_TRY(nd_buffer_append(&beside, result->path, (size_t)(slash + 1 - result->path)));
    ND_TRY(nd_buffer_append(&beside, path->data, path->size));
    if (is_there(&beside)) {
        const nd_buffer name = *path;
        *path = beside;
        beside = name;
    }
out:
    nd_buffer_free(&beside);
    return st;
}
