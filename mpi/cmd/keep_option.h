/** \file mpi/cmd/keep_option.h
 * The options by which a user says which page of a set is kept, as a table over nd_keep_wish.
 */
#ifndef ND_CMD_KEEP_OPTION_H
#define ND_CMD_KEEP_OPTION_H

#include "src/base/option.h"
#include "src/sets/keep.h"

extern const nd_option nd_keep_option_table[];

#endif
