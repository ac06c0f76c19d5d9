/** \file io/input/input_survey.h
 * What inputs hold, seen from a small part of them: before a run, how much it will read, from a
 * few places; after it, why an input gave no page and what would make it give some. Bounded work
 * for inputs of any size; nothing is kept of what was read.
 */
#ifndef ND_INPUT_INPUT_SURVEY_H
#define ND_INPUT_INPUT_SURVEY_H

#include "io/input/input_list.h"
#include "io/input/reader.h"

/* ---- a sample of a few places, evenly spaced over all bytes of all files, from each of which
 * a bounded number of bytes is read. So a crawl of terabytes and a folder of a million
 * files cost the same. Only the files at those places are opened. */

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

/* ---- Why an input gave no page, and what would make it give some: looks at its start once more,
 * at a bounded part of it, so that the answer depends on nothing but the file and the options. Of
 * JSONL it names the fields that are there, and the option for the one that looks like the text;
 * and of one that gave pages the option for a field that looks like their URL, where none is used.
 */

/** Bytes of a reason, the closing NUL included. */
enum { ND_UNUSED_SIZE = ND_FAIL_TEXT_SIZE };

/** \param[in] counts  what reading the input has met
 * \param[out] reason  one line: "PATH: ..."
 * \return ND_OK, or ND_ERR_MEMORY */
nd_status nd_unused_input_explain(const char *path, const nd_reader_options *options,
                                  const nd_reader_counts *counts, char reason[ND_UNUSED_SIZE]);

/** Have the first records of an input no URL, though one of their fields looks like it?
 * \param[out] hint  one line: "PATH: ..."; "": they have one, or it is no JSONL
 * \return ND_OK, or ND_ERR_MEMORY */
nd_status nd_unused_url_explain(const char *path, const nd_reader_options *options,
                                char hint[ND_UNUSED_SIZE]);

/** For a look at inputs that has found no page: the first of them stands for all.
 * \return ND_ERR_FORMAT, the text says why and what to do; or ND_ERR_MEMORY */
nd_status nd_unused_inputs_refuse(const nd_input_list *inputs, const nd_reader_options *options);

#endif
