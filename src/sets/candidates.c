#include "src/sets/candidates.h"

static const uint64_t MAX_LENGTH = (UINT64_C(1) << ND_POSTING_LENGTH_BITS) - 1;
static const uint64_t PAGE_MASK = (UINT64_C(1) << ND_POSTING_PAGE_BITS) - 1;

uint64_t nd_posting_value(uint64_t page, uint64_t tokens) {
    return (tokens < MAX_LENGTH ? tokens : MAX_LENGTH) << ND_POSTING_PAGE_BITS | page;
}

uint64_t nd_posting_page(uint64_t value) {
    return value & PAGE_MASK;
}

uint64_t nd_posting_length(uint64_t value) {
    return value >> ND_POSTING_PAGE_BITS;
}

uint64_t nd_group_runs(uint64_t count) {
    return count <= ND_GROUP_RUN ? 1 : (count + ND_GROUP_RUN - 1) / ND_GROUP_RUN;
}

nd_group_run nd_group_run_at(uint64_t count, uint64_t run) {
    nd_group_run at = {.begin = run * ND_GROUP_RUN};
    const uint64_t left = count - at.begin;
    at.leads = left < ND_GROUP_RUN ? left : ND_GROUP_RUN;
    const uint64_t reach = at.leads + ND_GROUP_NEIGHBOURS;
    at.end = at.begin + (left < reach ? left : reach);
    return at;
}

uint64_t nd_group_partner_end(uint64_t group_count, uint64_t piece_count, uint64_t i) {
    return nd_group_partner_end_for(ND_GROUP_ALL_PAIRS, group_count, piece_count, i);
}

uint64_t nd_group_partner_end_for(uint64_t all_pairs, uint64_t group_count, uint64_t piece_count,
                                  uint64_t i) {
    const uint64_t end = group_count <= all_pairs ? piece_count : i + 1 + ND_GROUP_NEIGHBOURS;
    return end < piece_count ? end : piece_count;
}
