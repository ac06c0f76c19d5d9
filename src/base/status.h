/** \file src/base/status.h
 * The one status enum of the program, the text of the latest failure, and ND_TRY, which passes a
 * failure on. A function that fails says why once, with nd_fail(), at the place that knows the
 * file, the offset or the option; its callers only pass the status up. Nothing is printed here.
 */
#ifndef ND_BASE_STATUS_H
#define ND_BASE_STATUS_H

typedef enum nd_status {
    ND_OK = 0,
    ND_END,          /**< not an error: a reader has no more records */
    ND_STOPPED,      /**< not an error: asked to stop, and did so where one can go on */
    ND_ERR_USAGE,    /**< the user asked for something that does not exist or does not fit */
    ND_ERR_INPUT,    /**< an input cannot be opened, read or decoded: its own bytes or its file are
                          at fault. Set by the readers of inputs alone, and the one failure that a
                          job may count as skipped */
    ND_ERR_CHANGED,  /**< an input is gone, or not any more what it was when the run began */
    ND_ERR_FORMAT,   /**< a file, not an input, that is not what it should be */
    ND_ERR_IO,       /**< the system could not read, write, open or close a file of our own */
    ND_ERR_LIMIT,    /**< a count or size beyond what the program can hold */
    ND_ERR_MEMORY,   /**< another library has no memory; where our own asks, the process ends:
                        buffer.h */
    ND_ERR_INTERNAL, /**< a promise inside the program was broken */
    ND_ERR_PEER      /**< another rank failed; that rank says why */
} nd_status;

/** Bytes kept of a failure's text, the closing NUL included. */
enum { ND_FAIL_TEXT_SIZE = 1024 };

/** Keep the one-line reason of a failure (printf format; cut at ND_FAIL_TEXT_SIZE) for this thread,
 * made printable (src/base/printable.h): file names and the like are given as they are.
 * \return status, so that a function can end with `return nd_fail(...)`. */
nd_status nd_fail(nd_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The reason kept by the latest nd_fail() of this thread; "" if there was none. */
const char *nd_fail_text(void);

/** Run `call`; on anything but ND_OK keep it in the local `st` and jump to the local label `out`.
 */
#define ND_TRY(call)                                                                               \
    do {                                                                                           \
        st = (call);                                                                               \
        if (st != ND_OK) {                                                                         \
            goto out;                                                                              \
        }                                                                                          \
    } while (0)

#endif
