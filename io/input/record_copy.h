/** \file io/input/record_copy.h
 * Parts of a source in a new file of the same form: as they lie there, or, where the source is
 * compressed as a whole, unpacked and packed again; and bytes of our own between them. Which parts
 * is decided elsewhere (io/input/record_walk.h gives the places). The file's name ends in
 * ".partial" until a batch, which takes the complete file, is published. A file without any bytes
 * is not made; of a compressed source without any part there is one compressed member of nothing.
 * Memory is bounded whatever is copied.
 */
#ifndef ND_IO_INPUT_RECORD_COPY_H
#define ND_IO_INPUT_RECORD_COPY_H

#include "io/input/stream.h"
#include "io/store/own_file.h"

#include <stdbool.h>

typedef struct nd_record_copy nd_record_copy;

/** Begin a file.
 * \param[in] source  borrowed until it is closed
 * \param[in] packed  places are unpacked bytes, which are packed by `codec` again
 * \param[in] codec   of the source
 * \param[in] starts  of places that go on after damage, how; NULL: they end there. Borrowed
 * likewise \param[out] out    the caller's to close; NULL on failure \return ND_OK, ND_ERR_IO,
 * ND_ERR_MEMORY, or as nd_stream_open() */
nd_status nd_record_copy_open(const char *source, bool packed, nd_codec codec,
                              const nd_starts *starts, const char *path, nd_record_copy **out);

/** Copy bytes [begin, end) of the source, not before those copied last.
 * \return as above; ND_ERR_CHANGED if the source has fewer */
nd_status nd_record_copy_range(nd_record_copy *copy, uint64_t begin, uint64_t end);

/** Add bytes: in a source with compressed records as one more record. */
nd_status nd_record_copy_add(nd_record_copy *copy, nd_span bytes);

/** Bytes of the new file so far, once they are written. */
uint64_t nd_record_copy_bytes(const nd_record_copy *copy);

/** Complete the file and add it to the batch, or, if `st` is a failure or there are no bytes,
 * remove it; NULL is fine; *copy becomes NULL. \param[out] made  whether the batch has got it; may
 * be NULL \return `st` if that is a failure, else how completing it went */
nd_status nd_record_copy_close(nd_record_copy **copy, nd_status st, nd_own_batch *batch,
                               bool *made);

#endif
