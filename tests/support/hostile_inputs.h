/** \file tests/support/hostile_inputs.h
 * Small good inputs of all formats, and tables of labels for their pages: of these runs make the
 * results, indexes and work folders that are then changed.
 */
#ifndef ND_TESTS_SUPPORT_HOSTILE_INPUTS_H
#define ND_TESTS_SUPPORT_HOSTILE_INPUTS_H

/** Write a.jsonl and b.jsonl, of which some pages are alike, c.warc.gz, d.warc and e.warc.zst with
 * the same pages, f.wacz and g.wacz, h.arc and i.html, labels.tsv and pairs.tsv into the current
 * folder. */
void nd_hostile_inputs(void);

#endif
