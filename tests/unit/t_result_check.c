#include "io/result/labels.h"
#include "io/result/result_check.h"
#include "io/result/result_file.h"
#include "io/result/result_order.h"
#include "io/result/result_read.h"
#include "io/result/result_schema.h"
#include "src/text/address.h"
#include "tests/support/check.h"
#include "tests/support/corpus.h"
#include "tests/support/failing_calls.h"
#include "tests/support/small_result.h"
#include "tests/support/sources.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Results that are whole, damaged, or made by hand: what checking them finds, and that readers
 * refuse them before they use what stands in them. */

/* ---- what is found */

static char said[4096];

static void keep_told(void *context, const char *text) {
    (void)context;
    CU_ASSERT_PTR_NULL(strchr(text, '\n'));
    (void)strncat(said, text, sizeof said - strlen(said) - 1);
    (void)strncat(said, "\n", sizeof said - strlen(said) - 1);
}

/* True if a check of made.h5 finds nothing; `said` is what it says. */
static bool holds(void) {
    nd_result_findings findings;
    said[0] = '\0';
    const nd_status st = nd_result_check(nd_test_path("made.h5"), keep_told, NULL, &findings);
    if (st != ND_OK) {
        CU_ASSERT_PTR_NULL(strchr(nd_fail_text(), '\n'));
        (void)strncat(said, nd_fail_text(), sizeof said - strlen(said) - 1);
    }
    return st == ND_OK && findings.broken == 0;
}

static void check_refused(const char *says) {
    CU_ASSERT_FALSE(holds());
    if (strstr(said, says) == NULL) {
        printf("\"%s\" does not name %s\n", said, says);
        CU_FAIL("text");
    }
    CU_ASSERT_PTR_NULL(strstr(said, "(and 0 more"));
}

static nd_status read_all(void) {
    const nd_status st = nd_test_result_read(nd_test_path("made.h5"));
    CU_ASSERT_NOT_EQUAL(st, ND_ERR_INTERNAL);
    return st;
}

ND_TEST("a whole result") {
    nd_result result;
    nd_test_result_start(&result, nd_test_path("made.h5"), NULL, NULL);
    nd_test_result_finish(&result);
    CU_ASSERT(holds());
    ND_TEST_OK(read_all());
}

/* A stage may take no time. */
ND_TEST("no time") {
    const nd_test_change change = {"/stages/seconds_min", 0, 0, NULL};
    nd_result result;
    nd_test_result_start(&result, nd_test_path("made.h5"), NULL, &change);
    nd_test_result_finish(&result);
    CU_ASSERT(holds());
}

/* ---- values */

static void check_changes(const nd_test_change *changes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        nd_result result;
        nd_test_result_start(&result, nd_test_path("made.h5"), NULL, &changes[i]);
        nd_test_result_finish(&result);
        check_refused(changes[i].says);
        (void)read_all();
    }
}

ND_TEST("pairs") {
    static const nd_test_change changes[] = {
        {"/pairs/a", 1, 5, "/pairs"},
        {"/pairs/b", 2, 8, "/pairs"},
        {"/pairs/b", 2, 5, "before"},
        {"/pairs/a", 0, 1e19, "/pairs"},
        {"/pairs/similarity", 1, NAN, "/pairs/similarity"},
        {"/contained/page", 2, 2, "/contained"},
        {"/contained/page", 2, 1, "/contained: row 2: it should stand before"},
        {"/contained/container", 1, 8, "/contained"},
        {"/contained/container", 1, 1e19, "/contained"},
        {"/contained/share", 0, 1.5, "/contained/share"},
    };
    check_changes(changes, sizeof changes / sizeof changes[0]);
}

