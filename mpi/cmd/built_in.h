/** \file mpi/cmd/built_in.h
 * Files of the source tree that are built into the program by scripts/embed.cmake: what a page for
 * a browser carries in it, and the topics of the help. CMakeLists.txt lists them.
 */
#ifndef ND_CMD_BUILT_IN_H
#define ND_CMD_BUILT_IN_H

#include <stddef.h>
#include <stdint.h>

typedef struct nd_built_in {
    const uint8_t *bytes;
    size_t size;
    uint8_t sha256[32]; /**< of the bytes */
} nd_built_in;

extern const nd_built_in nd_built_in_page_css;
extern const nd_built_in nd_built_in_review_js;

/** The topics, in the order in which the help lists them: mpi/cmd/topics/NAME.txt each. */
#define ND_HELP_TOPICS(X)                                                                          \
    X(inputs)                                                                                      \
    X(sets) X(results) X(keep) X(indexes) X(clusters) X(collections) X(trust) X(limits)

#define ND_HELP_TOPIC(name) extern const nd_built_in nd_built_in_##name##_txt;
ND_HELP_TOPICS(ND_HELP_TOPIC)
#undef ND_HELP_TOPIC

#endif
