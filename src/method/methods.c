#include "src/method/methods.h"

#include <string.h>

static const nd_method *const methods[] = {
    &nd_method_lcs,      &nd_method_exact,  &nd_method_sketch,
    &nd_method_lsh,      &nd_method_broder, &nd_method_simhash,
    &nd_method_charikar, &nd_method_cosine, &nd_method_henzinger};

const nd_method *nd_method_row(size_t row) {
    return row < sizeof methods / sizeof methods[0] ? methods[row] : NULL;
}

const nd_method *nd_method_find(const char *name) {
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        if (strcmp(nd_method_row(i)->name, name) == 0) {
            return nd_method_row(i);
        }
    }
    return NULL;
}
