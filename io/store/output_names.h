/** \file io/store/output_names.h
 * Under which names the files of a result's sources are written into a folder: in a folder of their
 * collection, if it has a name, by their paths below the folder that all of the collection's files
 * have in common. Where a folder has the name of a file, the slash after it is written as %2F.
 * Pure; nothing is looked at. Invariant: no name leads out of the folder, no two are one, and none
 * is the folder of another.
 */
#ifndef ND_IO_STORE_OUTPUT_NAMES_H
#define ND_IO_STORE_OUTPUT_NAMES_H

#include "src/base/buffer.h"

/** Name the files.
 * \param[in] paths        of the sources
 * \param[in] collections  of each source its number
 * \param[in] names        of the collections
 * \param[out] to          a name for each, without a slash in front; the caller's to give to
 *                         nd_output_names_free(), also on failure
 * \return ND_OK; ND_ERR_USAGE if two would be one; ND_ERR_MEMORY */
nd_status nd_output_names(const nd_span *paths, const uint64_t *collections, size_t count,
                          const nd_span *names, size_t name_count, char ***to);

void nd_output_names_free(char ***to, size_t count);

#endif
