#include "src/synth/site_traits.h"

static const double SPACED_SHARE = .6;

nd_site_traits nd_site_traits_get(uint64_t seed, uint64_t site) {
    nd_random random = nd_draw_stream(seed, ND_DRAW_SITE, site);
    nd_site_traits t = {.site = site};
    const bool spaced = nd_draw_chance(&random, SPACED_SHARE);
    t.language = spaced || site == 0 ? ND_LANGUAGE_SPACED : ND_LANGUAGE_CHINESE;
    t.template_share =
        ND_TEMPLATE_LEAST + (ND_TEMPLATE_MOST - ND_TEMPLATE_LEAST) * nd_draw_share(&random);
    t.semantic = nd_draw_chance(&random, .5);
    t.stamped = nd_draw_chance(&random, .5);
    t.related = nd_draw_chance(&random, .5);
    t.teasers = nd_draw_chance(&random, .5);
    return t;
}
