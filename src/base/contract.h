/** \file src/base/contract.h
 * What one part of the program may rely on from another, checked where it is relied on, in every
 * build: ND_ASSERT. One that does not hold is a mistake of the program, never of its inputs, of the
 * machine or of the user, whose failures are statuses (status.h). Nothing that follows could be
 * trusted, so nothing is mended or closed: one line says the place, the condition and the values,
 * and the process ends, with the others of its job (nd_contract_on_break()).
 */
#ifndef ND_BASE_CONTRACT_H
#define ND_BASE_CONTRACT_H

#include <stddef.h>
#include <stdint.h>

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
