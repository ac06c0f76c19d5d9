/** \file io/input/unused_input.h
 * Why an input gave no page, and what would make it give some: looks at its start once more, at a
 * bounded part of it, so that the answer depends on nothing but the file and the options. Of JSONL
 * it names the fields that are there, and the option for the one that looks like the text; and of
 * one that gave pages the option for a field that looks like their URL, where none is used.
 */
#ifndef ND_IO_INPUT_UNUSED_INPUT_H
#define ND_IO_INPUT_UNUSED_INPUT_H

#include "io/input/input_list.h"
#include "io/input/reader.h"

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
