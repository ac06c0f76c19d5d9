#include "src/sets/link.h"

int nd_link_compare(const nd_link *x, const nd_link *y) {
    if (x->similarity != y->similarity) {
        return x->similarity > y->similarity ? -1 : 1;
    }
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return (x->b > y->b) - (x->b < y->b);
}