ND_TEST("values") {
    static const nd_test_change changes[] = {
        {"/pages/set", 3, 3, "/pages/set"},
        {"/pages/set", 3, 2, "set 1"},
        {"/pages/set", 0, 1e19, "/pages/set"},
        {"/pages/link", 5, 8, "/pages/link"},
        {"/pages/link", 5, 6, "again and again"}, /* 5 -> 6 -> 5 */
        {"/pages/link", 5, 5, "again and again"},
        {"/pages/link", 5, 3, "of another set"},
        {"/pages/link", 4, 5, "representative"},
        {"/pages/exact_of", 6, 7, "later"},
        {"/pages/exact_of", 7, 3, "of another set"},
        {"/pages/exact_of", 6, 5, "no first page"},
        {"/pages/exact_of", 0, 1e19, "/pages/exact_of"},
        {"/pages/similarity", 0, NAN, "/pages/similarity"},
        {"/pages/similarity", 0, -.25, "/pages/similarity"},
        {"/pages/similarity", 0, 1.5, "/pages/similarity"},
        {"/pages/similarity", 4, .5, "representative"},
        {"/pages/link_similarity", 7, NAN, "/pages/link_similarity"},
        {"/pages/thin", 2, 2, "/pages/thin"},
        {"/pages/thin", 7, 0, "/pages/thin"}, /* and its first page is */
        {"/pages/form", 3, 2, "/pages/form"},
        {"/pages/certainty", 0, NAN, "/pages/certainty"},
        {"/pages/date", 7, 253402300800., "/pages/date"},
        {"/pages/certainty", 0, 1.5, "/pages/certainty"},
        {"/pages/certainty", 7, -.25, "/pages/certainty"},
        {"/pages/collection", 7, 2, "/pages/collection"},
        {"/pages/collection", 7, 0, "/pages/collection"},
        {"/pages/source", 7, 2, "/pages/source"},
        {"/pages/source", 7, 0, "/sources/pages"},
        {"/pages/id_offset", 0, 1, "/pages/id_offset"},
        {"/pages/id_offset", 2, 1e19,
         "row 1 goes from 1 to 18446744073709551615 (and 1 more like it)\n"},
        {"/pages/id_offset", 8, 3, "/pages/id_offset"},
        {"/pages/url_offset", 8, 5, "/pages/url_offset"},
        {"/pages/by_id", 0, 4, "/pages/by_id"}, /* one page twice */
        {"/pages/by_id", 7, 1e19, "/pages/by_id"},
        {"/pages/by_id_hash", 4, 0xc0000001, "/pages/by_id"}, /* in order, but not its page's */
        {"/pages/by_url_hash", 4, 0, "/pages/by_url"},
        {"/pages/by_url", 0, 8, "/pages/by_url"},
        {"/pages/url_bytes", 0, 'b', "/pages/by_url"},
        {"/sets/offset", 0, 1, "/sets/offset"},
        {"/sets/offset", 1, 4, "/sets/offset"},
        {"/sets/offset", 1, 0, "/sets/offset"},
        {"/sets/offset", 2, 9, "set 1 goes from 3 to 9 (and 1 more like it)\n"},
        {"/sets/offset", 3, 7, "/sets/offset"},
        {"/sets/offset", 1, 2, "set 1"}, /* another set's page is taken in */
        {"/sets/member", 1, 1e19, "/sets/member"},
        {"/sets/member", 1, 1, "twice"},
        {"/sets/member", 1, 1, "in no set"},
        {"/sets/member", 0, 0, "twice"},
        {"/sources/path_offset", 1, 3, "/sources/path_offset"},
        {"/sources/path_offset", 2, 1, "/sources/path_offset"},
        {"/sources/collection", 1, 2, "/sources/collection"},
        {"/sources/pages", 0, 4, "/sources/pages"},
        {"/sources/records", 0, 4, "records"},
        {"/sources/skipped", 0, 1, "/sources/skipped"},
        {"/skipped/source", 0, 2, "/skipped/source"},
        {"/other/source", 0, 2, "/other/source"},
        {"/other/source", 0, 1, "/sources/other"},
        {"/other/records", 0, 2, "/sources/other"},
        {"/other/reason_offset", 1, 0, "/other/reason_offset"},
        {"/skipped/reason_offset", 1, 0, "/skipped/reason_offset"},
        {"/stages/name_offset", 0, 1, "/stages/name_offset"},
        {"/stages/seconds_min", 0, NAN, "/stages"},
        {"/stages/seconds_max", 0, -1, "/stages"},
        {"/sites/name_offset", 1, 4, "/sites/name_offset"},
        {"/sites/name_bytes", 0, 'a', "/sites/name_bytes"}, /* not in order */
        {"/sites/name_bytes", 1, 'd', "/sites/name_bytes"},
        {"/sites/name_offset", 2, 1, "/sites/name_bytes"}, /* a site without a name */
        {"/sites/template_offset", 3, 3, "/sites/template_offset"},
        {"/sites/template_offset", 1, 1e19, "/sites/template_offset"},
        {"/sites/template_offset", 1, 3, "/sites/template"},
        {"/sites/template", 1, 5, "/sites/template"},
        {"/sites/repeated_offset", 0, 1, "/sites/repeated_offset"},
        {"/sites/repeated", 2, 0, "/sites/repeated"},
        {"/sites/repeats_all", 0, 2, "/sites/repeats_all"},
    };
    check_changes(changes, sizeof changes / sizeof changes[0]);
}

