/** \file tests/support/faults.h
 * Making every guarded call of a piece of code fail, one after the other.
 */
#ifndef ND_TESTS_FAULTS_H
#define ND_TESTS_FAULTS_H

#include "src/base/status.h"

/** Run `work` again and again: for each kind of fault but memory's, which ends the process, once
 * with each of its calls failing, and then with calls for what is read failing where there was
 * enough of it (nd_fault_set_tight()). Asserts that the work then fails and says that the fault was
 * injected, and that it succeeds when no call fails. Faults strike after that no more. \param[in]
 * check called after each failure, to look at what it left; may be NULL \return how many faults
 * struck */
int nd_test_all_faults(nd_status (*work)(void), void (*check)(void));

#endif
