#include "tests/support/hostile_files.h"
#include "io/result/result_schema.h"
#include "io/store/manifest.h"
#include "src/base/util.h"
#include "tests/support/brief.h"
#include "tests/support/sources.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- hostile folder */

static uint64_t below(nd_random *random, uint64_t bound) {
    return nd_random_below(random, bound);
}

uint64_t nd_hostile_number(nd_random *random, uint64_t number) {
    const uint64_t numbers[] = {0,
                                1,
                                number + 1,
                                number - 1,
                                number + 1 + below(random, 64),
                                number ^ UINT64_C(1) << below(random, 64),
                                UINT64_MAX - below(random, 3),
                                UINT64_MAX - number,
                                UINT32_MAX + below(random, 3) - 1,
                                UINT64_C(1) << below(random, 64),
                                below(random, 16),
                                nd_random_next(random)};
    return numbers[below(random, sizeof numbers / sizeof numbers[0])];
}

void nd_hostile_write(const char *path, nd_span bytes) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool written =
        file >= 0 && write(file, bytes.data, bytes.size) == (ssize_t)bytes.size && close(file) == 0;
    nd_test_must(written ? ND_OK : nd_fail(ND_ERR_IO, "%s: cannot be written", path));
}

void nd_hostile_bytes(nd_buffer *bytes, nd_random *random) {
    static const uint8_t often[] = {0, '\n', '\r', '\t', ' ', ':', '"', '{', '0', 0x7f, 0x80, 0xff};
    if (bytes->size == 0) {
        return;
    }
    if (below(random, 6) == 0) {
        bytes->size = below(random, bytes->size);
        return;
    }
    for (uint64_t i = 1 + below(random, 6); i > 0; i--) {
        const size_t at = below(random, bytes->size);
        const size_t from = below(random, bytes->size);
        const size_t left = bytes->size - (at > from ? at : from);
        switch (below(random, 4)) {
        case 0:
            bytes->data[at] ^= (uint8_t)(1U << below(random, 8));
            break;
        case 1:
            bytes->data[at] = often[below(random, sizeof often)];
            break;
        case 2:
            bytes->data[at] = (uint8_t)nd_random_next(random);
            break;
        default:
            memmove(bytes->data + at, bytes->data + from, nd_min(left, 1 + below(random, 40)));
            break;
        }
    }
}

void nd_hostile_copy_file(const char *from, const char *to) {
    ND_OWNED(nd_buffer_free) nd_buffer bytes = nd_test_read(from);
    nd_hostile_write(to, nd_buffer_span(&bytes));
}

void nd_hostile_copy_folder(const char *from, const char *to) {
    char path[2][512];
    DIR *opened = opendir(from);
    nd_test_must(opened != NULL && mkdir(to, 0700) == 0 ? ND_OK : ND_ERR_IO);
    for (const struct dirent *entry = readdir(opened); entry != NULL; entry = readdir(opened)) {
        (void)snprintf(path[0], sizeof path[0], "%s/%.200s", from, entry->d_name);
        (void)snprintf(path[1], sizeof path[1], "%s/%.200s", to, entry->d_name);
        struct stat info;
        if (stat(path[0], &info) == 0 && S_ISREG(info.st_mode)) {
            nd_hostile_copy_file(path[0], path[1]);
        }
    }
    (void)closedir(opened);
}

/* ---- the folder */

typedef struct folder {
    const char *path;
    nd_manifest manifest;
    bool sealed; /* checksums are made to fit */
} folder;

static const char *path_of(const folder *f, const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", f->path, name);
    return path;
}

static const char *file_of(const folder *f, const nd_manifest_piece *piece) {
    static char name[NAME_MAX + 1];
    nd_manifest_file(&f->manifest, piece, name);
    return path_of(f, name);
}

