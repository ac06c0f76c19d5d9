#include "src/method/methods.h"

#include <string.h>

#define ROW(name) &nd_method_##name,
static const nd_method *const methods[] = {ND_METHODS(ROW)};

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
