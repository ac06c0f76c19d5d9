#include "io/input/input_list.h"

#include "io/input/sniff.h"
#include "io/store/foreign_file.h"
#include "io/store/wacz.h"
#include "src/base/fault.h"
#include "src/base/sort.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lists may name lists, but one that names itself must end. */
enum { LIST_DEPTH = 16 };

static nd_status resolve_word(nd_input_list *list, const char *word, const char *collection,
                              int depth);

/* ---- names */

static nd_status find_collection(nd_input_list *list, const char *name, uint32_t *index) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < list->collection_count; i++) {
        if (strcmp(list->collections[i], name) == 0) {
            *index = (uint32_t)i;
            return ND_OK;
        }
    }
    nd_grow(&list->collections, &list->collection_capacity, list->collection_count + 1,
            sizeof *list->collections);
    ND_TRY(nd_texts_keep(&list->texts, name, strlen(name),
                         &list->collections[list->collection_count]));
    *index = (uint32_t)list->collection_count++;
out:
    return st;
}

/* \param[in] name    NULL: the folder's own, once it is known which that is
 * \param[in] folder  tidy */
static nd_status add_root(nd_input_list *list, uint32_t collection, const char *name,
                          const char *folder, uint32_t *index) {
    nd_status st = ND_OK;
    nd_input_root root = {.collection = collection};
    ND_TRY(nd_texts_keep(&list->texts, folder, strlen(folder), &root.folder));
    if (name != NULL) {
        ND_TRY(nd_texts_keep(&list->texts, name, strlen(name), &root.name));
    }
    nd_grow(&list->roots, &list->root_capacity, list->root_count + 1, sizeof *list->roots);
    *index = (uint32_t)list->root_count;
    list->roots[list->root_count++] = root;
out:
    return st;
}

/* To what the URLs of an INPUT's page files are relative: the inputs of a NAME have one folder, and
 * so have the files that are named without one; a folder without a NAME is one of its own.
 * \param[in] path  of the INPUT, as it was given */
static nd_status find_root(nd_input_list *list, const char *path, bool is_folder,
                           const char *collection, uint32_t *index) {
    nd_status st = ND_OK;
    nd_buffer folder = {0};
    uint32_t of = 0;
    ND_TRY(find_collection(list, collection, &of));
    nd_buffer_append(&folder, path, strlen(path) + 1);
    char *text = (char *)folder.data;
    if (is_folder) {
        nd_input_tidy_folder(text);
    } else {
        nd_input_tidy_path(text);
        nd_input_cut_to_folder(text);
    }
    const bool named = collection[0] != '\0';
    size_t i = is_folder && !named ? list->root_count : 0;
    while (i < list->root_count &&
           (list->roots[i].collection != of || (list->roots[i].name != NULL) != named)) {
        i++;
    }
    if (i < list->root_count) {
        nd_input_cut_to_common(list->roots[i].folder, text);
        *index = (uint32_t)i;
        goto out;
    }
    ND_TRY(add_root(list, of, named ? collection : NULL, text, index));
    if (is_folder && !named) {
        ND_TRY(nd_input_folder_name(&list->texts, text, &list->roots[*index].name));
    }
out:
    nd_buffer_free(&folder);
    return st;
}

static int compare_roots(const void *a, const void *b) {
    const nd_input_root *const *left = a;
    const nd_input_root *const *right = b;
    if ((*left)->collection != (*right)->collection) {
        return (*left)->collection < (*right)->collection ? -1 : 1;
    }
    return strcmp((*left)->name, (*right)->name);
}

/* All roots have names; those of one name in a collection become one, and their order is that of
 * the names. */
static nd_status join_roots(nd_input_list *list) {
    nd_status st = ND_OK;
    nd_input_root **sorted = NULL;
    nd_input_root *joined = NULL;
    uint32_t *numbers = NULL; /* of each root, what it becomes */
    uint32_t count = 0;
    nd_new(&sorted, list->root_count, sizeof *sorted);
    nd_new(&joined, list->root_count, sizeof *joined);
    nd_new(&numbers, list->root_count, sizeof *numbers);
    for (size_t i = 0; i < list->root_count; i++) {
        nd_input_root *root = &list->roots[i];
        sorted[i] = root;
        if (root->name == NULL) {
            ND_TRY(nd_input_folder_name(&list->texts, root->folder, &root->name));
        }
    }
    nd_sort(sorted, list->root_count, sizeof *sorted, compare_roots);
    for (size_t i = 0; i < list->root_count; i++) {
        if (i > 0 && compare_roots(&sorted[i - 1], &sorted[i]) == 0) {
            nd_input_cut_to_common(joined[count - 1].folder, sorted[i]->folder);
        } else {
            joined[count++] = *sorted[i];
        }
        numbers[sorted[i] - list->roots] = count - 1;
    }
    for (size_t i = 0; i < list->count; i++) {
        list->inputs[i].root = numbers[list->inputs[i].root];
    }
    free(list->roots);
    list->roots = joined;
    list->root_count = list->root_capacity = count;
    joined = NULL;
out:
    free(sorted);
    free(joined);
    free(numbers);
    return st;
}