static void edit_hostile_folder(const nd_manifest_piece *piece, uint64_t record_size,
                                nd_buffer *bytes, nd_random *random) {
    const uint64_t record = below(random, piece->count) * record_size;
    const uint64_t other = below(random, piece->count) * record_size;
    const float narrow[] = {NAN, INFINITY, -1, 2, 1.0001F, 0};
    uint64_t number = 0;
    uint8_t *at = bytes->data + record;
    size_t size = 8;
    if (record_size >= 8) {
        at += 8 * below(random, record_size / 8);
    } else {
        size = record_size;
    }
    size = nd_min(size, (size_t)(bytes->data + bytes->size - at));
    switch (below(random, 8)) {
    case 0:
        memmove(bytes->data + record, bytes->data + other, record_size);
        break;
    case 1:
        memmove(at, bytes->data + other + ((size_t)(at - bytes->data) - record), size);
        break;
    case 2: /* half of a field of 64 bits */
        at += size == 8 && below(random, 2) == 0 ? 4 : 0;
        size = nd_min(size, 4);
        memcpy(&number, at, size);
        number = nd_hostile_number(random, number);
        memcpy(at, &number, size);
        break;
    case 3:
        memcpy(at + (size == 8 && below(random, 2) == 0 ? 4 : 0),
               &narrow[below(random, sizeof narrow / sizeof narrow[0])], nd_min(size, 4));
        break;
    case 4:
        at[below(random, size)] = (uint8_t)nd_random_next(random);
        break;
    default:
        memcpy(&number, at, size);
        number = nd_hostile_number(random, number);
        memcpy(at, &number, size);
        break;
    }
}

static void change_values(folder *f, nd_random *random) {
    ND_OWNED(nd_buffer_free) nd_buffer bytes = {0}, sums = {0};
    nd_manifest_piece *piece = &f->manifest.pieces[below(random, f->manifest.piece_count)];
    const uint64_t size = nd_manifest_array_of(&f->manifest, piece)->record_size;
    bytes = nd_test_read(file_of(f, piece));
    const size_t data = nd_min(bytes.size, (size_t)(piece->count * size));
    nd_buffer_append(&sums, bytes.data + data, bytes.size - data);
    bytes.size = data;
    for (uint64_t i = 1 + below(random, 3); i > 0 && bytes.size > 0; i--) {
        edit_hostile_folder(piece, size, &bytes, random);
    }
    if (piece->count > 1 && below(random, 12) == 0) { /* fewer of them */
        piece->count -= 1 + below(random, piece->count - 1);
        bytes.size = (size_t)(piece->count * size);
    }
    if (f->sealed) {
        piece->checksum = nd_test_seal(&bytes);
    } else {
        nd_buffer_append(&bytes, sums.data, sums.size);
    }
    nd_hostile_write(file_of(f, piece), nd_buffer_span(&bytes));
}

static void change_piece(folder *f, nd_random *random) {
    nd_manifest *m = &f->manifest;
    nd_manifest_piece *piece = &m->pieces[below(random, m->piece_count)];
    const nd_manifest_piece *other = &m->pieces[below(random, m->piece_count)];
    nd_kept_array *array = &m->arrays[piece->array];
    switch (below(random, 7)) {
    case 0:
        piece->first = nd_hostile_number(random, piece->first);
        break;
    case 1:
        piece->count = nd_hostile_number(random, piece->count);
        break;
    case 2: /* the same bytes as other records */
        array->record_size = array->record_size * piece->count;
        piece->count = 1;
        break;
    case 3:
        piece->count = array->record_size * piece->count;
        array->record_size = 1;
        break;
    case 4:
        piece->dropped = true;
        break;
    case 5:
        piece->array = other->array;
        break;
    default: /* one file for two: its name has the array */
        piece->generation = other->generation;
        piece->rank = other->rank;
        piece->number = other->number;
        piece->checksum = other->checksum;
        break;
    }
    piece->count = nd_max(piece->count, 1);
}

static void change_value(folder *f, nd_random *random) {
    nd_manifest *m = &f->manifest;
    nd_manifest_value *value = &m->values[below(random, m->value_count)];
    if (value->text == NULL) {
        value->number = nd_hostile_number(random, value->number);
        return;
    }
    nd_buffer text = {0};
    nd_buffer_append(&text, value->text, strlen(value->text));
    nd_hostile_bytes(&text, random);
    nd_buffer_append(&text, "", 1);
    free(value->text);
    value->text = (char *)text.data;
}

