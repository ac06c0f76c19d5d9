#include "tests/support/failing_calls.h"
#include "src/base/fault.h"
#include "src/base/util.h"
#include "tests/support/check.h"

#include <brotli/decode.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <hdf5.h>
#include <iconv.h>
#include <json-c/json.h>
#include <libdeflate.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <uchardet/uchardet.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

/* ---- failing calls */

/* Of a long work each of the first and last calls fails, and of those between about so many. */
enum { ENDS = 40, BETWEEN = 100 };
typedef enum kind { MEMORY, SYSTEM, LIBRARY } kind;
static struct {
    int at;    /* the call that fails, from 1; -1: none; 0: nor is any counted */
    int calls; /* so far */
    kind kind; /* of the one that failed */
    const char *name;
    bool interrupts; /* each second call that moves bytes, and the others move a few */
    int interrupted; /* so many */
    bool spared;     /* the last one was not */
} failing;

/* Is this the call that fails? */
static bool strikes(kind of, const char *name) {
    if (failing.at == 0 || ++failing.calls != failing.at) {
        return false;
    }
    failing.kind = of;
    failing.name = name;
    errno = of == MEMORY ? ENOMEM : EIO;
    return true;
}

/* One call that goes on as it is unless it is the one that fails. The names are read by
 * tests/CMakeLists.txt: each begins a line. */
#define WRAP(name, kind, type, value, params, args)                                                \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params {                                                                    \
        return strikes(kind, #name) ? (value) : __real_##name args;                                \
    }

/* One that closes: what it closes is closed in any case, but it says that it failed. */
#define WRAP_CLOSE(name, kind, type, value, params, args)                                          \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params {                                                                    \
        const type done = __real_##name args;                                                      \
        return strikes(kind, #name) ? (value) : done;                                              \
    }
static bool is_interrupted(void) {
    failing.spared = !failing.spared;
    if (!failing.interrupts || failing.spared) {
        return false;
    }
    failing.interrupted++;
    errno = EINTR;
    return true;
}

static size_t moved_at_once(size_t size) {
    enum { FEW = 5 };
    return failing.interrupts && size > FEW ? FEW : size;
}

/* One that moves bytes, of which it may move a part, or a signal come before the first. */
#define WRAP_MOVE(name, bytes)                                                                     \
    ssize_t __real_##name(int file, bytes at, size_t size, off_t from);                            \
    ssize_t __wrap_##name(int file, bytes at, size_t size, off_t from);                            \
    ssize_t __wrap_##name(int file, bytes at, size_t size, off_t from) {                           \
        return is_interrupted() || strikes(SYSTEM, #name)                                          \
                   ? -1                                                                            \
                   : __real_##name(file, at, moved_at_once(size), from);                           \
    }