nd_status nd_input_url(const nd_input_list *list, const nd_input *input, nd_buffer *url) {
    const nd_input_root *root = &list->roots[input->root];
    url->size = 0;
    nd_input_append_url(url, root->name, nd_input_after_folder(input->named, root->folder));
    return ND_OK;
}

/* ---- adding files */

static void keep_input(nd_input_list *list, const nd_input *input) {
    nd_grow(&list->inputs, &list->capacity, list->count + 1, sizeof *list->inputs);
    list->inputs[list->count++] = *input;
}

/* \param[in] part  of the file, which is a WACZ; NULL: the file is the input */
static nd_status add_input(nd_input_list *list, const char *path, const struct stat *info,
                           const nd_wacz_part *part, uint32_t root) {
    nd_status st = ND_OK;
    nd_buffer name = {0};
    nd_input input = {.is = nd_file_identity_of(info),
                      .device = (uint64_t)info->st_dev,
                      .begin = part != NULL ? part->begin : 0,
                      .collection = list->roots[root].collection,
                      .root = root};
    if (part != NULL) {
        input.is.bytes = part->bytes;
        nd_buffer_append(&name, path, strlen(path) + 1);
        nd_input_tidy_path((char *)name.data);
        name.size = strlen((char *)name.data);
        nd_buffer_append_text(&name, "#");
        nd_buffer_append(&name, part->name, strlen(part->name) + 1);
        path = (const char *)name.data;
    }
    ND_TRY(nd_texts_keep(&list->texts, path, strlen(path), &input.path));
    if (part == NULL) {
        nd_input_tidy_path(input.path);
    }
    input.named = input.path;
    keep_input(list, &input);
out:
    nd_buffer_free(&name);
    return st;
}

/* A file, or the WARCs in it. A WACZ that cannot be used is one input, which whoever opens it finds
 * to be damaged. */
static nd_status add_file(nd_input_list *list, const char *path, const struct stat *info,
                          uint32_t root) {
    nd_status st = ND_OK;
    int descriptor = -1;
    struct stat opened;
    nd_wacz wacz = {0};
    if (!nd_wacz_is(path)) {
        return add_input(list, path, info, NULL, root);
    }
    ND_TRY(nd_fault(ND_FAULT_INPUT_OPEN));
    st = nd_foreign_file_open(path, &descriptor, &opened);
    st = st != ND_OK ? st : nd_wacz_read(path, descriptor, (uint64_t)opened.st_size, &wacz);
    if (st == ND_ERR_INPUT) {
        char folder[] = "archive/";
        const nd_wacz_part any = {.name = folder};
        st = add_input(list, path, info, &any, root);
        goto out;
    }
    for (size_t i = 0; st == ND_OK && i < wacz.count; i++) {
        st = add_input(list, path, &opened, &wacz.parts[i], root);
    }
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    nd_wacz_free(&wacz);
    return st;
}

static bool ends_with(const char *name, size_t size, const char *ending) {
    const size_t length = strlen(ending);
    return size > length && strncasecmp(name + size - length, ending, length) == 0;
}

static bool ends_with_any(const char *name, size_t size, const char *const *endings, size_t count) {
    size_t i = 0;
    while (i < count && !ends_with(name, size, endings[i])) {
        i++;
    }
    return i < count;
}

/* What a walk takes: a folder of a site or a package holds images, styles and archives beside its
 * pages, and a crawl's folder holds logs. Page files are taken plain, crawls in any packing. */
static bool walk_takes(const char *name) {
    static const char *const packings[] = {".gz", ".zst"};
    static const char *const pages[] = {".html", ".htm", ".xhtml", ".txt"};
    static const char *const crawls[] = {".warc", ".arc", ".wet", ".jsonl", ".json", ".ndjson"};
    size_t size = strlen(name);
    if (nd_wacz_is(name) || ends_with_any(name, size, pages, sizeof pages / sizeof pages[0])) {
        return true;
    }
    for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++) {
        size -= ends_with(name, size, packings[i]) ? strlen(packings[i]) : 0;
    }
    return ends_with_any(name, size, crawls, sizeof crawls / sizeof crawls[0]);
}

