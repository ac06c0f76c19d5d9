/** \file io/input/foreign.h
 * Formats that may hold pages but are not read: tables, archives and packings of other kinds, JSON
 * that is not one object a line. They are known by their first bytes, CSV by its name alone (any
 * text may look like it), so that a refusal says what the file is and which command turns it into
 * one that is read. Nothing is converted here.
 */
#ifndef ND_IO_INPUT_FOREIGN_H
#define ND_IO_INPUT_FOREIGN_H

#include "io/input/member.h"
#include "src/base/buffer.h"

typedef struct nd_foreign nd_foreign;

/** \param[in] content  the first bytes, unpacked; of tar at least 262 \param[in] path  of the file
 * \return the format, static; NULL if it is none of these */
const nd_foreign *nd_foreign_find(nd_span content, const char *path);

/** Refuse a file of this format. The command reads and writes beside `path`, never over a file that
 * is there; of a path with characters that a shell would take apart it says FILE.
 * \param[in] codec  what the format is packed in
 * \return ND_ERR_FORMAT; the text: "PATH: FORMAT, which is not read: COMMAND" */
nd_status nd_foreign_refuse(const nd_foreign *format, const char *path, nd_codec codec);

#endif