/* clang-format off */
WRAP(ZSTD_createCCtx, MEMORY, ZSTD_CCtx *, NULL, (void), ())
WRAP(ZSTD_createDCtx, MEMORY, ZSTD_DCtx *, NULL, (void), ())
WRAP(ZSTD_createDDict, MEMORY, ZSTD_DDict *, NULL, (const void *bytes, size_t size), (bytes, size))
WRAP(BrotliDecoderCreateInstance, MEMORY, BrotliDecoderState *, NULL, (brotli_alloc_func a, brotli_free_func f, void *o), (a, f, o))
WRAP(libdeflate_alloc_compressor, MEMORY, struct libdeflate_compressor *, NULL, (int level), (level))
WRAP(libdeflate_alloc_decompressor, MEMORY, struct libdeflate_decompressor *, NULL, (void), ())
WRAP(inflateInit2_, MEMORY, int, Z_MEM_ERROR, (z_streamp s, int bits, const char *v, int size), (s, bits, v, size))
WRAP(XXH3_createState, MEMORY, XXH3_state_t *, NULL, (void), ())
WRAP(uchardet_new, MEMORY, uchardet_t, NULL, (void), ())
WRAP(iconv_open, MEMORY, iconv_t, (iconv_t)-1, (const char *to, const char *from), (to, from))
WRAP(json_tokener_new, MEMORY, json_tokener *, NULL, (void), ())
WRAP(json_tokener_new_ex, MEMORY, json_tokener *, NULL, (int depth), (depth))
WRAP(json_object_new_object, MEMORY, json_object *, NULL, (void), ())
WRAP(json_object_new_array, MEMORY, json_object *, NULL, (void), ())
WRAP(json_object_new_string, MEMORY, json_object *, NULL, (const char *text), (text))
WRAP(json_object_new_double_s, MEMORY, json_object *, NULL, (double number, const char *text), (number, text))
WRAP(json_object_new_uint64, MEMORY, json_object *, NULL, (uint64_t number), (number))
WRAP(json_object_object_add, MEMORY, int, -1, (json_object *to, const char *name, json_object *value), (to, name, value))
WRAP(json_object_array_add, MEMORY, int, -1, (json_object *to, json_object *value), (to, value))
WRAP(json_object_to_json_string_length, MEMORY, const char *, NULL, (json_object *object, int flags, size_t *size), (object, flags, size))
WRAP(json_object_to_json_string_ext, MEMORY, const char *, NULL, (json_object *object, int flags), (object, flags))
WRAP(open, SYSTEM, int, -1, (const char *path, int flags, mode_t mode), (path, flags, mode))
WRAP(fdopen, SYSTEM, FILE *, NULL, (int file, const char *mode), (file, mode))
WRAP(fwrite, SYSTEM, size_t, 0, (const void *from, size_t size, size_t count, FILE *file), (from, size, count, file))
WRAP_MOVE(pread, void *)
WRAP_MOVE(pwrite, const void *)
WRAP(fsync, SYSTEM, int, -1, (int file), (file))
WRAP(ftruncate, SYSTEM, int, -1, (int file, off_t size), (file, size))
WRAP(fstat, SYSTEM, int, -1, (int file, struct stat *info), (file, info))
WRAP(stat, SYSTEM, int, -1, (const char *path, struct stat *info), (path, info))
WRAP(lstat, SYSTEM, int, -1, (const char *path, struct stat *info), (path, info))
WRAP(statvfs, SYSTEM, int, -1, (const char *path, struct statvfs *info), (path, info))
WRAP(mkdir, SYSTEM, int, -1, (const char *path, mode_t mode), (path, mode))
WRAP(rmdir, SYSTEM, int, -1, (const char *path), (path))
WRAP(rename, SYSTEM, int, -1, (const char *from, const char *to), (from, to))
WRAP(link, SYSTEM, int, -1, (const char *from, const char *to), (from, to))
WRAP(unlink, SYSTEM, int, -1, (const char *path), (path))
WRAP(opendir, SYSTEM, DIR *, NULL, (const char *path), (path))
WRAP(realpath, SYSTEM, char *, NULL, (const char *path, char *to), (path, to))
WRAP(fts_open, SYSTEM, FTS *, NULL, (char *const *paths, int options, int (*order)(const FTSENT **, const FTSENT **)), (paths, options, order))
WRAP(fts_read, SYSTEM, FTSENT *, NULL, (FTS *walk), (walk))
WRAP(glob, SYSTEM, int, GLOB_ABORTED, (const char *pattern, int flags, int (*failed)(const char *, int), glob_t *to), (pattern, flags, failed, to))
WRAP(mmap, SYSTEM, void *, MAP_FAILED, (void *at, size_t size, int access, int flags, int file, off_t from), (at, size, access, flags, file, from))
WRAP(mremap, SYSTEM, void *, MAP_FAILED, (void *at, size_t size, size_t now, int flags), (at, size, now, flags))
WRAP_CLOSE(close, SYSTEM, int, -1, (int file), (file))
WRAP_CLOSE(fclose, SYSTEM, int, EOF, (FILE *file), (file))
WRAP(H5Fcreate, LIBRARY, hid_t, -1, (const char *path, unsigned flags, hid_t make, hid_t access), (path, flags, make, access))
WRAP(H5Fopen, LIBRARY, hid_t, -1, (const char *path, unsigned flags, hid_t access), (path, flags, access))
WRAP(H5Gcreate2, LIBRARY, hid_t, -1, (hid_t at, const char *name, hid_t a, hid_t b, hid_t c), (at, name, a, b, c))
WRAP(H5Dcreate2, LIBRARY, hid_t, -1, (hid_t at, const char *name, hid_t type, hid_t space, hid_t a, hid_t b, hid_t c), (at, name, type, space, a, b, c))
WRAP(H5Dopen2, LIBRARY, hid_t, -1, (hid_t at, const char *name, hid_t access), (at, name, access))
WRAP(H5Dread, LIBRARY, herr_t, -1, (hid_t d, hid_t type, hid_t m, hid_t f, hid_t how, void *to), (d, type, m, f, how, to))
WRAP(H5Dwrite, LIBRARY, herr_t, -1, (hid_t d, hid_t type, hid_t m, hid_t f, hid_t how, const void *from), (d, type, m, f, how, from))
WRAP(H5Dget_create_plist, LIBRARY, hid_t, -1, (hid_t d), (d))
WRAP(H5Dget_space, LIBRARY, hid_t, -1, (hid_t d), (d))
WRAP(H5Dget_type, LIBRARY, hid_t, -1, (hid_t d), (d))
WRAP(H5Acreate2, LIBRARY, hid_t, -1, (hid_t at, const char *name, hid_t type, hid_t space, hid_t a, hid_t b), (at, name, type, space, a, b))
WRAP(H5Aopen, LIBRARY, hid_t, -1, (hid_t at, const char *name, hid_t a), (at, name, a))
WRAP(H5Aread, LIBRARY, herr_t, -1, (hid_t a, hid_t type, void *to), (a, type, to))
WRAP(H5Awrite, LIBRARY, herr_t, -1, (hid_t a, hid_t type, const void *from), (a, type, from))
WRAP(H5Aget_space, LIBRARY, hid_t, -1, (hid_t a), (a))
WRAP(H5Aget_type, LIBRARY, hid_t, -1, (hid_t a), (a))
WRAP(H5Aexists, LIBRARY, htri_t, -1, (hid_t at, const char *name), (at, name))
WRAP(H5Pcreate, LIBRARY, hid_t, -1, (hid_t of), (of))
WRAP(H5Pset_chunk, LIBRARY, herr_t, -1, (hid_t p, int n, const hsize_t *size), (p, n, size))
WRAP(H5Pset_shuffle, LIBRARY, herr_t, -1, (hid_t p), (p))
WRAP(H5Pset_deflate, LIBRARY, herr_t, -1, (hid_t p, unsigned level), (p, level))
WRAP(H5Pset_fletcher32, LIBRARY, herr_t, -1, (hid_t p), (p))
WRAP(H5Pset_userblock, LIBRARY, herr_t, -1, (hid_t p, hsize_t size), (p, size))
WRAP(H5Pset_libver_bounds, LIBRARY, herr_t, -1, (hid_t p, H5F_libver_t low, H5F_libver_t high), (p, low, high))
WRAP(H5Pget_layout, LIBRARY, H5D_layout_t, H5D_LAYOUT_ERROR, (hid_t p), (p))
WRAP(H5Pget_chunk, LIBRARY, int, -1, (hid_t p, int most, hsize_t *size), (p, most, size))
WRAP(H5Pget_nfilters, LIBRARY, int, -1, (hid_t p), (p))
WRAP(H5Pget_external_count, LIBRARY, int, -1, (hid_t p), (p))
WRAP(H5Screate, LIBRARY, hid_t, -1, (H5S_class_t of), (of))
WRAP(H5Screate_simple, LIBRARY, hid_t, -1, (int rank, const hsize_t *now, const hsize_t *most), (rank, now, most))
WRAP(H5Sget_simple_extent_dims, LIBRARY, int, -1, (hid_t s, hsize_t *now, hsize_t *most), (s, now, most))
WRAP(H5Sget_simple_extent_ndims, LIBRARY, int, -1, (hid_t s), (s))
WRAP(H5Sselect_hyperslab, LIBRARY, herr_t, -1, (hid_t s, H5S_seloper_t op, const hsize_t *a, const hsize_t *b, const hsize_t *c, const hsize_t *d), (s, op, a, b, c, d))
WRAP(H5Sselect_none, LIBRARY, herr_t, -1, (hid_t s), (s))
WRAP(H5Tcopy, LIBRARY, hid_t, -1, (hid_t of), (of))
WRAP(H5Tset_size, LIBRARY, herr_t, -1, (hid_t t, size_t size), (t, size))
WRAP(H5Tset_cset, LIBRARY, herr_t, -1, (hid_t t, H5T_cset_t set), (t, set))
WRAP(H5Tequal, LIBRARY, htri_t, -1, (hid_t a, hid_t b), (a, b))
WRAP(H5Tget_size, LIBRARY, size_t, 0, (hid_t t), (t))
WRAP(H5Tis_variable_str, LIBRARY, htri_t, -1, (hid_t t), (t))
WRAP_CLOSE(H5Fclose, LIBRARY, herr_t, -1, (hid_t f), (f))
WRAP_CLOSE(H5Gclose, LIBRARY, herr_t, -1, (hid_t g), (g))
WRAP_CLOSE(H5Dclose, LIBRARY, herr_t, -1, (hid_t d), (d))
WRAP_CLOSE(H5Aclose, LIBRARY, herr_t, -1, (hid_t a), (a))

