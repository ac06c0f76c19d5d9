/** \file io/input/input_sample.h
 * What inputs hold, estimated from a small sample: a few places, evenly spaced over all bytes of
 * all files, from each of which a bounded number of bytes is read. So a crawl of terabytes and a
 * folder of a million files cost the same. Only the files at those places are opened.
 */
#ifndef ND_IO_INPUT_INPUT_SAMPLE_H
#define ND_IO_INPUT_INPUT_SAMPLE_H

#include "io/input/input_list.h"
#include "io/input/reader.h"

enum { ND_SAMPLE_KINDS = 8, ND_SAMPLE_KIND_SIZE = 24 };

/** Means are of a page; 0 if none was found. */
typedef struct nd_input_sample {
    double bytes; /**< of all inputs */
    double files;
    double pages;   /**< estimate of all */
    double spread;  /**< standard error of that, as a share of it */
    double sampled; /**< pages looked at */
    double page_bytes, tokens, text_bytes, name_bytes;
    char kinds[ND_SAMPLE_KINDS][ND_SAMPLE_KIND_SIZE]; /**< formats that were met */
    size_t kind_count;
} nd_input_sample;

/** Look at inputs. What cannot be read counts as bytes without pages.
 * \param[in] whole  tokens and text are of pages with their navigation, as `--navigation keep` has
 *                   them; else without
 * \return ND_OK, ND_ERR_MEMORY, or ND_ERR_USAGE for standard input of which there is no copy */
nd_status nd_input_sample_take(const nd_input_list *inputs, const nd_reader_options *reader,
                               bool whole, nd_input_sample *sample);

#endif