static nd_status walk_folder(nd_input_list *list, const char *path, const char *collection) {
    nd_status st = ND_OK;
    nd_buffer name = {0};
    FTS *walk = NULL;
    uint32_t root = 0;
    ND_TRY(nd_fault(ND_FAULT_INPUT_OPEN));
    ND_TRY(find_root(list, path, true, collection, &root));
    nd_buffer_append(&name, path, strlen(path) + 1);
    char *const folders[] = {(char *)name.data, NULL};
    walk = fts_open(folders, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    if (walk == NULL) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
        goto out;
    }
    FTSENT *entry = NULL;
    while ((errno = 0, entry = fts_read(walk)) != NULL) {
        ND_TRY(nd_fault(ND_FAULT_INPUT_READ));
        if (entry->fts_level > 0 && entry->fts_name[0] == '.') {
            (void)fts_set(walk, entry, FTS_SKIP);
            continue;
        }
        switch (entry->fts_info) {
        case FTS_SLNONE: /* a link to nothing is an input that will be missed when it is opened */
            entry->fts_statp->st_size = 0;
            /* fall through */
        case FTS_F:
            if (walk_takes(entry->fts_name)) {
                ND_TRY(add_file(list, entry->fts_path, entry->fts_statp, root));
            } else {
                list->left_out++;
            }
            break;
        case FTS_DNR:
        case FTS_ERR:
        case FTS_NS:
            st = nd_fail(ND_ERR_IO, "%s: cannot be read: %s", entry->fts_path,
                         strerror(entry->fts_errno));
            goto out;
        default: /* folders, and what is neither file nor folder */
            break;
        }
    }
    if (errno != 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
    }
out:
    if (walk != NULL) {
        (void)fts_close(walk);
    }
    nd_buffer_free(&name);
    return st;
}

static nd_status add_path(nd_input_list *list, const char *path, const struct stat *info,
                          const char *collection) {
    nd_status st = nd_fault(ND_FAULT_INPUT_OPEN);
    uint32_t root = 0;
    if (st != ND_OK) {
        return st;
    }
    if (S_ISDIR(info->st_mode)) {
        return walk_folder(list, path, collection);
    }
    if (!S_ISREG(info->st_mode)) {
        return nd_fail(ND_ERR_IO, "%s: is %s, neither a file nor a folder", path,
                       nd_file_kind(info->st_mode));
    }
    ND_TRY(find_root(list, path, false, collection, &root));
    ND_TRY(add_file(list, path, info, root));
out:
    return st;
}

/* ---- standard input */

/* It can be read only once, and a person at a terminal has not meant to type a crawl. */
static nd_status take_stdin(nd_input_list *list) {
    if (list->takes_stdin) {
        return nd_fail(ND_ERR_USAGE, "-: standard input can be read only once");
    }
    if (isatty(STDIN_FILENO)) {
        return nd_fail(ND_ERR_USAGE, "-: standard input is a terminal: send the pages through a "
                                     "pipe, as in zcat FILE.jsonl.gz | neardup ...");
    }
    list->takes_stdin = true;
    return ND_OK;
}

static nd_status add_stdin(nd_input_list *list, const char *collection) {
    nd_status st = ND_OK;
    nd_input input = {.standard_input = true};
    ND_TRY(take_stdin(list));
    ND_TRY(find_collection(list, collection, &input.collection));
    ND_TRY(add_root(list, input.collection, collection[0] != '\0' ? collection : "-", "",
                    &input.root));
    ND_TRY(nd_texts_keep(&list->texts, "-", 1, &input.path));
    input.named = input.path;
    keep_input(list, &input);
out:
    return st;
}

const char *nd_input_file(const nd_input *input) {
    return input->copy != NULL ? input->copy : input->path;
}

nd_status nd_input_set_copy(nd_input_list *list, nd_input *input, const char *path,
                            const nd_file_identity *is) {
    input->is = *is;
    return nd_texts_keep(&list->texts, path, strlen(path), &input->copy);
}

/* ---- words */

