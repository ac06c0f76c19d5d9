/** \file mpi/job/memory.h
 * A rank's memory and how it is shared out: what the stages may hold at once so that the whole
 * stays within the bound. Nothing is allocated here.
 */
#ifndef ND_MPI_JOB_MEMORY_H
#define ND_MPI_JOB_MEMORY_H

#include <stdint.h>

/** Bytes. */
typedef struct nd_memory {
    uint64_t total; /**< of a rank, everything included */
    uint64_t store; /**< its pages: ND_MEMORY_PER_PAGE of each, and of their texts and names what
                         fits beside that */
    uint64_t sort;  /**< a sort; up to three are alive at once */
    uint64_t spool; /**< a spool; up to five are alive at once */
    uint64_t batch; /**< pages or pairs that are worked on at once */
    uint64_t round; /**< what is sent at once in an exchange; about four times that is in use */
    uint64_t cached_input; /**< beside the total: if its inputs are longer, the system's cache need
                                not keep what has been read of them; 0: no bound */
} nd_memory;

/** Bytes that stay in memory for each page of a rank, at most, over all stages. */
enum { ND_MEMORY_PER_PAGE = 256 };

/** Bytes a rank takes before it has any page: the program, MPI and HDF5. */
enum { ND_MEMORY_BASE = 96 << 20 };

/** Not collective. Shares of a rank's memory. */
nd_memory nd_memory_shares(uint64_t total);

/** Not collective. The memory that this process and others may use together on this node: what the
 * machine has, or less if a control group or the Slurm allocation says so; 0 if that is not known.
 */
uint64_t nd_memory_of_node(void);

/** Not collective. The memory that a rank may use: its part of what the node, or the Slurm
 * allocation, gives. \param[in] ranks_on_node  processes that share it */
uint64_t nd_memory_default(int ranks_on_node);

#endif
