/* Compare the extractor's words with libxml2's: b_extract_oracle FILE_OR_FOLDER... */
#include "tests/support/brief.h"
#include "tests/support/extract_oracle.h"

int main(int count, char **arguments) {
    nd_oracle oracle = {0};
    nd_status st = ND_OK;
    if (count < 2) {
        (void)fprintf(stderr, "usage: %s FILE_OR_FOLDER...\n", arguments[0]);
        return 2;
    }
    for (int i = 1; i < count; i++) {
        ND_TRY(nd_oracle_walk(&oracle, arguments[i]));
    }
    printf("%zu pages, %.2f MB of words; %zu pages with libxml2's words\n", oracle.pages,
           (double)oracle.words / 1e6, oracle.equal);
out:
    if (st != ND_OK) {
        (void)fprintf(stderr, "%s\n", nd_fail_text());
    }
    return st == ND_OK ? 0 : 1;
}
