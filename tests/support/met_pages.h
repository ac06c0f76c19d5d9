/** \file tests/support/met_pages.h
 * Pages as a reader met them, to hold a walk over all records of the same source against: it must
 * meet each of them where the reader did.
 */
#ifndef ND_TESTS_MET_PAGES_H
#define ND_TESTS_MET_PAGES_H

#include "io/input/reader.h"

/** A page: where its record starts, and a hash of its id and URL, and its checksum. */
typedef struct nd_met_page {
    uint64_t offset, names, checksum;
} nd_met_page;

/** All zero is valid and empty. */
typedef struct nd_met_pages {
    nd_met_page *pages;
    size_t count, capacity;
} nd_met_pages;

/** Add a page. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_met_pages_add(nd_met_pages *met, const nd_record *record);

/** Walk over a source of which `met` are the pages.
 * \return NULL, or what does not hold */
const char *nd_met_pages_walk(const nd_met_pages *met, const char *path,
                              const nd_reader_options *options);

void nd_met_pages_free(nd_met_pages *met);

#endif