/* What is not said by the manifest. */
static void change_files(folder *f, nd_random *random) {
    const nd_manifest_piece *piece = &f->manifest.pieces[below(random, f->manifest.piece_count)];
    char path[4096];
    nd_buffer bytes = {0};
    (void)snprintf(path, sizeof path, "%s",
                   below(random, 2) == 0 ? file_of(f, piece) : path_of(f, "manifest.json"));
    switch (below(random, 4)) {
    case 0:
        (void)unlink(path);
        break;
    case 1:
        (void)unlink(path);
        nd_test_must(symlink("/etc/passwd", path) == 0 ? ND_OK : ND_ERR_IO);
        break;
    default:
        bytes = nd_test_read(path);
        nd_hostile_bytes(&bytes, random);
        nd_hostile_write(path, nd_buffer_span(&bytes));
        nd_buffer_free(&bytes);
        break;
    }
}

void nd_hostile_folder(const char *path, nd_random *random) {
    folder f = {.path = path, .sealed = below(random, 20) != 0};
    ND_OWNED(nd_buffer_free) nd_buffer text = nd_test_read(path_of(&f, "manifest.json"));
    nd_test_must(nd_manifest_parse(&f.manifest, nd_buffer_span(&text), path));
    text.size = 0;
    const uint64_t how = below(random, 16);
    if (how == 0) {
        change_value(&f, random);
    } else if (how == 1) {
        change_piece(&f, random);
    } else if (how > 2) {
        for (uint64_t i = 1 + below(random, 2); i > 0; i--) {
            change_values(&f, random);
        }
    }
    nd_test_must(nd_manifest_format(&f.manifest, &text));
    nd_hostile_write(path_of(&f, "manifest.json"), nd_buffer_span(&text));
    if (how == 2) {
        change_files(&f, random);
    }
    nd_manifest_free(&f.manifest);
}

/* ---- hostile inputs */

static void make_page(nd_buffer *out, unsigned family, unsigned copy, bool html) {
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    for (unsigned i = 0; i < 6; i++) {
        nd_test_print(&text, html ? "<p>" : "");
        for (unsigned w = 0; w < 12; w++) {
            const uint64_t word = (i == copy ? 1000 * copy : 0) + 100 * family + 12 * i + w;
            nd_test_print(&text, "w%llx ", (unsigned long long)(nd_mix64(word + 1) % 100000));
        }
        nd_test_print(&text, "end.%s", html ? "</p>\n" : " ");
    }
    nd_buffer_append(out, text.data, text.size);
}

static void make_lines(nd_buffer *out, unsigned first, unsigned pages) {
    for (unsigned i = first; i < first + pages; i++) {
        nd_test_print(out, "{\"id\":\"p%u\",\"url\":\"http://h%u.test/%u\",\"text\":\"", i, i % 3,
                      i);
        make_page(out, i / 3, i % 3, false);
        nd_test_print(out, "\"}\n");
    }
}

static void make_archive(nd_buffer *out, nd_test_packing packing) {
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    ND_OWNED(nd_buffer_free) nd_buffer http = {0};
    ND_OWNED(nd_buffer_free) nd_buffer page = {0};
    for (unsigned i = 0; i < 8; i++) {
        char url[64];
        char id[64];
        record.size = http.size = page.size = 0;
        (void)snprintf(url, sizeof url, "http://w%u.test/%u", i % 2, i);
        (void)snprintf(id, sizeof id, "<urn:uuid:%08u-0000-0000-0000-000000000000>", i);
        nd_test_print(&page, "<html><title>Page %u</title><ul><li><a href=/>Home</a></ul>", i);
        make_page(&page, i / 2, i % 2, true);
        nd_test_http(&http, 200, "text/html; charset=utf-8", "", nd_buffer_span(&page));
        nd_test_warc_record(&record, i == 7 ? "revisit" : "response", url, id,
                            "application/http; msgtype=response", nd_buffer_span(&http));
        nd_test_pack(out, packing, nd_buffer_span(&record));
    }
}

