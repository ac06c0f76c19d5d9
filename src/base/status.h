/** \file src/base/status.h
 * What can fail, and what must not. Failures are the one status enum of the program, the text of
 * the latest, and ND_TRY, which passes one on. A function that fails says why once, with nd_fail(),
 * at the place that knows the file, the offset or the option; its callers only pass the status up,
 * and nothing is printed. What one part of the program relies on from another is a contract,
 * ND_ASSERT.
 */
#ifndef ND_BASE_STATUS_H
#define ND_BASE_STATUS_H

#include <stddef.h>
#include <stdint.h>

/* ---- failures */

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

/* ---- contracts: what one part of the program may rely on from another, checked where it is relied
 * on, in every build: ND_ASSERT. One that does not hold is a mistake of the program, never of its
 * inputs, of the machine or of the user, whose failures are statuses. Nothing that follows could be
 * trusted, so nothing is mended or closed: one line says the place, the condition and the values,
 * and the process ends, with the others of its job (nd_contract_on_break()). */

/** The condition holds here if everything before it has kept to its header. One to three whole
 * numbers follow it, which are said if it does not. Costs a branch. */
#define ND_ASSERT(condition, ...)                                                                  \
    ((condition) ? (void)0                                                                         \
                 : nd_contract_broken(__FILE__, __LINE__, #condition, #__VA_ARGS__,                \
                                      (const uint64_t[]){ND_CONTRACT_VALUES(__VA_ARGS__)},         \
                                      sizeof(const uint64_t[]){ND_CONTRACT_VALUES(__VA_ARGS__)} /  \
                                          sizeof(uint64_t)))

#define ND_CONTRACT_VALUE_1(a)                 (uint64_t)(a)
#define ND_CONTRACT_VALUE_2(a, b)              (uint64_t)(a), (uint64_t)(b)
#define ND_CONTRACT_VALUE_3(a, b, c)           (uint64_t)(a), (uint64_t)(b), (uint64_t)(c)
#define ND_CONTRACT_PICK(a, b, c, chosen, ...) chosen
#define ND_CONTRACT_VALUES(...)                                                                    \
    ND_CONTRACT_PICK(__VA_ARGS__, ND_CONTRACT_VALUE_3, ND_CONTRACT_VALUE_2, ND_CONTRACT_VALUE_1,   \
                     0)                                                                            \
    (__VA_ARGS__)

/** Say what is broken, and end the process. For ND_ASSERT alone. */
_Noreturn void nd_contract_broken(const char *file, int line, const char *condition,
                                  const char *names, const uint64_t *values, size_t count)
    __attribute__((cold, noinline));

/** Who ends the processes of a job: prints the line and does not return. Without one, or where it
 * returns, the line is printed as it is and the process alone ends, by abort(3). */
void nd_contract_on_break(void (*leave)(const char *line));

/** End the job by whoever was set for it; returns where there is none. For failures that are no
 * mistake of the program but after which nothing can go on: see nd_memory_out(). */
void nd_contract_leave(const char *line);

#endif
