/** \file src/synth/story_edit.h
 * How a copy of a story differs from it: words edited, paragraphs inserted, removed or reordered,
 * excerpts. Each edit writes a new story and knows how many tokens it took over, so the similarity
 * of the two is known without comparing them. Markup is not edited here.
 */
#ifndef ND_SYNTH_STORY_EDIT_H
#define ND_SYNTH_STORY_EDIT_H

#include "src/synth/page_class.h"
#include "src/synth/story.h"

/** Edit a copy.
 * \param[out]    to      the copy; its title and byline are set, too
 * \param[in]     from    the original; of at least three paragraphs
 * \param[in]     class   ND_PAGE_ORIGINAL to ND_PAGE_PARTIAL; a class that leaves the text as it
 *                        is copies it
 * \param[in,out] source  what inserted words are drawn from; its random numbers also choose places
 * \return tokens of the copy's body that were taken over; a failure is kept in to->status */
uint64_t nd_story_edit(nd_story *to, const nd_story *from, nd_page_class class,
                       nd_story_source *source);

#endif
