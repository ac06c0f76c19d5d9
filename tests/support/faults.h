/** \file tests/support/faults.h
 * Making every guarded call of a piece of code fail, one after the other.
 */
#ifndef ND_TESTS_FAULTS_H
#define ND_TESTS_FAULTS_H

#include "src/base/buffer.h"

/** Run `work` again and again: for each kind of fault once with each of its calls failing, and then
 * with calls for memory, and for what is read, failing where there was enough of it
 * (nd_fault_set_tight()). Asserts that the work then fails and says that the fault was injected,
 * and that it succeeds when no call fails. Faults strike after that no more. \param[in] check
 * called after each failure, to look at what it left; may be NULL \return how many faults struck */
int nd_test_all_faults(nd_status (*work)(void), void (*check)(void));

/** Run what appends to a buffer with room for 0, 1, ... bytes in it, so that every part of what is
 * appended is at some time the one that needs more memory, and each allocation of these runs fails
 * once. Asserts that it then fails for lack of memory, and else appends the same bytes.
 * \return how many failures there were */
int nd_test_every_room(nd_status (*append)(nd_buffer *out));

#endif
