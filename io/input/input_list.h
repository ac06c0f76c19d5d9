/** \file io/input/input_list.h
 * From the INPUT words of the command line to the list of source files: a file, a folder (walked
 * for page files and crawls by their names; hidden files left out), a glob, `@list.txt` (one INPUT
 * a line, # starts a comment), each with an optional `NAME=` that names its collection. A WACZ,
 * known by its name, stands for the WARCs in it, each a source of its own
 * (io/store/foreign_file.h). The list is sorted by path (bytes), then collection. Nothing is opened
 * but the lists, WACZ for their directories, and on request files of one size.
 */
#ifndef ND_INPUT_INPUT_LIST_H
#define ND_INPUT_INPUT_LIST_H

#include "io/input/file_window.h"
#include "src/base/buffer.h"

#include <stdbool.h>

/* ---- Names of inputs: the path by which a file is listed, the folder that several inputs have in
 * common, and the URL of a page that is a file of its own. Nothing is opened. Invariant: two paths
 * that are not the same have no URL in common under one name and folder. */

/** Texts that are kept together, few allocations for many; none moves until all are freed. */
typedef struct nd_texts {
    char **blocks;
    size_t count, capacity;
    char *end;    /**< of the texts in the last block */
    size_t left;  /**< bytes after that */
    size_t bytes; /**< of all blocks */
} nd_texts;

/** Keep the first `size` bytes of a text, and a NUL. \param[out] out  borrowed from `texts` */
nd_status nd_texts_keep(nd_texts *texts, const char *text, size_t size, char **out);

/** Keep memory of so many bytes from malloc() that holds texts.
 * \param[in] block  theirs afterwards, but on failure */
void nd_texts_take(nd_texts *texts, char *block, size_t bytes);

void nd_texts_free(nd_texts *texts);

/** Last name of a folder's path; that of "." and ".." and "/" is looked up.
 * \param[out] out  borrowed from `texts` */
nd_status nd_input_folder_name(nd_texts *texts, const char *path, char **out);

/** Append file://NAME/RELATIVE and a NUL. Blanks and control characters, which would break a URL's
 * line, are written as %XX, and so is a % that else would be read as one of these. */
void nd_input_append_url(nd_buffer *url, const char *name, const char *relative);

/** Give a path its one spelling, as far as the words themselves show it: "./a//b/./c" becomes
 * "a/b/c". */
void nd_input_tidy_path(char *path);

/** The same of a folder, without a slash at its end: "" is the folder that one is in. */
void nd_input_tidy_folder(char *path);

/** Shorten a tidy path of a file to its folder. */
void nd_input_cut_to_folder(char *path);

/** Shorten a tidy folder to the deepest that holds it and another tidy one, by their names. */
void nd_input_cut_to_common(char *folder, const char *other);

/** What follows of a tidy path after a tidy folder that holds it. */
const char *nd_input_after_folder(const char *path, const char *folder);

/* ---- the list. A file is known by device and inode, not by its name: under two names in one
 * collection it is one source, in two collections it has one path in both (of its names
 * the first in order, so the order of the words means nothing). A page that is a file has
 * a URL that keeps its path: from the folder that all INPUTs of its NAME have in common,
 * or without a NAME from the folder that was given, or that all files have in common. `-`
 * is standard input, which one INPUT or list (`@-`) may be, once; of standard input as an
 * INPUT the caller makes a file. */

/** To what the URLs of some inputs are relative: file://NAME/PATH-IN-THE-FOLDER. */
typedef struct nd_input_root {
    char *name;   /**< NAME of their collection, or else the folder's own */
    char *folder; /**< the deepest that holds all of them */
    uint32_t collection;
} nd_input_root;

/** Texts are the list's. */
typedef struct nd_input {
    char *path;  /**< its name; "-" for standard input */
    char *named; /**< by which it was given, where the file has another name as well */
    char *copy; /**< the file that holds what was read from standard input; NULL: the path is one */
    nd_file_identity is; /**< when it was listed; 0 of standard input without a copy */
    uint64_t device;     /**< as rank 0 saw it */
    uint64_t begin;      /**< of a part of a WACZ, where it begins in that; known to rank 0 alone */
    uint32_t collection; /**< index into the list's collections */
    uint32_t root;       /**< and into its roots */
    bool standard_input;
    bool other_name; /**< of a shared list (mpi/job/inputs.h): `named` is another text */
} nd_input;

typedef struct nd_input_list {
    nd_input *inputs;
    size_t count;
    size_t capacity;
    char **collections; /**< names in order of first mention; inputs without a NAME are in "" */
    size_t collection_count;
    size_t collection_capacity;
    nd_input_root *roots;
    size_t root_count, root_capacity;
    nd_texts texts;
    uint64_t repeated; /**< inputs left out because the same file is in the same collection */
    bool takes_stdin;  /**< an INPUT or a list is standard input */
    uint64_t left_out; /**< files that walks passed over because of their names */
} nd_input_list;

/** Resolve the words. An INPUT that matches nothing is ND_ERR_IO and named. On failure the list is
 * empty. */
nd_status nd_input_list_resolve(nd_input_list *list, const char *const *words, size_t count);

/** Leave out, and count in `repeated`, inputs that have the same bytes as one before them in the
 * same collection; empty files stay. Files of one size are read whole. On failure the list is as it
 * was. \return ND_OK, or as nd_file_window_open() and nd_file_window_at() where a file cannot be
 * read */
nd_status nd_input_list_skip_copies(nd_input_list *list);

/** A number that follows from the bytes of a file, whatever its name: from its size and 16 blocks
 * of 64 KiB, evenly spread from the first byte to the last, so from all of a file of up to a MiB.
 * Numbers of several files are added up, in any order.
 * \param[in,out] scratch  for a block
 * \param[out] number      0 of a file that cannot be read
 * \return ND_OK; ND_ERR_MEMORY; ND_ERR_IO as nd_foreign_file_open() */
nd_status nd_input_number(const char *path, nd_buffer *scratch, uint64_t *number);

/** The seed that follows from the sum of the numbers of all inputs: never 0, and below 2^53, as
 * JSON's readers take numbers. */
uint64_t nd_input_seed(uint64_t sum);

/** URL of the page if the input is a page file. Inputs of one collection have one URL only if they
 * are one file. \param[in,out] url  replaced, NUL-terminated */
void nd_input_url(const nd_input_list *list, const nd_input *input, nd_buffer *url);

/** The file to be opened. */
const char *nd_input_file(const nd_input *input);

/** Say where the copy of standard input lies, and what file that is. \return as nd_texts_keep()
 */
nd_status nd_input_set_copy(nd_input_list *list, nd_input *input, const char *path,
                            const nd_file_identity *is);

/** Bytes of memory that a list takes, about. */
uint64_t nd_input_list_bytes(const nd_input_list *list);

void nd_input_list_free(nd_input_list *list);

#endif