static void write_base(const char *name, nd_buffer *bytes) {
    nd_hostile_write(name, nd_buffer_span(bytes));
    nd_buffer_free(bytes);
}

void nd_hostile_inputs(void) {
    nd_buffer bytes = {0};
    make_lines(&bytes, 0, 9);
    write_base("a.jsonl", &bytes);
    make_lines(&bytes, 6, 8);
    write_base("b.jsonl", &bytes);
    make_archive(&bytes, ND_TEST_GZIP);
    write_base("c.warc.gz", &bytes);
    make_archive(&bytes, ND_TEST_PLAIN);
    write_base("d.warc", &bytes);
    make_archive(&bytes, ND_TEST_ZSTD);
    write_base("e.warc.zst", &bytes);
    nd_buffer parts[2] = {{0}, {0}};
    static const char *const names[] = {"archive/x.warc.gz", "indexes/index.cdx"};
    make_archive(&parts[0], ND_TEST_GZIP);
    nd_test_print(&parts[1], "an index\n");
    const nd_span spans[2] = {nd_buffer_span(&parts[0]), nd_buffer_span(&parts[1])};
    nd_test_wacz(&bytes, names, spans, 2, false);
    write_base("f.wacz", &bytes);
    nd_test_wacz(&bytes, names, spans, 2, true);
    write_base("g.wacz", &bytes);
    nd_buffer_free(&parts[0]);
    nd_buffer_free(&parts[1]);
    nd_buffer page = {0};
    make_page(&page, 1, 1, true);
    nd_test_arc_record(&bytes, "filedesc://h.arc", "text/plain", nd_test_span("1 0 x\nURL IP\n"));
    ND_OWNED(nd_buffer_free) nd_buffer http = {0};
    nd_test_http(&http, 200, "text/html", "", nd_buffer_span(&page));
    nd_test_arc_record(&bytes, "http://arc.test/", "text/html", nd_buffer_span(&http));
    write_base("h.arc", &bytes);
    write_base("i.html", &page);
    for (unsigned i = 0; i < 14; i++) {
        nd_test_print(&bytes, "p%u\tc%u\n", i, i / 3);
    }
    write_base("labels.tsv", &bytes);
    for (unsigned i = 0; i < 12; i++) {
        nd_test_print(&bytes, "p%u\tp%u\t%u\n", i, i + 1, i % 2);
    }
    write_base("pairs.tsv", &bytes);
}

/* ---- hostile result */

static void must(bool holds) {
    nd_test_must(holds ? ND_OK : nd_fail(ND_ERR_INTERNAL, "a result cannot be changed"));
}

static bool is_there(hid_t file, const char *name) {
    char group[64];
    (void)snprintf(group, sizeof group, "%.*s", (int)(1 + strcspn(name + 1, "/")), name);
    return H5Lexists(file, group, H5P_DEFAULT) > 0 && H5Lexists(file, name, H5P_DEFAULT) > 0;
}

/* ---- columns */

/* A column of the file, whose values are at hand. */
typedef struct column {
    const char *name;
    hid_t id, type;
    size_t size; /* of a value */
    uint64_t rows;
    uint8_t *values;
} column;

static bool open_column(hid_t file, const char *name, column *c) {
    hsize_t rows = 0;
    *c = (column){.name = name};
    if (!is_there(file, name)) {
        return false;
    }
    c->id = H5Dopen2(file, name, H5P_DEFAULT);
    c->type = H5Dget_type(c->id);
    c->size = H5Tget_size(c->type);
    const hid_t space = H5Dget_space(c->id);
    must(c->id >= 0 && H5Sget_simple_extent_dims(space, &rows, NULL) == 1);
    c->rows = rows;
    nd_new(&c->values, rows * c->size + 1, 1);
    must(rows == 0 || H5Dread(c->id, c->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->values) >= 0);
    (void)H5Sclose(space);
    return true;
}

