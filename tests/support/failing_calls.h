/** \file tests/support/failing_calls.h
 * Calls that fail: of libraries and of the system, by the linker, and the guarded ones of
 * src/base/fault.h.
 */
#ifndef ND_SUPPORT_FAILING_CALLS_H
#define ND_SUPPORT_FAILING_CALLS_H

#include "src/base/status.h"

/* ---- Making every call that our own code makes to the system, HDF5 and the other libraries fail,
 * one after the other: what the points of src/base/fault.h do not reach, such as a decoder that
 * gets no memory, a column that cannot be closed, a folder that cannot be listed. A test program
 * that includes this is linked so that these calls pass here first (tests/CMakeLists.txt); what
 * libraries do inside stays as it is. */

/** Run `work` again and again, each time with another of its calls failing (of a long work, not
 * with each of them), and with each of its guarded calls failing (tests/support/failing_calls.h).
 * Asserts that the work, whose own assertions hold whenever it ends with ND_OK, fails with a text
 * otherwise, and with ND_ERR_MEMORY where that was refused; and that it succeeds when no call
 * fails. \param[in] check  called after each failure, to look at what it left; may be NULL \return
 * how many runs failed */
int nd_test_all_failures(nd_status (*work)(void), void (*check)(void));

/** Run `work` once where every second call of pread() and pwrite() is interrupted by a signal, and
 * the others move a few bytes of those they are asked for. Asserts that it goes well all the same.
 * \return how many were interrupted */
int nd_test_interrupted(nd_status (*work)(void));

/* ---- Making every guarded call of a piece of code fail, one after the other. */

/** Run `work` again and again: for each kind of fault but memory's, which ends the process, once
 * with each of its calls failing, and then with calls for what is read failing where there was
 * enough of it (nd_fault_set_tight()). Asserts that the work then fails and says that the fault was
 * injected, and that it succeeds when no call fails. Faults strike after that no more. \param[in]
 * check called after each failure, to look at what it left; may be NULL \return how many faults
 * struck */
int nd_test_all_faults(nd_status (*work)(void), void (*check)(void));

#endif
