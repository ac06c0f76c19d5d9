/** \file io/input/record_limits.h
 * What one record may cost: the one list of limits on the size of a record and of what it unpacks
 * to, each with its default, the memory that it asks for, and the words in which a record beyond it
 * is refused. Limits bound work, never time, so that what is refused does not depend on the
 * machine. Nothing is read here; each reader asks before it takes the memory.
 *
 * A limit that --memory could not hold is lowered to what it can: so a rank stays within its memory
 * whatever stands in the inputs. From --memory 2G on all limits are those of the list.
 */
#ifndef ND_IO_INPUT_RECORD_LIMITS_H
#define ND_IO_INPUT_RECORD_LIMITS_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum nd_record_limit {
    ND_LIMIT_PAGE,        /**< bytes of a page: as it is stored, unpacked, and as UTF-8 */
    ND_LIMIT_EXPANSION,   /**< times its stored bytes that a record unpacks to, beyond the first
                               ND_EXPANSION_FREE (a page) or ND_EXPANSION_PASSED bytes (others) */
    ND_LIMIT_CODINGS,     /**< content codings of an HTTP body, one upon another */
    ND_LIMIT_HEADER,      /**< bytes of a record's own header */
    ND_LIMIT_HTTP_HEADER, /**< bytes of the header of an HTTP response */
    ND_LIMIT_TOKENS,      /**< of a page */
    ND_LIMIT_SENTENCES,   /**< of a page; of its blocks too */
    ND_LIMIT_JSON_VALUES, /**< members and elements of a JSON line, at any depth */
    ND_LIMIT_JSON_DEPTH,  /**< objects and arrays inside one another */
    ND_LIMIT_WINDOW,      /**< bytes that a zstd frame refers back to */
    ND_LIMITS
} nd_record_limit;

/** Bytes that a page, and any other record, may unpack to without being asked from how many. */
#define ND_EXPANSION_FREE   (UINT64_C(1) << 20)
#define ND_EXPANSION_PASSED (UINT64_C(64) << 20)

typedef struct nd_record_limits {
    uint64_t most[ND_LIMITS];
    bool by_memory[ND_LIMITS]; /**< lower than was asked for, because of the memory */
    uint64_t asked[ND_LIMITS];
} nd_record_limits;

/** The limits of a rank.
 * \param[in] page, expansion  as options ask for; 0: the default
 * \param[in] memory           bytes of the rank; 0: no bound */
nd_record_limits nd_record_limits_of(uint64_t page, uint64_t expansion, uint64_t memory);

/** Write why a record beyond a limit is not used, with the option that would take it.
 * \return `text` */
const char *nd_record_limits_refuse(const nd_record_limits *limits, nd_record_limit limit,
                                    char *text, size_t size);

#endif
