/** \file src/base/fault.h
 * Faults on demand, for tests: calls that may fail in the field (an allocation, a read, an
 * exchange) pass a named point first, and `--fault POINT:RANK:N` makes the N-th passing of that
 * point on that rank a failure, so that every error path can be run on purpose. A passing also
 * counts as a sign of life, which a watchdog may look at from another thread. Nothing is allocated,
 * printed or waited for here, but for the two faults that are meant to: `kill` and `hang`.
 *
 * A guarded call looks like this; the step that makes the fault is not taken:
 *
 *     ND_TRY(nd_fault(ND_FAULT_RENAME));
 *     if (rename(from, to) != 0) ...
 */
#ifndef ND_BASE_FAULT_H
#define ND_BASE_FAULT_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/** What may fail. Inputs have points of their own: what cannot be read of them is named and
 * skipped, while a failure of the program's own files ends the job. */
typedef enum nd_fault_point {
    ND_FAULT_MEMORY,     /**< an allocation: the job ends, see nd_memory_out() */
    ND_FAULT_INPUT_OPEN, /**< opening, looking at or listing an input */
    ND_FAULT_INPUT_READ, /**< reading an input */
    ND_FAULT_OPEN,       /**< opening or making a file or folder of the program's own */
    ND_FAULT_READ,       /**< reading from one */
    ND_FAULT_WRITE,      /**< writing to one */
    ND_FAULT_SYNC,       /**< bringing one to the disk */
    ND_FAULT_RENAME,     /**< giving one its final name */
    ND_FAULT_LOCK,       /**< taking a lock */
    ND_FAULT_EXCHANGE,   /**< an exchange between ranks */
    ND_FAULT_RESULT      /**< a call that makes or writes the result file */
} nd_fault_point;

enum { ND_FAULT_POINTS = ND_FAULT_RESULT + 1 };

/* ---- guarded calls */

/** Pass a point; costs a counter and a branch. Only the thread that does the work may pass points.
 * \return ND_OK; or, where the armed fault strikes, ND_ERR_MEMORY (memory), ND_ERR_INPUT (those of
 *         inputs) or ND_ERR_IO with a text that says that the failure was injected, and errno set
 *         to match */
nd_status nd_fault(nd_fault_point point);

/** Pass a place that cannot fail by itself: only `kill` and `hang` strike here. */
void nd_fault_pass(void);

/* ---- arming */

/** Arm a fault: "POINT:RANK:N", "kill:RANK:N" (the process ends by SIGKILL at its N-th passing of
 * any point), "hang:RANK:N" (it sleeps there for ever), or "count" (nothing fails, passings are
 * counted). N counts from 1, which is the next passing. \return ND_OK, or ND_ERR_USAGE with a text
 * that names the option */
nd_status nd_fault_arm(const char *text);

/** Set which rank this process is; -1, none, before. A fault strikes on its own rank alone. */
void nd_fault_set_rank(int rank);

/** For tests: from now on whoever asks for room, for bytes of an input or a spool, or for rows of a
 * result passes the point even where what is asked for is at hand, so that each place that asks can
 * fail, not only those where an array happens to grow or a step of reading to end. */
void nd_fault_set_tight(bool tight);

/** Pass a point where what is asked for is at hand: it fails only if faults were set to be tight.
 * \return as nd_fault() */
nd_status nd_fault_if_tight(nd_fault_point point);

/** Is "count" armed? */
bool nd_fault_counts(void);

/* ---- counters */

/** The name of a point, as in "POINT:RANK:N". */
const char *nd_fault_name(nd_fault_point point);

/** Passings of a point since something was armed; 0 before. */
uint64_t nd_fault_count(nd_fault_point point);

/** Passings of any point since something was armed, or since the start, those of nd_fault_pass()
 * included. Any thread may ask. \param[out] last  name of the point passed last, "" if there was
 * none; may be NULL */
uint64_t nd_fault_passings(const char **last);

#endif
