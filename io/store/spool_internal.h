/** \file io/store/spool_internal.h
 * What spool.c (appending and reading) and spool_keep.c (files that outlive their spool) share. For
 * these two alone.
 */
#ifndef ND_IO_STORE_SPOOL_INTERNAL_H
#define ND_IO_STORE_SPOOL_INTERNAL_H

#include "io/store/spool.h"

/** Most bytes of the tail, and of whatever goes through a file in pieces: at this size the calls
 * cost nothing beside the copying, and a network file system sees large requests. */
enum { ND_SPOOL_PIECE = 1 << 20 };

/** Make the spool's file, which it has none of yet. The held bytes count as its first ones, but are
 * not written.
 * \param[in] again  in place of a file of ours of that name (nd_own_file_remake)
 * \return ND_END if there is a file of that name already, and not `again` */
nd_status nd_spool_make_file(nd_spool *spool, const char *path, bool again);

/** Write what waits to be written. */
nd_status nd_spool_write_tail(nd_spool *spool);

#endif
