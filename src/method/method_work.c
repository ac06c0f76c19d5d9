#include "src/method/method_work.h"

#include <stdlib.h>

void nd_method_work_free(nd_method_work *work) {
    free(work->tokens);
    free(work->shingles);
    free(work->minima);
    free(work->rabin);
    nd_minhash_free(&work->minhash);
    nd_term_vector_free(&work->terms);
    free(work->words);
    free(work->numbers);
    nd_lcs_work_free(&work->lcs);
    *work = (nd_method_work){0};
}