/* clang-format on */

/* Run the work with its call of this number failing; 0: none, and they are counted. */
static bool run_failing(nd_status (*work)(void), void (*check)(void), int at) {
    const unsigned failures = CU_get_number_of_failures();
    (void)nd_fail(ND_OK, "%s", "");
    failing.calls = 0;
    failing.at = at == 0 ? -1 : at;
    const nd_status st = work();
    failing.at = 0;
    const bool named =
        st == ND_OK || (at > 0 && nd_fail_text()[0] != '\0' && st != ND_END &&
                        st != ND_ERR_INTERNAL && (failing.kind != MEMORY || st == ND_ERR_MEMORY));
    CU_ASSERT(named);
    if (CU_get_number_of_failures() > failures) {
        printf("call %d, %s, fails: status %d, \"%s\"\n", at, at > 0 ? failing.name : "none",
               (int)st, nd_fail_text());
    }
    if (st != ND_OK && check != NULL) {
        check();
    }
    return st != ND_OK;
}

int nd_test_all_failures(nd_status (*work)(void), void (*check)(void)) {
    int failed = nd_test_all_faults(work, check);
    CU_ASSERT_FALSE(run_failing(work, check, 0));
    const int calls = failing.calls;
    /* an eighth even where a sanitizer makes tests slower: fewer would leave out kinds of calls */
    const int ends = (int)nd_max((size_t)nd_test_rounds(ENDS), ENDS / 8);
    const int step = 1 + calls / (int)nd_max((size_t)nd_test_rounds(BETWEEN), BETWEEN / 8);
    for (int at = 1; at <= calls; at += at < ends || at >= calls - ends ? 1 : step) {
        failed += run_failing(work, check, at);
    }
    return failed;
}

