#include "src/sets/link.h"

int nd_link_compare(const void *x, const void *y) {
    const nd_link *p = x;
    const nd_link *q = y;
    if (p->similarity != q->similarity) {
        return p->similarity > q->similarity ? -1 : 1;
    }
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    return (p->b > q->b) - (p->b < q->b);
}