static void close_column(column *c, bool write) {
    must(!write || c->rows == 0 ||
         H5Dwrite(c->id, c->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->values) >= 0);
    (void)H5Tclose(c->type);
    (void)H5Dclose(c->id);
    free(c->values);
}

/* Any column of the file; `required`: one that each result has. */
static const char *draw_name(hid_t file, nd_random *random, bool required) {
    size_t count = 0;
    const nd_schema_column *schema = nd_result_schema(&count);
    for (;;) {
        const nd_schema_column *s = &schema[below(random, count)];
        const char *name = s->bytes != NULL && below(random, 3) == 0 ? s->bytes : s->name;
        if (is_there(file, name) && !(required && s->optional)) {
            return name;
        }
    }
}

/* Give one value of a column. */
static bool put(hid_t file, nd_random *random, const char *name, uint64_t least_rows,
                const void *value) {
    column c;
    if (!open_column(file, name, &c)) {
        return false;
    }
    const bool enough = c.rows >= least_rows && c.rows > 0;
    if (enough) {
        memcpy(c.values + below(random, c.rows) * c.size, value, c.size);
    }
    close_column(&c, enough);
    return enough;
}

static bool put_number(hid_t file, nd_random *random, const char *name, uint64_t number) {
    return put(file, random, name, 1, &number);
}

static uint64_t rows_of(hid_t file, const char *name) {
    column c;
    uint64_t rows = 0;
    if (open_column(file, name, &c)) {
        rows = c.rows;
        close_column(&c, false);
    }
    return rows;
}

/* A number from `rows` on. */
static uint64_t draw_far(nd_random *random, uint64_t rows) {
    const uint64_t far[] = {rows,       rows + 1,       UINT32_MAX,
                            UINT64_MAX, UINT64_MAX / 8, rows + below(random, 1000)};
    return nd_max(rows, far[below(random, sizeof far / sizeof far[0])]);
}

/* ---- values */

static uint64_t draw_number(nd_random *random, uint64_t near) {
    const uint64_t numbers_hostile_result[] = {0,
                                               1,
                                               near + 1,
                                               near - 1,
                                               near ^ UINT64_C(1) << below(random, 64),
                                               UINT64_MAX - below(random, 3),
                                               UINT32_MAX + below(random, 3) - 1,
                                               UINT64_C(1) << below(random, 64),
                                               below(random, 16),
                                               nd_random_next(random)};
    return numbers_hostile_result[below(random, sizeof numbers_hostile_result /
                                                    sizeof numbers_hostile_result[0])];
}

static void edit_hostile_result(column *c, nd_random *random) {
    static const uint8_t bytes[] = {0,   0,    '\n', '\t', 27,  '/', '.',
                                    '.', 0x7f, 0x9b, 0xff, '"', '<', '%'};
    static const double doubles[] = {NAN, -NAN, INFINITY, -INFINITY, -1, 2, -0., 1e300, .5, 1, 0};
    uint8_t *at = c->values + below(random, c->rows) * c->size;
    const uint8_t *other = c->values + below(random, c->rows) * c->size;
    uint64_t number = 0;
    const double real = doubles[below(random, sizeof doubles / sizeof doubles[0])];
    const float narrow = (float)real;
    memcpy(&number, other, nd_min(c->size, sizeof number));
    if (below(random, 4) == 0) {
        memmove(at, other, c->size);
    } else if (H5Tget_class(c->type) == H5T_FLOAT) {
        memcpy(at, c->size == sizeof real ? (const void *)&real : &narrow, c->size);
    } else if (c->size == 1) {
        *at = below(random, 2) == 0 ? bytes[below(random, sizeof bytes)]
                                    : (uint8_t)nd_random_next(random);
    } else {
        number = draw_number(random, number);
        memcpy(at, &number, c->size);
    }
}

static bool make_values(hid_t file, nd_random *random) {
    column c;
    for (uint64_t i = 1 + below(random, 3); i > 0; i--) {
        (void)open_column(file, draw_name(file, random, false), &c);
        for (uint64_t n = 1 + below(random, 3); n > 0 && c.rows > 0; n--) {
            edit_hostile_result(&c, random);
        }
        close_column(&c, true);
    }
    return true;
}

