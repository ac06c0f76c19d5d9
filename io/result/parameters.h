/** \file io/result/parameters.h
 * Parameters of a run as a JSON object of names and values: adding one, and comparing those of two
 * runs. What the parameters mean is not known here.
 */
#ifndef ND_IO_RESULT_PARAMETERS_H
#define ND_IO_RESULT_PARAMETERS_H

#include "src/base/buffer.h"

#include <stdbool.h>

/** Set a text parameter in a JSON object.
 * \param[in,out] text  the object, NUL included; NULL or an empty buffer: an empty object
 * \return ND_OK, ND_ERR_MEMORY, or ND_ERR_FORMAT if it is no object */
nd_status nd_parameters_set(nd_buffer *text, const char *name, const char *value);

/** Do two objects differ? \param[out] difference  the first parameter that does, with both values:
 * "threshold was 0.46 and is 0.5" */
bool nd_parameters_differ(const char *before, const char *now, char *difference, size_t size);

#endif
