#include "tests/support/check.h"

int main(int argc, char **argv) {
    return nd_test_main(argc, argv);
}