static nd_status add_glob(nd_input_list *list, const char *pattern, const char *collection) {
    nd_status st = ND_OK;
    glob_t matches = {0};
    const int result = glob(pattern, 0, NULL, &matches);
    if (result != 0) {
        const bool named = pattern[strcspn(pattern, "=/")] == '='; /* but by no NAME */
        st = nd_fail(result == GLOB_NOSPACE ? ND_ERR_MEMORY : ND_ERR_IO,
                     "%s: no such input: no file or folder of that name%s", pattern,
                     named ? " (NAME of NAME=INPUT has letters, digits and . _ - alone)" : "");
        goto out;
    }
    for (size_t i = 0; i < matches.gl_pathc; i++) {
        struct stat info;
        const char *path = matches.gl_pathv[i];
        ND_TRY(stat(path, &info) == 0
                   ? ND_OK
                   : nd_fail(ND_ERR_IO, "%s: no such input: %s", path, strerror(errno)));
        ND_TRY(add_path(list, path, &info, collection));
    }
out:
    globfree(&matches);
    return st;
}

static char *trim_line(char *line) {
    size_t size = strlen(line);
    while (size > 0 && isspace((unsigned char)line[size - 1])) {
        line[--size] = '\0';
    }
    while (isspace((unsigned char)*line)) {
        line++;
    }
    return line;
}

static nd_status add_list(nd_input_list *list, const char *path, const char *collection,
                          int depth) {
    nd_status st = ND_OK;
    char *line = NULL;
    size_t capacity = 0;
    FILE *file = NULL;
    int descriptor = -1;
    struct stat info;
    ND_TRY(nd_fault(ND_FAULT_INPUT_OPEN));
    if (strcmp(path, "-") == 0) {
        ND_TRY(take_stdin(list));
        file = stdin;
    } else {
        ND_TRY(nd_foreign_file_open(path, &descriptor, &info));
        file = fdopen(descriptor, "r");
    }
    if (file == NULL) {
        (void)close(descriptor);
        st = nd_fail(ND_ERR_MEMORY, "out of memory: the list of inputs %s", path);
        goto out;
    }
    if (depth >= LIST_DEPTH) {
        st = nd_fail(ND_ERR_USAGE, "%s: lists of inputs that name each other in a circle", path);
        goto out;
    }
    ND_TRY(nd_fault(ND_FAULT_INPUT_READ));
    for (bool first = true; getline(&line, &capacity, file) >= 0; first = false) {
        const nd_span text = {(const uint8_t *)line, strlen(line)};
        const size_t mark = first ? text.size - nd_sniff_after_mark(text).size : 0;
        const char *word = trim_line(line + mark);
        if (*word != '\0' && *word != '#') {
            ND_TRY(resolve_word(list, word, collection, depth + 1));
        }
    }
    if (ferror(file)) {
        st = nd_fail(ND_ERR_IO, "%s: the list of inputs cannot be read", path);
    }
out:
    free(line);
    if (file != NULL && file != stdin) {
        (void)fclose(file);
    }
    return st;
}

static nd_status resolve_word(nd_input_list *list, const char *word, const char *collection,
                              int depth) {
    nd_status st = ND_OK;
    struct stat info;
    char *name = NULL;
    const size_t before = list->count;
    const char *input = word;
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_.-");
    if (length > 0 && word[length] == '=' && stat(word, &info) != 0) { /* NAME=INPUT, and no path */
        nd_new(&name, length + 1, 1);
        memcpy(name, word, length);
        collection = name;
        input = word + length + 1;
    }
    if (input[0] == '@') {
        ND_TRY(add_list(list, input + 1, collection, depth));
    } else if (strcmp(input, "-") == 0) {
        ND_TRY(add_stdin(list, collection));
    } else if (stat(input, &info) == 0) {
        ND_TRY(add_path(list, input, &info, collection));
    } else {
        ND_TRY(add_glob(list, input, collection));
    }
    if (list->count == before) {
        st = nd_fail(
            ND_ERR_IO,
            "%s: holds no input files (in a folder: .html, .htm, .xhtml, .txt, .wacz, and .warc, "
            ".arc, .wet, .jsonl, .ndjson, .json, plain or with .gz or .zst)",
            word);
    }
out:
    free(name);
    return st;
}

/* ---- all of it */

nd_status nd_input_list_resolve(nd_input_list *list, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    *list = (nd_input_list){0};
    for (size_t i = 0; i < count; i++) {
        ND_TRY(resolve_word(list, words[i], "", 0));
    }
    ND_TRY(join_roots(list));
    nd_input_list_sort(list);
out:
    if (st != ND_OK) {
        nd_input_list_free(list);
    }
    return st;
}

uint64_t nd_input_list_bytes(const nd_input_list *list) {
    return list->count * sizeof *list->inputs + list->texts.bytes;
}

void nd_input_list_free(nd_input_list *list) {
    nd_texts_free(&list->texts);
    free(list->roots);
    free(list->inputs);
    free(list->collections);
    *list = (nd_input_list){0};
}