ND_TEST("revisits") {
    static const nd_test_change changes[] = {
        {"/pages/revisit_of", 7, 5, "/pages/revisit_of"}, /* of another text */
        {"/pages/revisit_of", 7, 7, "/pages/revisit_of"}, /* alone, and a copy */
        {"/pages/revisit_of", 3, 4, "/pages/revisit_of"}, /* of another set */
        {"/pages/revisit_of", 7, 8, "/pages/revisit_of"},
        {"/pages/revisit_of", 6, 6, "/pages/revisit_of"}, /* so 7 is of a revisit */
        {"/pages/exact_of", 3, 4, "/pages/revisit_of"},
        {"/pages/exact_of", 3, 1e19, "/pages/revisit_of"},
    };
    check_changes(changes, sizeof changes / sizeof changes[0]);
}

/* Two pages change places between sets in one of the two tables only: all numbers are in range, and
 * only together they are wrong. */
ND_TEST("two partitions in one file") {
    const nd_test_change swapped = {"/sets/member", 3, 5, NULL};
    nd_result result;
    nd_test_result_start(&result, nd_test_path("made.h5"), NULL, &swapped);
    nd_test_result_finish(&result);
    check_refused("/sets/member");
    CU_ASSERT_EQUAL(read_all(), ND_ERR_FORMAT);
}

/* ---- columns of other kinds; each makes `name` in a file that has none */

typedef void (*make_column)(hid_t file, const char *name, const nd_test_column *column);

/* Without properties it has room in the file, so that not its size is what is wrong. */
static void make_result_check(hid_t file, const char *name, hid_t type, int rank, uint64_t rows,
                              hid_t properties) {
    const hid_t early = H5Pcreate(H5P_DATASET_CREATE);
    (void)H5Pset_alloc_time(early, H5D_ALLOC_TIME_EARLY);
    hsize_t sizes[H5S_MAX_RANK];
    for (int d = 0; d < H5S_MAX_RANK; d++) {
        sizes[d] = d == 0 ? rows : 1;
    }
    const hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, sizes, NULL);
    const hid_t column = H5Dcreate2(file, name, type, space, H5P_DEFAULT,
                                    properties == H5P_DEFAULT ? early : properties, H5P_DEFAULT);
    CU_ASSERT(column >= 0);
    (void)H5Dclose(column);
    (void)H5Sclose(space);
    (void)H5Pclose(early);
}

static hid_t file_type(const nd_test_column *column) {
    const hid_t types[] = {H5T_STD_U8LE,  H5T_STD_U16LE,  H5T_STD_U32LE,
                           H5T_STD_U64LE, H5T_IEEE_F32LE, H5T_IEEE_F64LE};
    return types[column->type];
}

static void make_nothing(hid_t file, const char *name, const nd_test_column *column) {
    (void)file;
    (void)name;
    (void)column;
}

