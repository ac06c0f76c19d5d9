#include "src/measure/linear_solve.h"

#include <math.h>

/* What is left of a pivot is rounding below this part of it. */
static const double NOTHING = 1e-12;

bool nd_linear_solve(double *a, double *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double *row = a + i * count;
        const double before = row[i];
        for (size_t k = 0; k <= i; k++) {
            const double *other = a + k * count;
            double left = row[k];
            for (size_t j = 0; j < k; j++) {
                left -= row[j] * other[j];
            }
            row[k] = k < i ? left / other[k] : left;
        }
        if (!(row[i] > NOTHING * before)) { /* also what is no number */
            return false;
        }
        row[i] = sqrt(row[i]);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            b[i] -= a[i * count + j] * b[j];
        }
        b[i] /= a[i * count + i];
    }
    for (size_t i = count; i-- > 0;) {
        for (size_t j = i + 1; j < count; j++) {
            b[i] -= a[j * count + i] * b[j];
        }
        b[i] /= a[i * count + i];
    }
    return true;
}
