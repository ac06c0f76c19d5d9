#include "io/input/other_reason.h"

#include <inttypes.h>
#include <stdio.h>

const char *nd_other_reason_text(nd_other_reason reason) {
    static const char *const texts[ND_OTHERS] = {
        [ND_OTHER_ABOUT] = "request, metadata or warcinfo",
        [ND_OTHER_REVISIT] = "revisit of what is no page",
        [ND_OTHER_KIND] = "record type that holds no page",
        [ND_OTHER_PROTOCOL] = "protocol other than HTTP",
        [ND_OTHER_REDIRECT] = "HTTP status 3xx",
        [ND_OTHER_STATUS] = "HTTP status other than 2xx or 3xx",
        [ND_OTHER_IMAGE] = "content type of images",
        [ND_OTHER_SOUND] = "content type of audio or video",
        [ND_OTHER_FONT] = "content type of fonts",
        [ND_OTHER_STYLE] = "content type of style sheets",
        [ND_OTHER_SCRIPT] = "content type of scripts",
        [ND_OTHER_DATA] = "content type or beginning of XML, JSON or other data",
        [ND_OTHER_TYPE] = "content type of no page",
        [ND_OTHER_BINARY] = "binary data under a type of text, or without one",
        [ND_OTHER_EMPTY] = "no content type and no body",
        [ND_OTHER_FILE] = "file that is no page",
    };
    return texts[reason];
}

void nd_others_add(uint64_t *to, const uint64_t *counts) {
    for (int i = 0; i < ND_OTHERS; i++) {
        to[i] += counts[i];
    }
}

uint64_t nd_others_sum(const uint64_t *counts) {
    uint64_t sum = 0;
    for (int i = 0; i < ND_OTHERS; i++) {
        sum += counts[i];
    }
    return sum;
}

const char *nd_others_list(const uint64_t *counts, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < ND_OTHERS && used < size; i++) {
        if (counts[i] > 0) {
            used +=
                (size_t)snprintf(text + used, size - used, "%s%" PRIu64 " %s", used > 0 ? ", " : "",
                                 counts[i], nd_other_reason_text((nd_other_reason)i));
        }
    }
    return text;
}