/* All of a column moved by some rows, turned round, or made one value. */
static bool make_order(hid_t file, nd_random *random) {
    column c;
    (void)open_column(file, draw_name(file, random, false), &c);
    const uint64_t how = below(random, 3);
    const uint64_t shift = c.rows > 0 ? below(random, c.rows) : 0;
    ND_FREED uint8_t *was = NULL;
    nd_new(&was, c.rows * c.size + 1, 1);
    memcpy(was, c.values, c.rows * c.size);
    for (uint64_t i = 0; i < c.rows; i++) {
        const uint64_t from = how == 0 ? (i + shift) % c.rows : how == 1 ? c.rows - 1 - i : shift;
        memcpy(c.values + i * c.size, was + from * c.size, c.size);
    }
    close_column(&c, true);
    return true;
}

static bool make_set_far(hid_t file, nd_random *random) {
    return put_number(file, random, "/pages/set",
                      draw_far(random, rows_of(file, "/sets/offset") - 1));
}

static bool make_page_far(hid_t file, nd_random *random) {
    static const char *const names[] = {"/pages/link", "/pages/exact_of", "/sets/member"};
    return put_number(file, random, names[below(random, 3)],
                      draw_far(random, rows_of(file, "/pages/set")));
}

static bool make_source_far(hid_t file, nd_random *random) {
    const uint32_t number =
        (uint32_t)nd_min(draw_far(random, rows_of(file, "/sources/bytes")), UINT32_MAX);
    return put(file, random, "/pages/source", 1, &number);
}

static bool make_collection_far(hid_t file, nd_random *random) {
    const uint16_t number = (uint16_t)nd_min(
        draw_far(random, rows_of(file, "/collections/name_offset") - 1), UINT16_MAX);
    return put(file, random, "/pages/collection", 1, &number);
}

static bool make_similarity(hid_t file, nd_random *random) {
    static const char *const names[] = {"/pages/similarity", "/pages/link_similarity",
                                        "/pages/certainty"};
    static const float wrong[] = {NAN, INFINITY, -INFINITY, -1, -1e-30F, 1.0001F, 2, 3e38F};
    return put(file, random, names[below(random, 3)], 1,
               &wrong[below(random, sizeof wrong / sizeof wrong[0])]);
}

/* A page that is in two sets, and so another that is in none. */
static bool make_member_twice(hid_t file, nd_random *random) {
    column c;
    (void)open_column(file, "/sets/member", &c);
    const uint64_t a = below(random, c.rows);
    const uint64_t b = (a + 1 + below(random, nd_max(c.rows, 2) - 1)) % c.rows;
    memcpy(c.values + a * c.size, c.values + b * c.size, c.size);
    close_column(&c, a != b);
    return a != b;
}

/* Offsets that fall, or pass the end, but begin and end as they should. */
static bool fall(hid_t file, nd_random *random, const char *name) {
    column c;
    if (!open_column(file, name, &c)) {
        return false;
    }
    const bool enough = c.rows > 2;
    if (enough) {
        uint64_t *offsets = (uint64_t *)(void *)c.values;
        const uint64_t end = offsets[c.rows - 1];
        const uint64_t far[] = {end + 1, end + 1 + below(random, 1000), UINT64_MAX, UINT64_MAX / 2};
        offsets[1 + below(random, c.rows - 2)] = far[below(random, sizeof far / sizeof far[0])];
    }
    close_column(&c, enough);
    return enough;
}

static bool make_offsets(hid_t file, nd_random *random) {
    static const char *const names[] = {"/sets/offset", "/pages/url_offset", "/pages/id_offset"};
    return fall(file, random, names[below(random, 3)]);
}

static bool make_name_nul(hid_t file, nd_random *random) {
    return put(file, random,
               below(random, 2) == 0 ? "/sources/path_bytes" : "/collections/name_bytes", 1, "");
}

