/** \file tests/support/seal_file.h
 * Sealing a result by one process.
 */
#ifndef ND_TESTS_SUPPORT_SEAL_FILE_H
#define ND_TESTS_SUPPORT_SEAL_FILE_H

#include "io/result/result_seal.h"

/** Seal a complete and closed result file. \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_test_seal_file(const char *path);

#endif
