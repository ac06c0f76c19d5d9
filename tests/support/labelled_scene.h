/** \file tests/support/labelled_scene.h
 * Random labelled pages: few enough to look at every pair of them, with all that makes pairs not
 * count: loose pages, ambiguous clusters, pages without a site or a group.
 */
#ifndef ND_TESTS_LABELLED_SCENE_H
#define ND_TESTS_LABELLED_SCENE_H

#include "src/base/util.h"
#include "src/measure/agreement.h"

enum {
    ND_SCENE_PAGES = 60,
    ND_SCENE_CLUSTERS = 12,
    ND_SCENE_AMBIGUOUS = 20,
    ND_SCENE_SITES = 4,
    ND_SCENE_GROUPS = 5
};

typedef struct nd_labelled_scene {
    uint64_t set[ND_SCENE_PAGES];
    uint64_t cluster[ND_SCENE_PAGES];
    bool loose[ND_SCENE_PAGES];
    nd_cluster_pair ambiguous[ND_SCENE_AMBIGUOUS];
    uint64_t site[ND_SCENE_PAGES];  /**< or ND_NO_SITE */
    uint64_t group[ND_SCENE_PAGES]; /**< below ND_SCENE_GROUPS, or ND_NO_GROUP */
    bool leader[ND_SCENE_PAGES];
    nd_labelled_pages pages; /**< views of the arrays above */
} nd_labelled_scene;

void nd_labelled_scene_make(nd_random *random, nd_labelled_scene *scene);

/** Whether page i is loose. */
bool nd_labelled_scene_is_loose(const nd_labelled_scene *scene, size_t i);

/** Whether the clusters of pages i and j are ambiguous with each other. */
bool nd_labelled_scene_is_ambiguous(const nd_labelled_scene *scene, size_t i, size_t j);

#endif