/* Names that lead elsewhere, or are no names. */
static bool make_path(hid_t file, nd_random *random) {
    static const char *const paths[] = {"/etc/passwd", "../../../../etc/passwd",
                                        "..",          ".",
                                        "/",           "-",
                                        "\033[2J\a\b", "a\r\nb",
                                        "//",          "./-",
                                        "x/../..",     "\xff\xfe"};
    column c;
    (void)open_column(
        file, below(random, 2) == 0 ? "/sources/path_bytes" : "/collections/name_bytes", &c);
    const char *path = paths[below(random, sizeof paths / sizeof paths[0])];
    const size_t size = nd_min(strlen(path), c.rows);
    memcpy(c.values + below(random, c.rows - size + 1), path, size);
    close_column(&c, size > 0);
    return size > 0;
}

/* ---- columns that are none */

/* In place of a column, one of this type and shape, without values. */
static void replace(hid_t file, const char *name, hid_t type, hid_t space, hid_t properties) {
    must(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    const hid_t made = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    must(made >= 0 && H5Dclose(made) >= 0);
    (void)H5Sclose(space);
}

static hid_t type_of(hid_t file, const char *name, hsize_t *rows) {
    column c;
    (void)open_column(file, name, &c);
    const hid_t type = H5Tcopy(c.type);
    *rows = c.rows;
    close_column(&c, false);
    return type;
}

static bool make_rows(hid_t file, nd_random *random) {
    static const char *const names[] = {"/pages/set",    "/pages/link",     "/pages/tokens",
                                        "/pages/source", "/sources/bytes",  "/sets/member",
                                        "/pages/offset", "/skipped/source", "/stages/items"};
    const char *name = names[below(random, sizeof names / sizeof names[0])];
    hsize_t rows = 0;
    const hid_t type = type_of(file, name, &rows);
    rows += rows == 0 || below(random, 2) == 0 ? 1 + below(random, 3) : UINT64_MAX;
    replace(file, name, type, H5Screate_simple(1, &rows, NULL), H5P_DEFAULT);
    (void)H5Tclose(type);
    return true;
}

static bool make_missing(hid_t file, nd_random *random) {
    return H5Ldelete(file, draw_name(file, random, true), H5P_DEFAULT) >= 0;
}

/* A column that is another one. */
static bool make_hard_link(hid_t file, nd_random *random) {
    const char *name = draw_name(file, random, false);
    const char *other = draw_name(file, random, false);
    return strcmp(name, other) != 0 && H5Ldelete(file, name, H5P_DEFAULT) >= 0 &&
           H5Lcreate_hard(file, other, file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

/* ---- attributes */

static const char *const texts[] = {"format",  "parameters", "command_line",    "method",
                                    "created", "totals",     "program_version", "additions"};
static const char *const numbers_hostile_result[] = {"pages", "sets", "format_version", "ranks"};
enum {
    TEXTS = sizeof texts / sizeof texts[0],
    NUMBERS = sizeof numbers_hostile_result / sizeof numbers_hostile_result[0]
};

static void put_attribute(hid_t file, const char *name, hid_t type, hid_t space,
                          const void *value) {
    must(H5Aexists(file, name) <= 0 || H5Adelete(file, name) >= 0);
    const hid_t made = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    must(made >= 0 && (value == NULL || H5Awrite(made, type, value) >= 0));
    (void)H5Aclose(made);
    (void)H5Sclose(space);
}

static bool make_attribute_missing(hid_t file, nd_random *random) {
    const char *name = below(random, 2) == 0 ? "format" : numbers_hostile_result[below(random, 3)];
    return H5Adelete(file, name) >= 0;
}

static bool make_attribute_number(hid_t file, nd_random *random) {
    uint64_t number = 0;
    const char *name = numbers_hostile_result[below(random, 3)];
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    must(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_UINT64, &number) >= 0);
    (void)H5Aclose(attribute);
    const uint64_t wrong[] = {0, number + 1 + (strcmp(name, "format_version") == 0 ? 5 : 0),
                              UINT64_MAX, UINT64_C(1) << 63, number + UINT32_MAX};
    put_attribute(file, name, H5T_STD_U64LE, H5Screate(H5S_SCALAR),
                  &wrong[below(random, sizeof wrong / sizeof wrong[0])]);
    return number > 0;
}

/* A text that is other than it was in some bytes, or all of it. */
static bool make_attribute_text(hid_t file, nd_random *random) {
    static const char *const whole[] = {"",
                                        "{",
                                        "null",
                                        "[]",
                                        "{}",
                                        "[0,0]",
                                        "[0,-1]",
                                        "[1e400]",
                                        "{\"method\":7}",
                                        "{\"method\":\"\"}",
                                        "\"\\u0000\"",
                                        "[0,18446744073709551615]",
                                        "{\"threshold\":1e999}",
                                        "{\"method\":\"lcs\",\"buckets\":-1}",
                                        "\033[31m\n\xff"};
    static const char pieces[] = "\0\n\033\"{}[]:,0-9.\\\xff\x80/";
    const char *name = texts[1 + below(random, TEXTS - 1)];
    if (H5Aexists(file, name) <= 0) {
        return false;
    }
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    const hid_t found = H5Aget_type(attribute);
    const hid_t type = H5Tcopy(found); /* which may be changed */
    const size_t size = H5Tget_size(type);
    (void)H5Tclose(found);
    ND_FREED char *text = NULL;
    nd_new(&text, size + 1, 1);
    must(H5Aread(attribute, type, text) >= 0);
    (void)H5Aclose(attribute);
    if (below(random, 2) == 0) {
        const char *other = whole[below(random, sizeof whole / sizeof whole[0])];
        must(H5Tset_size(type, strlen(other) + 1) >= 0);
        put_attribute(file, name, type, H5Screate(H5S_SCALAR), other);
    } else {
        for (uint64_t i = 1 + below(random, 4); i > 0; i--) {
            text[below(random, size)] = below(random, 2) == 0 ? pieces[below(random, sizeof pieces)]
                                                              : (char)nd_random_next(random);
        }
        put_attribute(file, name, type, H5Screate(H5S_SCALAR), text);
    }
    (void)H5Tclose(type);
    return true;
}

/* Columns and attributes of other types, shapes and places are refused where a result is opened,
 * which t_result_check.c asks for each of them: here are a few of these. */
const nd_hostile_kind nd_hostile_kinds[] = {
    {"attribute that is missing", ND_HOSTILE_OPEN, make_attribute_missing},
    {"attribute with another number", ND_HOSTILE_OPEN, make_attribute_number},
    {"column of other rows than its table", ND_HOSTILE_OPEN, make_rows},
    {"column that is missing", ND_HOSTILE_OPEN, make_missing},
    {"set that is not there", ND_HOSTILE_ROWS, make_set_far},
    {"page that is not there", ND_HOSTILE_ROWS, make_page_far},
    {"source that is not there", ND_HOSTILE_ROWS, make_source_far},
    {"collection that is not there", ND_HOSTILE_ROWS, make_collection_far},
    {"similarity that is none", ND_HOSTILE_ROWS, make_similarity},
    {"page in two sets", ND_HOSTILE_ROWS, make_member_twice},
    {"offsets that fall", ND_HOSTILE_ROWS, make_offsets},
    {"NUL in a name", ND_HOSTILE_ROWS, make_name_nul},
    {"path that leads elsewhere", ND_HOSTILE_MAYBE, make_path},
    {"column that is another", ND_HOSTILE_MAYBE, make_hard_link},
    {"attribute with another text", ND_HOSTILE_MAYBE, make_attribute_text},
    {"column in another order", ND_HOSTILE_MAYBE, make_order},
    {"other values", ND_HOSTILE_MAYBE, make_values},
};
const size_t nd_hostile_kind_count = sizeof nd_hostile_kinds / sizeof nd_hostile_kinds[0];

bool nd_hostile_result(const char *path, const nd_hostile_kind *kind, nd_random *random) {
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    must(file >= 0);
    const bool made = kind->make(file, random);
    must(H5Fclose(file) >= 0);
    return made;
}