int nd_test_interrupted(nd_status (*work)(void)) {
    failing.interrupts = true;
    failing.interrupted = 0;
    const nd_status st = work();
    failing.interrupts = false;
    if (st != ND_OK) {
        printf("where calls are interrupted: status %d, \"%s\"\n", (int)st, nd_fail_text());
        CU_FAIL("interrupted");
    }
    return failing.interrupted;
}

/* ---- faults */

enum { MOST_CALLS = 10000 };

/* \return false once the work has no call of that number */
static bool strike(nd_fault_point point, int call, nd_status (*work)(void)) {
    char text[64];
    (void)snprintf(text, sizeof text, "%s:0:%d", nd_fault_name(point), call);
    CU_ASSERT_EQUAL(nd_fault_arm(text), ND_OK);
    const nd_status st = work();
    if (st == ND_OK) {
        if (nd_fault_count(point) >= (uint64_t)call) {
            printf("a fault was not noticed: %s\n", text);
            CU_FAIL("a fault was not noticed");
        }
        return false;
    }
    const bool input = point == ND_FAULT_INPUT_OPEN || point == ND_FAULT_INPUT_READ;
    CU_ASSERT_EQUAL(st, input ? ND_ERR_INPUT : ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "injected"));
    return true;
}

/* The same where each place that asks for room, or for what is read, can fail: there may be many.
 * \param[in] passed  so often each point was passed as it is */
static int strike_tightly(nd_status (*work)(void), void (*check)(void), const int *passed) {
    const int ends = nd_test_rounds(150), between = nd_test_rounds(250);
    int struck = 0;
    int calls[ND_FAULT_POINTS];
    nd_fault_set_tight(true);
    CU_ASSERT_EQUAL(nd_fault_arm("count"), ND_OK);
    CU_ASSERT_EQUAL(work(), ND_OK);
    for (int point = 0; point < ND_FAULT_POINTS; point++) {
        calls[point] = (int)nd_fault_count((nd_fault_point)point);
    }
    for (int point = ND_FAULT_MEMORY + 1; point < ND_FAULT_POINTS; point++) {
        const int most = calls[point] > passed[point] ? calls[point] : 0;
        const int step = 1 + most / between;
        for (int call = 1; call <= most; call += call < ends || call >= most - ends ? 1 : step) {
            if (strike((nd_fault_point)point, call, work)) {
                struck++;
                if (check != NULL) {
                    check();
                }
            }
        }
    }
    nd_fault_set_tight(false);
    return struck;
}

int nd_test_all_faults(nd_status (*work)(void), void (*check)(void)) {
    int struck = 0;
    int passed[ND_FAULT_POINTS];
    const nd_status undisturbed = work();
    if (undisturbed != ND_OK) {
        printf("without faults: status %d, \"%s\"\n", (int)undisturbed, nd_fail_text());
        CU_FAIL("the work fails without faults");
        return 0;
    }
    nd_fault_set_rank(0);
    for (int point = ND_FAULT_MEMORY + 1; point < ND_FAULT_POINTS; point++) {
        int call = 1;
        for (; call < MOST_CALLS && strike((nd_fault_point)point, call, work); call++) {
            struck++;
            if (check != NULL) {
                check();
            }
        }
        CU_ASSERT(call < MOST_CALLS);
        passed[point] = call - 1;
    }
    struck += strike_tightly(work, check, passed);
    CU_ASSERT_EQUAL(nd_fault_arm("count"), ND_OK);
    return struck;
}
