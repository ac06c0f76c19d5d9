/** \file mpi/comm/dealer.h
 * Items of work that ranks get as they come free, so that nobody waits long for a slow rank. Every
 * rank has a range of them and takes from its front, some items at a time, the first without
 * asking; one whose range is used up takes from the end of the range with the most left (guided
 * self-scheduling: Polychronopoulos and Kuck, IEEE Transactions on Computers, 1987). So items that
 * lie side by side mostly stay with one rank. Rank 0 knows what is left, and answers between its
 * own pieces of work. What an item is, and who has had it, is the caller's to know. No item is
 * given twice.
 */
#ifndef ND_COMM_DEALER_H
#define ND_COMM_DEALER_H

#include "mpi/comm/comm.h"

/** All zero may be closed. */
typedef struct nd_dealer {
    const nd_comm *comm;
    const uint64_t *costs;           /**< [item] in any unit; 0: it need not be given */
    bool asks;                       /**< this rank may still get some */
    uint64_t first_begin, first_end; /**< its first ones, until it has taken them */
    /* of rank 0 */
    uint64_t *begin, *end; /**< [rank] what is left of its range */
    uint64_t *left;        /**< [rank] cost of these */
    int others;            /**< ranks beside this one that may still ask */
    double next_look;      /**< whether one asks: by MPI's clock */
} nd_dealer;

/** Not collective, but all ranks must. \param[in] costs  borrowed, and equal on all ranks
 * \param[in] first  rank r's range is [first[r], first[r + 1]); equal on all ranks */
void nd_dealer_open(nd_dealer *dealer, const nd_comm *comm, const uint64_t *costs,
                    const uint64_t *first);

/** Not collective; waits until rank 0 has answered. \param[out] begin, end  the next items, some
 * of which may be of no cost; equal: there are no more, also when it is called again */
void nd_dealer_take(nd_dealer *dealer, uint64_t *begin, uint64_t *end);

/** Not collective. Rank 0 answers who has asked; others do nothing. Cheap. */
void nd_dealer_serve(nd_dealer *dealer);

/** Collective. This rank takes no more. If it was not told that there are none, nobody else gets
 * more either. */
void nd_dealer_close(nd_dealer *dealer);

#endif
