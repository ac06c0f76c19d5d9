/** \file io/input/reread.h
 * Records of pages read again, by where a run found them: one input is open at a time. Inputs are
 * found by the name that they had in the run or, if what names them (a result, an index) was moved
 * together with them, by the same path from its folder. Whose pages they are, and what is made of
 * them, is the caller's. Invariant: a record that is given is the one that the run read, byte for
 * byte; an input that is gone, or not what it was, is refused, naming it and the cure.
 */
#ifndef ND_IO_INPUT_REREAD_H
#define ND_IO_INPUT_REREAD_H

#include "io/input/reader.h"

#include <sys/stat.h>

/** Is an input there, and of the size that it had?
 * \param[in] named_by  the path of what names it
 * \param[in] name      its path as the run had it
 * \param[out] path     by which it can be opened, NUL included
 * \param[out] info     of the file
 * \return ND_OK; ND_ERR_CHANGED; ND_ERR_FORMAT if no file can have the name; ND_ERR_IO or
 *         ND_ERR_MEMORY */
nd_status nd_reread_look(const char *named_by, nd_span name, uint64_t bytes, nd_buffer *path,
                         struct stat *info);

/** Add to what nd_fail_text() says of an input for which page it is wanted: by its URL or else its
 * id, if it has either. \return ND_ERR_CHANGED */
nd_status nd_reread_refuse(const char *named_by, uint64_t page, nd_span id, nd_span url);

/** Say that another record is where a page's was. \return ND_ERR_CHANGED */
nd_status nd_reread_is_another(const char *path, uint64_t offset);

/** By which fields the JSON lines of inputs were read, as a result and an index keep it: a JSON
 * array of objects `{"first_source":0,"id":"id","url":"meta.url","text":"text","html":"html"}` (and
 * "date", where one was asked for), each of the inputs from that number on to the next's. All zero
 * knows of none, and may be closed. */
typedef struct nd_reread_fields {
    char *text; /**< owned; NULL: of an earlier neardup, which kept none */
    struct json_object *list;
} nd_reread_fields;

/** Take them from a text. \param[in] named_by  what the text is of \param[in] text  may be NULL
 * \return ND_OK; ND_ERR_FORMAT if it is no such array; ND_ERR_MEMORY; to be closed in any case */
nd_status nd_reread_fields_open(nd_reread_fields *fields, const char *named_by, const char *text);

/** Add those of the options, from that input on. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_reread_fields_add(nd_reread_fields *fields, uint64_t first_source,
                               const nd_reader_options *options);

/** Set the fields of an input in the options, borrowed; where they are not known the options stay.
 */
void nd_reread_fields_set(const nd_reread_fields *fields, uint64_t source,
                          nd_reader_options *options);

/** May these options be given? Not if no input was read by a field that they name.
 * \return ND_OK, or ND_ERR_USAGE, naming the option and what was used */
nd_status nd_reread_fields_check(const nd_reread_fields *fields, const char *named_by,
                                 const nd_reader_options *given);

void nd_reread_fields_close(nd_reread_fields *fields);

/** Where a page's record was found. Borrowed for the call. */
typedef struct nd_reread_page {
    uint64_t page;     /**< number */
    uint32_t source;   /**< number of the input */
    nd_span name;      /**< its path as the run had it */
    uint64_t bytes;    /**< its size then */
    uint64_t offset;   /**< as in nd_record */
    uint64_t checksum; /**< likewise; 0: unknown, place, id and URL are compared alone */
    nd_span id, url;
} nd_reread_page;

/** Records of pages, in any order; in ascending order an input is read at one go where it cannot be
 * entered anywhere. All zero may only be closed. */
typedef struct nd_reread {
    const char *named_by; /**< as for nd_reread_look() */
    nd_reader_options options;
    nd_record record; /**< of the page read last */
    nd_buffer path;   /**< of its input, as it was opened */

    nd_reader *reader; /* of its input; NULL: none is open */
    nd_buffer url;
    uint64_t page;
    uint32_t source;
    bool splittable; /* and of so many bytes: it is entered at each page */
    uint64_t bytes;
} nd_reread;

/** \param[in] named_by  borrowed until it is closed
 * \param[in] options   what they name likewise; the fields of JSONL (of each input, before it is
 *                      opened), the limits, and whether revisits are pages, are those of the run */
void nd_reread_begin(nd_reread *reread, const char *named_by, const nd_reader_options *options);

/** Does the next record, of a page of this input, need that to be opened? Where not, name and bytes
 * of nd_reread_page are not looked at. */
bool nd_reread_opens(const nd_reread *reread, uint32_t source, uint64_t page);

/** Read the record of a page: reread->record, until the next call.
 * \return ND_OK; ND_ERR_CHANGED; or as nd_reader_open() */
nd_status nd_reread_record(nd_reread *reread, const nd_reread_page *wanted);

void nd_reread_close(nd_reread *reread);

#endif
