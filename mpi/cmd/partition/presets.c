#include "mpi/cmd/partition/presets.h"

#include "mpi/cmd/partition/partition_options.h"
#include "src/method/methods.h"

#include <string.h>

/* The paper's perhaps-similar sets are "not too large": pages compared on one rank. */
static const uint64_t DEFAULT_SET_CAP = 4096;
/* The guard compares up to all pages of a component with one another, on one rank. */
static const uint64_t DEFAULT_GUARD_CAP = 20000;
/* Pages of a site by which its templates are told: from 200 on, more gain nothing; a site's sample
 * is held by one rank. */
static const uint64_t DEFAULT_SAMPLE = 1000;
/* On a site of so few pages, what three classes share is as telling as what four share elsewhere.
 */
static const uint64_t DEFAULT_SMALL_SITE = 8;
/* A page with less text than this is told apart by its links, if at all. */
static const uint64_t DEFAULT_LINK_TOKENS = 200;

/* Measured on labelled pages: see scripts/README.md. */
void nd_partition_defaults(nd_job_options *job) {
    job->content = (nd_content_choice){.navigation = true,
                                       .links = true,
                                       .sample = DEFAULT_SAMPLE,
                                       .templates = ND_TEMPLATE_DEFAULTS,
                                       .link_tokens = DEFAULT_LINK_TOKENS};
    job->content.templates.small_site = DEFAULT_SMALL_SITE;
    job->method = nd_method_find("lcs");
    job->method_options = nd_method_default_options();
    job->transitivity = ND_TRANSITIVITY_VERIFIED;
    job->guard = 0.15;
    job->guard_cap = DEFAULT_GUARD_CAP;
    job->set_cap = DEFAULT_SET_CAP;
    job->group_pairs = ND_GROUP_ALL_PAIRS;
}

/* The paper to the letter: Huang, Wang and Li, CIKM 2008. */
static void preset_pku(nd_job_options *job) {
    nd_partition_defaults(job);
    job->content = (nd_content_choice){.templates = ND_TEMPLATE_DEFAULTS};
    job->method_options = nd_method_paper_options();
    job->transitivity = ND_TRANSITIVITY_FULL;
    job->guard = 0;
}

nd_status nd_apply_preset(const char *name, nd_job_options *job) {
    if (strcmp(name, "pku") == 0) {
        preset_pku(job);
    } else if (strcmp(name, "default") == 0) {
        nd_partition_defaults(job);
    } else {
        return nd_fail(ND_ERR_USAGE, "--preset %s: must be default or pku", name);
    }
    return ND_OK;
}