static void make_group(hid_t file, const char *name, const nd_test_column *column) {
    (void)column;
    (void)H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void make_scalar(hid_t file, const char *name, const nd_test_column *column) {
    make_result_check(file, name, file_type(column), 0, 0, H5P_DEFAULT);
}

static void make_deep(hid_t file, const char *name, const nd_test_column *column) {
    make_result_check(file, name, file_type(column), H5S_MAX_RANK, column->rows, H5P_DEFAULT);
}

static void make_null(hid_t file, const char *name, const nd_test_column *column) {
    const hid_t space = H5Screate(H5S_NULL);
    (void)H5Dclose(
        H5Dcreate2(file, name, file_type(column), space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    (void)H5Sclose(space);
}

/* Of a type that no column has, each in turn. */
static void make_typed(hid_t file, const char *name, const nd_test_column *column) {
    static size_t turn;
    const hid_t types[] = {H5Tcopy(H5T_STD_I64LE),
                           H5Tcopy(H5T_STD_U64BE),
                           H5Tcopy(H5T_STD_B64LE),
                           H5Tcopy(H5T_IEEE_F32BE),
                           H5Tcopy(H5T_UNIX_D32LE),
                           H5Tcopy(H5T_STD_REF_OBJ),
                           H5Tcopy(H5T_C_S1),
                           H5Tcopy(H5T_C_S1),
                           H5Tvlen_create(H5T_STD_U64LE),
                           H5Tarray_create2(H5T_STD_U64LE, 1, &(hsize_t){2}),
                           H5Tcreate(H5T_COMPOUND, 4096),
                           H5Tcreate(H5T_OPAQUE, 8),
                           H5Tenum_create(H5T_STD_U64LE)};
    enum { FIXED = 6, VARIABLE, COMPOUND = 10, ENUM = 12, TYPES };
    (void)H5Tset_size(types[FIXED], 8);
    (void)H5Tset_size(types[VARIABLE], H5T_VARIABLE);
    (void)H5Tinsert(types[COMPOUND], "x", 0, H5T_NATIVE_UINT64);
    (void)H5Tenum_insert(types[ENUM], "x", &(uint64_t){1});
    make_result_check(file, name, types[turn++ % TYPES], 1, column->rows, H5P_DEFAULT);
    for (size_t i = 0; i < TYPES; i++) {
        (void)H5Tclose(types[i]);
    }
}

/* Nothing is stored: rows are made up of the fill value as they are read. */
static void make_unwritten(hid_t file, const char *name, const nd_test_column *column) {
    const hid_t late = H5Pcreate(H5P_DATASET_CREATE);
    make_result_check(file, name, file_type(column), 1, column->rows, late);
    (void)H5Pclose(late);
}

static void make_huge(hid_t file, const char *name, const nd_test_column *column) {
    const hsize_t chunk = 1000;
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    (void)H5Pset_chunk(properties, 1, &chunk);
    (void)H5Pset_deflate(properties, 1);
    make_result_check(file, name, file_type(column), 1, UINT64_C(1) << 60, properties);
    (void)H5Pclose(properties);
}

static void make_large_chunks(hid_t file, const char *name, const nd_test_column *column) {
    const hsize_t chunk = 1 << 28;
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t any = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(1, &(hsize_t){column->rows}, &any);
    (void)H5Pset_chunk(properties, 1, &chunk);
    (void)H5Dclose(
        H5Dcreate2(file, name, file_type(column), space, H5P_DEFAULT, properties, H5P_DEFAULT));
    (void)H5Sclose(space);
    (void)H5Pclose(properties);
}

static void make_filtered(hid_t file, const char *name, const nd_test_column *column) {
    const hsize_t chunk = column->rows;
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    (void)H5Pset_chunk(properties, 1, &chunk);
    (void)H5Pset_scaleoffset(properties, H5Z_SO_INT, 0);
    make_result_check(file, name, H5T_STD_U64LE, 1, column->rows, properties);
    (void)H5Pclose(properties);
}

static void make_elsewhere(hid_t file, const char *name, const nd_test_column *column) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    (void)H5Pset_external(properties, nd_test_path("secret"), 0, H5F_UNLIMITED);
    make_result_check(file, name, file_type(column), 1, column->rows, properties);
    (void)H5Pclose(properties);
}

/* Of another file, which is a pipe: to open it is to wait. */
static void make_virtual(hid_t file, const char *name, const nd_test_column *column) {
    const hsize_t begin = 0;
    const hsize_t any = H5S_UNLIMITED;
    const hsize_t rows = column->rows;
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(1, &rows, &any);
    const hid_t source = H5Screate_simple(1, &rows, &any);
    (void)H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, NULL, &any, NULL);
    (void)H5Sselect_hyperslab(source, H5S_SELECT_SET, &begin, NULL, &any, NULL);
    (void)H5Pset_virtual(properties, space, nd_test_path("pipe"), "x", source);
    (void)H5Dclose(
        H5Dcreate2(file, name, file_type(column), space, H5P_DEFAULT, properties, H5P_DEFAULT));
    (void)H5Sclose(source);
    (void)H5Sclose(space);
    (void)H5Pclose(properties);
}

static void make_soft_link(hid_t file, const char *name, const nd_test_column *column) {
    (void)column;
    (void)H5Lcreate_soft("/pages/link", file, name, H5P_DEFAULT, H5P_DEFAULT);
}

static void make_external_link(hid_t file, const char *name, const nd_test_column *column) {
    (void)column;
    (void)H5Lcreate_external(nd_test_path("pipe"), "x", file, name, H5P_DEFAULT, H5P_DEFAULT);
}

ND_TEST("columns of other kinds") {
    static const make_column makers[] = {
        make_nothing,      make_group,         make_scalar,    make_null,
        make_deep,         make_typed,         make_unwritten, make_huge,
        make_large_chunks, make_filtered,      make_elsewhere, make_virtual,
        make_soft_link,    make_external_link, make_typed,     make_typed};
    enum { MAKERS = sizeof makers / sizeof makers[0] };
    CU_ASSERT_EQUAL(mkfifo(nd_test_path("pipe"), 0600), 0);
    FILE *secret = fopen(nd_test_path("secret"), "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(secret);
    (void)fprintf(secret, "%0200d", 0);
    (void)fclose(secret);
    for (int r = 0; r < nd_test_rounds(MAKERS); r++) { /* each kind in any case */
        for (size_t c = 0; c < nd_test_column_count; c++) {
            const size_t m = ((size_t)r + c) % MAKERS;
            nd_result result;
            nd_result opened;
            const bool may_lack = strcmp(nd_test_columns[c].name, "/pages/revisit_of") == 0;
            if (makers[m] == make_nothing && may_lack) {
                continue;
            }
            nd_test_result_start(&result, nd_test_path("made.h5"), nd_test_columns[c].name, NULL);
            makers[m](result.file, nd_test_columns[c].name, &nd_test_columns[c]);
            nd_test_result_finish(&result);
            check_refused(nd_test_columns[c].name);
            if (nd_result_open(&opened, nd_test_path("made.h5")) == ND_OK) {
                (void)nd_result_close(&opened);
                printf("%s of another kind is opened\n", nd_test_columns[c].name);
                CU_FAIL("opened");
            }
        }
    }
    (void)unlink(nd_test_path("pipe"));
    (void)unlink(nd_test_path("secret"));
}

/* A whole group that is a link to one of another file, or to what holds it. */
ND_TEST("groups elsewhere") {
    for (int i = 0; i < 2; i++) {
        nd_result result;
        nd_test_result_start(&result, nd_test_path("made.h5"), NULL, NULL);
        CU_ASSERT(H5Ldelete(result.file, "/stages", H5P_DEFAULT) >= 0);
        CU_ASSERT((i == 0 ? H5Lcreate_external(nd_test_path("made.h5"), "/stages", result.file,
                                               "/stages", H5P_DEFAULT, H5P_DEFAULT)
                          : H5Lcreate_hard(result.file, "/", result.file, "/stages", H5P_DEFAULT,
                                           H5P_DEFAULT)) >= 0);
        nd_test_result_finish(&result);
        check_refused("/stages");
    }
}

/* ---- attributes */

static void make_attribute(hid_t file, const char *name, hid_t type, hid_t space) {
    static const char value[65536];
    const hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    CU_ASSERT(attribute >= 0);
    if (H5Sget_simple_extent_type(space) != H5S_NULL && H5Tis_variable_str(type) <= 0) {
        CU_ASSERT(H5Awrite(attribute, type, value) >= 0);
    }
    (void)H5Aclose(attribute);
}

ND_TEST("attributes of other kinds") {
    static const char *const names[] = {"format",     "format_version", "pages", "sets",
                                        "parameters", "totals",         "ranks"};
    const hsize_t many = 64;
    const hid_t variable = H5Tcopy(H5T_C_S1);
    const hid_t fixed = H5Tcopy(H5T_C_S1);
    const hid_t array = H5Tarray_create2(H5T_STD_U64LE, 1, &many);
    const hid_t spaces[] = {H5Screate(H5S_SCALAR), H5Screate_simple(1, &many, NULL),
                            H5Screate(H5S_NULL)};
    (void)H5Tset_size(variable, H5T_VARIABLE);
    (void)H5Tset_size(fixed, 40);
    const hid_t types[] = {variable, fixed, array, H5T_STD_I64LE, H5T_IEEE_F64LE, H5T_STD_U64LE};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        for (size_t t = 0; t <= sizeof types / sizeof types[0]; t++) {
            for (size_t s = 0; s < sizeof spaces / sizeof spaces[0]; s++) {
                nd_result result;
                nd_test_result_start(&result, nd_test_path("made.h5"), NULL, NULL);
                CU_ASSERT(H5Adelete(result.file, names[n]) >= 0);
                if (t < sizeof types / sizeof types[0]) { /* else it is missing */
                    make_attribute(result.file, names[n], types[t], spaces[s]);
                }
                nd_test_result_finish(&result);
                CU_ASSERT_FALSE(holds());
            }
        }
    }
    for (size_t s = 0; s < sizeof spaces / sizeof spaces[0]; s++) {
        (void)H5Sclose(spaces[s]);
    }
    (void)H5Tclose(variable);
    (void)H5Tclose(fixed);
    (void)H5Tclose(array);
}

ND_TEST("wrong numbers") {
    static const struct {
        const char *name;
        uint64_t number;
        const char *says;
    } wrong[] = {{"format_version", 4, "version 4"},     {"format_version", 2, "version 2"},
                 {"pages", ND_TEST_PAGES + 1, "/pages"}, {"pages", UINT64_MAX, "pages"},
                 {"pages", UINT64_C(1) << 60, "/"},      {"sets", ND_TEST_SETS - 1, "/sets"},
                 {"sets", UINT64_MAX, "sets"},           {"sets", UINT64_MAX - 1, "/sets"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        nd_result result;
        nd_test_result_start(&result, nd_test_path("made.h5"), NULL, NULL);
        CU_ASSERT(H5Adelete(result.file, wrong[i].name) >= 0);
        ND_TEST_OK(nd_result_set_number(&result, wrong[i].name, wrong[i].number));
        nd_test_result_finish(&result);
        check_refused(wrong[i].says);
        if (strcmp(wrong[i].name, "format_version") == 0) { /* a result all the same */
            ND_TEST_OK(nd_result_open_file(&result, nd_test_path("made.h5")));
            (void)nd_result_close(&result);
        }
        CU_ASSERT_NOT_EQUAL(read_all(), ND_OK);
    }
}

/* ---- damage */

static void write_bytes(const uint8_t *bytes, size_t size) {
    FILE *file = fopen(nd_test_path("made.h5"), "wb");
    CU_ASSERT_FATAL(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

ND_TEST("damage") {
    enum { ROUNDS = 400 };
    nd_random random = nd_test_random("damage");
    nd_result result;
    ND_OWNED(nd_buffer_free) nd_buffer whole = {0};
    nd_test_result_start(&result, nd_test_path("made.h5"), NULL, NULL);
    nd_test_result_finish(&result);
    ND_TEST_MUST(nd_test_read_file(&whole, nd_test_path("made.h5")));
    for (int i = 0; i < nd_test_rounds(ROUNDS); i++) {
        const size_t place = (size_t)nd_random_below(&random, whole.size);
        const uint8_t bit = (uint8_t)(1U << nd_random_below(&random, 8));
        if (i % 2 == 0) {
            write_bytes(whole.data, place);
        } else {
            whole.data[place] = (uint8_t)(whole.data[place] ^ bit);
            write_bytes(whole.data, whole.size);
            whole.data[place] = (uint8_t)(whole.data[place] ^ bit);
        }
        if (holds()) {
            printf("byte %zu, bit %x, %s: not found\n", place, bit, i % 2 == 0 ? "cut" : "flipped");
            CU_FAIL("damage");
        }
        (void)read_all();
    }
    write_bytes(whole.data, whole.size);
    CU_ASSERT(holds());              /* it was the damage */
    nd_buffer_append(&whole, "", 1); /* a byte at the end */
    write_bytes(whole.data, whole.size);
    CU_ASSERT_FALSE(holds());
}

/* Results of before there were seals are read; with a damaged one they are not. */
ND_TEST("seals") {
    nd_result result;
    ND_OWNED(nd_buffer_free) nd_buffer whole = {0};
    nd_result_findings findings;
    nd_test_result_start(&result, nd_test_path("made.h5"), NULL, NULL);
    ND_TEST_OK(nd_result_close(&result));
    CU_ASSERT_FALSE(holds()); /* was never sealed: not complete */
    ND_TEST_OK(nd_seal_file(nd_test_path("made.h5")));
    CU_ASSERT(holds());
    ND_TEST_MUST(nd_test_read_file(&whole, nd_test_path("made.h5")));
    write_bytes(whole.data + ND_SEAL_BYTES, whole.size - ND_SEAL_BYTES); /* as others copy it */
    ND_TEST_OK(nd_result_check(nd_test_path("made.h5"), keep_told, NULL, &findings));
    CU_ASSERT(findings.broken == 0 && !findings.sealed && findings.shape.pages == ND_TEST_PAGES);
}

/* What is no regular file is not waited for. */
ND_TEST("no file") {
    nd_result result;
    CU_ASSERT_EQUAL(mkfifo(nd_test_path("pipe"), 0600), 0);
    CU_ASSERT_EQUAL(nd_result_open(&result, nd_test_path("pipe")), ND_ERR_INPUT);
    CU_ASSERT_EQUAL(nd_result_open(&result, nd_test_folder()), ND_ERR_INPUT);
    CU_ASSERT_EQUAL(nd_result_open(&result, "/dev/null"), ND_ERR_INPUT);
    (void)unlink(nd_test_path("pipe"));
}

/* ---- Results, and files of labels, written and read with each call failing in turn: a
 * failure is said, none is taken for damage of the file or for something that it lacks, and where
 * the work ends well it has found what is there. */

/* Close a result that was read: this may fail too. */
static nd_status end(nd_result *result, nd_status st) {
    const nd_status closed = nd_result_close(result);
    return st != ND_OK ? st : closed;
}

static void make_result_failures(const char *name, const nd_test_made *made) {
    nd_result result;
    nd_test_must(nd_test_result_write(&result, nd_test_path(name), made));
    nd_test_result_finish(&result);
}

/* ---- writing */

static int written; /* files so far */
static nd_status write_result(void) {
    static const uint64_t rows[] = {1, 2, 3};
    const nd_slab slab = {.total = 3, .count = 3}, none = {.total = 0};
    const nd_slab parts[] = {{.total = 3, .count = 2},
                             {.total = 3, .offset = 2, .count = 1, .goes_on = true}};
    nd_result result = {.file = H5I_INVALID_HID};
    uint64_t number = 0, read[3];
    ND_FREED char *text = NULL;
    char name[32];
    (void)snprintf(name, sizeof name, "written.%d.h5", ++written); /* one may be left open */
    const char *path = nd_test_path(name);
    nd_status st = nd_result_create(&result, path, H5P_DEFAULT, H5P_DEFAULT);
    result.notes.on = true;
    st = st != ND_OK ? st : nd_result_group(&result, "/pages");
    st = st != ND_OK ? st : nd_result_write(&result, "/pages/set", ND_COLUMN_U64, &slab, rows);
    st = st != ND_OK ? st : nd_result_write(&result, "/pages/none", ND_COLUMN_U8, &none, NULL);
    for (size_t i = 0; i < 2; i++) {
        st = st != ND_OK ? st
                         : nd_result_write(&result, "/pages/parts", ND_COLUMN_U64, &parts[i],
                                           rows + parts[i].offset);
    }
    st = st != ND_OK ? st : nd_result_set_text(&result, "method", "text");
    st = st != ND_OK ? st : nd_result_set_number(&result, "pages", 3);
    const nd_status closed = nd_result_close(&result);
    ND_TRY(st != ND_OK ? st : closed);
    ND_TRY(nd_seal_file(result.path));
    ND_TRY(nd_result_read_again(&result, 0, 1));
    ND_TRY(nd_result_written_check(&result));
    nd_result_notes_free(&result.notes);
    ND_TRY(nd_result_open_file(&result, path));
    ND_TRY(nd_result_get_number(&result, "pages", &number));
    ND_TRY(nd_result_get_text(&result, "method", &text));
    ND_TRY(nd_result_read(&result, "/pages/parts", ND_COLUMN_U64, 0, 3, read));
    CU_ASSERT(number == 3 && strcmp(text, "text") == 0 && memcmp(read, rows, sizeof rows) == 0);
out:
    nd_result_notes_free(&result.notes);
    return end(&result, st);
}

ND_TEST("writing") {
    CU_ASSERT(nd_test_all_failures(write_result, NULL) >= nd_test_rounds(50));
}

/* ---- reading */

static nd_status read_result(void) {
    return nd_test_result_read(nd_test_path("made.h5"));
}

static void count_broken(void *context, const char *text) {
    *(int *)context += text[0] != '\0';
}

static nd_status check_result(void) {
    int broken = 0;
    nd_result_findings found;
    const nd_status st = nd_result_check(nd_test_path("made.h5"), count_broken, &broken, &found);
    CU_ASSERT(broken == 0 && (st != ND_OK || (found.sealed && found.shape.pages == ND_TEST_PAGES)));
    return st;
}

static nd_status read_sites(void) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    ND_OWNED(nd_result_sites_close) nd_result_sites sites = {0};
    ND_TRY(nd_result_open(&result, nd_test_path("made.h5")));
    ND_TRY(nd_result_sites_open(&sites, &result));
    ND_TRY(nd_result_sites_find(&sites, nd_site_hash(nd_test_span("d"), 0)));
    CU_ASSERT(nd_result_site_drops(&sites, 5) && !nd_result_site_drops(&sites, 3));
    ND_TRY(nd_result_sites_find(&sites, nd_site_hash(nd_test_span("b"), 0)));
    CU_ASSERT(nd_result_site_drops(&sites, 3) && nd_result_site_repeats(&sites, 4, true));
    ND_TRY(nd_result_page_values_check(&result));
out:
    return end(&result, st);
}

/* Pairs that are there and one that is not, a set, a representative, names of pages. */
static nd_status look_up(void) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    ND_OWNED(nd_page_names_free) nd_page_names names = {0};
    uint64_t leader = 0;
    bool found = false;
    float similarity = 0;
    nd_span id, url;
    ND_TRY(nd_result_open(&result, nd_test_path("made.h5")));
    ND_TRY(nd_pair_find(&result, &nd_verified_columns, 4, 5, &found, &similarity));
    CU_ASSERT(found && similarity == .75F);
    ND_TRY(nd_pair_find(&result, &nd_verified_columns, 4, 7, &found, &similarity));
    CU_ASSERT_FALSE(found);
    ND_TRY(nd_result_representative(&result, 6, &leader));
    CU_ASSERT_EQUAL(leader, 4);
    ND_TRY(nd_page_names_read(&result, (const uint64_t[]){5, 0, 2, 5}, 0, 4, &names));
    CU_ASSERT(names.count == 2 && names.pages[0] == 0 && names.pages[1] == 5);
    nd_page_names_get(&names, 5, &id, &url);
    CU_ASSERT(id.size == 1 && id.data[0] == 'd' && url.size == 0);
out:
    return end(&result, st);
}

ND_TEST("reading") {
    const nd_test_made made = {0};
    make_result_failures("made.h5", &made);
    CU_ASSERT(nd_test_all_failures(read_result, NULL) >= nd_test_rounds(50));
    CU_ASSERT(nd_test_all_failures(check_result, NULL) >= nd_test_rounds(50));
    CU_ASSERT(nd_test_all_failures(read_sites, NULL) >= nd_test_rounds(30));
    CU_ASSERT(nd_test_all_failures(look_up, NULL) >= nd_test_rounds(30));
}

/* ---- choosing pages */

static nd_status choose(void) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    const nd_keep_wish wish = {.rules = "collection:c,latest,longest,surt", .protect = "c"};
    const uint64_t expected[] = {0, 1, 2, 3, 6, 5, 6, 7};
    ND_FREED uint64_t *kept = NULL;
    ND_FREED uint32_t *set_pages = NULL;
    ND_TRY(nd_result_open(&result, nd_test_path("added.h5")));
    ND_TRY(nd_result_choose(&result, &wish, &kept, &set_pages));
    for (size_t i = 0; i < ND_TEST_PAGES; i++) {
        CU_ASSERT_EQUAL(set_pages[i], i < 3 ? 3 : i == 3 ? 1 : 4);
    }
    CU_ASSERT_EQUAL(memcmp(kept, expected, sizeof expected), 0);
out:
    return end(&result, st);
}

ND_TEST("choosing") {
    const nd_test_made made = {.additions = "[0,3]"};
    make_result_failures("added.h5", &made);
    CU_ASSERT(nd_test_all_failures(choose, NULL) >= nd_test_rounds(50));
}

/* ---- labels, parameters */

static nd_status read_labels(void) {
    nd_status st = ND_OK;
    ND_OWNED(nd_labels_free) nd_labels labels = {0}, pairs = {0};
    ND_OWNED(nd_class_labels_free) nd_class_labels classes = {0};
    ND_TRY(nd_labels_read_clusters(&labels, nd_test_path("clusters"), 2));
    CU_ASSERT(labels.ids.count == 3 && labels.bad_lines == 0);
    ND_TRY(nd_labels_read_loose(&labels, nd_test_path("loose")));
    CU_ASSERT(labels.loose.count == 1 && labels.bad_lines == 0);
    ND_TRY(nd_labels_read_ambiguous(&labels, nd_test_path("ambiguous")));
    CU_ASSERT(labels.ambiguous_count == 1 && labels.bad_lines == 0);
    ND_TRY(nd_class_labels_read(nd_test_path("classes"), &labels, &classes));
    CU_ASSERT(classes.missing == 1 && classes.bad_lines == 0 && classes.similarity[0] == .5);
    ND_TRY(nd_labels_read_pairs(&pairs, nd_test_path("pairs"), true));
    CU_ASSERT(pairs.pair_count == 2 && pairs.bands.count == 2 && pairs.bad_lines == 0);
out:
    return st;
}

static nd_status set_parameters(void) {
    nd_status st = ND_OK;
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    ND_TRY(nd_parameters_set(&text, "one", "1"));
    ND_TRY(nd_parameters_set(&text, "two", "2"));
    CU_ASSERT_PTR_NOT_NULL(strstr((const char *)text.data, "two"));
out:
    return st;
}

ND_TEST("labels") {
    (void)nd_test_write("clusters", nd_test_span("a\t1\nb\t1\nc\t2\n"));
    (void)nd_test_write("loose", nd_test_span("b\n"));
    (void)nd_test_write("ambiguous", nd_test_span("1\t2\n"));
    (void)nd_test_write("classes", nd_test_span("a\t1\tO\t5\tsite\t.5\t9\nb\t1\tP\t5\to\t1\t9\n"));
    (void)nd_test_write("pairs", nd_test_span("a\tb\tnear\t1\t7\nb\tc\tfar\t2\t7\n"));
    CU_ASSERT(nd_test_all_failures(read_labels, NULL) >= 20);
    CU_ASSERT(nd_test_all_failures(set_parameters, NULL) >= 2);
}
