/** \file io/output_file.h
 * Names that a user gives for results: what is looked at before any work, so that hours of it are
 * not lost at the end, nor anything that the user has. Nothing is written but a file that goes at
 * once. Writing itself is io/own_file.h.
 */
#ifndef ND_IO_OUTPUT_FILE_H
#define ND_IO_OUTPUT_FILE_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct nd_output {
    const char *option; /**< that names it, for the text of a refusal */
    const char *path;
    bool force;                         /**< a file that is there may be replaced, whatever it is */
    bool (*replaces)(const char *path); /**< may this file be replaced all the same? */
    const char *what;                   /**< such files, as "a result of neardup partition" */
} nd_output;

/** Can the output be written, and is nothing lost by it? What is no file is never replaced.
 * \return ND_OK; ND_ERR_USAGE where another name is needed; ND_ERR_IO where the file cannot be
 *         made. The text is one line, with the cure */
nd_status nd_output_check(const nd_output *output);

/** Would writing the output take away this file? The output itself, or the file under its
 * unfinished name, by device and inode. */
bool nd_output_is(const char *path, uint64_t device, uint64_t inode);

#endif
