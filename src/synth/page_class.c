#include "src/synth/page_class.h"

static const nd_page_class_row rows[ND_PAGE_CLASSES] = {
    [ND_PAGE_ORIGINAL] = {"O", "a story's original", ND_TRUTH_COPY},
    [ND_PAGE_SAME] = {"P0", "same text, other template", ND_TRUTH_COPY},
    [ND_PAGE_STAMPED] = {"P1", "other URL, time stamp, session, count", ND_TRUTH_COPY},
    [ND_PAGE_INSERTED] = {"P2", "advertisements or comments inserted", ND_TRUTH_COPY},
    [ND_PAGE_REVISED] = {"P3", "1 to 10 % edited words", ND_TRUTH_COPY},
    [ND_PAGE_EXTENDED] = {"P4", "title, byline or paragraph changed", ND_TRUTH_COPY},
    [ND_PAGE_NOISY] = {"P5", "other markup, entities, punctuation", ND_TRUTH_COPY},
    [ND_PAGE_REORDERED] = {"P6", "paragraphs in another order", ND_TRUTH_COPY},
    [ND_PAGE_REWRITTEN] = {"U1", "10 to 40 % edited words", ND_TRUTH_UNDECIDED},
    [ND_PAGE_PARTIAL] = {"U2", "excerpt of the original, or more around it", ND_TRUTH_UNDECIDED},
    [ND_PAGE_TEMPLATE] = {"N1", "own short story, large template", ND_TRUTH_ALONE},
    [ND_PAGE_FORM] = {"N2", "form with other data", ND_TRUTH_ALONE},
    [ND_PAGE_SERIES] = {"N3", "another part in a series", ND_TRUTH_ALONE},
    [ND_PAGE_QUOTING] = {"N4", "own article quoting a common paragraph", ND_TRUTH_ALONE},
    [ND_PAGE_INDEX] = {"N5", "index sharing most links", ND_TRUTH_ALONE},
    [ND_PAGE_TOPIC] = {"N6", "same topic, other wording", ND_TRUTH_ALONE},
    [ND_PAGE_ERROR] = {"N7", "error, login or empty page", ND_TRUTH_SITE},
};

const nd_page_class_row *nd_page_class_get(nd_page_class class) {
    return &rows[class];
}
