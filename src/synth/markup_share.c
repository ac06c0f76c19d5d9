#include "src/synth/markup_share.h"

/* Of pages for which n bytes are asked before markup is added, the mean has so many bytes of HTML
 * and of visible text: lines through the means of corpora of several seeds, lengths and
 * percentages, from which a corpus of some thousand pages is up to a tenth away. */
static const double MEAN_FIXED = 2400;
static const double MEAN_PER_BYTE = .66;
static const double TEXT_FIXED = 670;
static const double TEXT_PER_BYTE = .37;

nd_status nd_markup_share_check(double percent) {
    if (!(percent >= ND_TEXT_LEAST && percent <= ND_TEXT_MOST)) {
        return nd_fail(ND_ERR_USAGE, "--text %g: must be from %d to %d percent", percent,
                       ND_TEXT_LEAST, ND_TEXT_MOST);
    }
    return ND_OK;
}

nd_markup_share nd_markup_share_of(uint64_t page_bytes, double percent) {
    const double bytes = (double)page_bytes;
    if (percent == 0) {
        return (nd_markup_share){.plain_bytes = page_bytes, .mean_plain = bytes};
    }
    const double wanted = (bytes * percent / 100 - TEXT_FIXED) / TEXT_PER_BYTE;
    const uint64_t plain = wanted > 0 ? (uint64_t)wanted : 0;
    const double mean = MEAN_FIXED + MEAN_PER_BYTE * (double)plain;
    return (nd_markup_share){
        .plain_bytes = plain, .mean_plain = mean, .rate = (bytes - mean) / mean};
}
