#include "tests/support/labelled_scene.h"

static void make_pages(nd_random *random, nd_labelled_scene *s, uint64_t sets, uint64_t looseness) {
    const uint64_t agreement = nd_random_below(random, 101); /* per cent of pages in their place */
    for (size_t i = 0; i < s->pages.count; i++) {
        s->cluster[i] = nd_random_below(random, s->pages.cluster_count);
        s->set[i] = nd_random_below(random, 100) < agreement ? s->cluster[i]
                                                             : nd_random_below(random, sets);
        s->set[i] = nd_mix64(s->set[i]); /* sets are any numbers */
        s->loose[i] = nd_random_below(random, 100) < looseness;
        const uint64_t site = nd_random_below(random, ND_SCENE_SITES + 1);
        s->site[i] = site < ND_SCENE_SITES ? nd_mix64(site) : ND_NO_SITE;
        const uint64_t group = nd_random_below(random, ND_SCENE_GROUPS + 1);
        s->group[i] = group < ND_SCENE_GROUPS ? group : ND_NO_GROUP;
        s->leader[i] = nd_random_below(random, 5) == 0;
    }
}

void nd_labelled_scene_make(nd_random *random, nd_labelled_scene *s) {
    const uint64_t sets = 1 + nd_random_below(random, ND_SCENE_CLUSTERS);
    const uint64_t clusters = 1 + nd_random_below(random, ND_SCENE_CLUSTERS);
    const uint64_t looseness = nd_random_below(random, 3) * 10;
    s->pages = (nd_labelled_pages){
        .set = s->set,
        .cluster = s->cluster,
        .loose = looseness > 0 ? s->loose : NULL,
        .count = nd_random_below(random, ND_SCENE_PAGES + 1),
        .cluster_count = clusters,
        .ambiguous = s->ambiguous,
        .ambiguous_count = clusters < 2 ? 0 : nd_random_below(random, ND_SCENE_AMBIGUOUS + 1)};
    make_pages(random, s, sets, looseness);
    for (size_t i = 0; i < s->pages.ambiguous_count; i++) {
        const uint64_t a = nd_random_below(random, clusters);
        s->ambiguous[i] =
            (nd_cluster_pair){a, (a + 1 + nd_random_below(random, clusters - 1)) % clusters};
    }
}

bool nd_labelled_scene_is_loose(const nd_labelled_scene *s, size_t i) {
    return s->pages.loose != NULL && s->loose[i];
}

bool nd_labelled_scene_is_ambiguous(const nd_labelled_scene *s, size_t i, size_t j) {
    const uint64_t a = s->cluster[i];
    const uint64_t b = s->cluster[j];
    for (size_t p = 0; p < s->pages.ambiguous_count; p++) {
        const nd_cluster_pair *pair = &s->ambiguous[p];
        if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a)) {
            return true;
        }
    }
    return false;
}
