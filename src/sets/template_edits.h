/** \file src/sets/template_edits.h
 * Which pages of a site are edits of one another, for template.c's classes. Pages in one template
 * share sentences word for word and differ in the others; copies that were edited throughout share
 * hardly a sentence, but most of their sentences are edits of the other's. So what two pages share
 * word for word is set aside, and what is left of them is compared by the minima of sentences. The
 * answer does not depend on the order of the pages. Nobody else needs it.
 */
#ifndef ND_SETS_TEMPLATE_EDITS_H
#define ND_SETS_TEMPLATE_EDITS_H

#include "src/sets/template_site.h"

/** Join the classes (s->parents) of pages that are edits of one another: at least half of the
 * lighter page is not on the other, and of the minima of what each has alone at least `least` (a
 * Jaccard coefficient; minima weigh as much as the longest sentence that has them) are minima that
 * a sentence of the one and another sentence of the other have. \param[in,out] s  as
 * template_site.h says; of the pages' items only those that are no template \return ND_OK or
 * ND_ERR_MEMORY */
nd_status nd_template_join_edits(nd_template_site *s, double least);

#endif
