#include "mpi/cmd/help.h"

#include "mpi/cmd/command.h"
#include "src/base/status.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, COLUMN = 27 /* where the texts of options begin */ };

/* A text under construction: words are laid out between two margins. */
typedef struct layout {
    int margin; /* left */
    int column; /* where the next word begins */
} layout;

/* Lay out a text, whose line breaks count as blanks, an empty line as one. */
static void put_words(layout *l, const char *text) {
    while (*text != '\0') {
        const size_t blanks = strspn(text, " \n");
        const size_t size = strcspn(text + blanks, " \n");
        if (strncmp(text, "\n\n", 2) == 0) {
            (void)printf("\n\n%*s", l->margin, "");
            l->column = l->margin;
        } else if (l->column > l->margin && l->column + 1 + (int)size > WIDTH) {
            (void)printf("\n%*s", l->margin, "");
            l->column = l->margin;
        } else if (l->column > l->margin && size > 0) {
            (void)printf(" ");
            l->column++;
        }
        l->column += printf("%.*s", (int)size, text + blanks);
        text += blanks + size;
    }
}

void nd_help_beside(const char *begin, int margin, const char *text) {
    layout l = {.margin = margin, .column = margin};
    (void)printf("%-*s", margin, begin);
    put_words(&l, text);
    (void)printf("\n");
}

/* The default of an option, or nothing: a flag has none, and an empty one says nothing. */
static void print_default(const nd_option *option, const nd_command_table *set, char *text,
                          size_t size) {
    char room[ND_OPTION_TEXT_SIZE];
    size_t used = 0;
    text[0] = '\0';
    if (set->defaults != NULL) {
        used = set->defaults(option, text, size);
    }
    if (used == 0 && option->kind != ND_OPTION_FLAG) {
        const char *value = nd_option_print(option, set->options, room);
        /* 0 stands for none where it is beyond the bounds, and where being given is what counts */
        const bool none = option->kind == ND_OPTION_SIZE || option->given > 0 ||
                          (option->kind == ND_OPTION_NUMBER && option->bounded);
        const bool unset = none && value != NULL && strcmp(value, "0") == 0;
        if (value != NULL && !unset) {
            (void)snprintf(text, size, "(%s)", value);
        }
    }
}

/* Rows of a table; a heading without any below it is left out. */
static void print_table(const nd_command_table *sets, int table, bool all, bool brief) {
    const nd_command_table *set = &sets[table];
    const nd_option *heading = NULL;
    for (const nd_option *row = set->table; row->help != NULL; row++) {
        char begin[WIDTH];
        char given[256];
        layout l = {.margin = COLUMN, .column = COLUMN};
        if (row->name == NULL) {
            heading = row;
        }
        if (!nd_command_has_row(sets, table, row) || row->hidden || (row->rare && !all) ||
            (row->brief == NULL && brief)) {
            continue;
        }
        if (heading != NULL && !brief) {
            (void)printf("\n%s\n", heading->help);
            heading = NULL;
        }
        print_default(row, set, given, sizeof given);
        (void)snprintf(begin, sizeof begin, "  %c%c%s --%s%s%s", row->letter != 0 ? '-' : ' ',
                       row->letter != 0 ? row->letter : ' ', row->letter != 0 ? "," : " ",
                       row->name, row->value != NULL ? " " : "",
                       row->value != NULL ? row->value : "");
        if (strlen(begin) >= COLUMN) {
            (void)printf("%s\n%*s", begin, COLUMN, "");
        } else {
            (void)printf("%-*s", COLUMN, begin);
        }
        put_words(&l, row->brief != NULL && !all ? row->brief : row->help);
        put_words(&l, row->brief != NULL && !all ? "" : given);
        (void)printf("\n");
    }
}

/* Each line, after `before` and, if there is one, the command's name. */
static void print_lines(const char *before, const char *name, const char *lines) {
    for (const char *line = lines; *line != '\0';) {
        const size_t size = strcspn(line, "\n");
        (void)printf("%s%s%s%.*s\n", before, name, *name != '\0' ? " " : "", (int)size, line);
        line += size + (line[size] == '\n');
    }
}

void nd_help_print(const nd_command *command, bool all) {
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    command->open(sets);
    const char *more = strchr(command->usage, '\n');
    const size_t first = more != NULL ? (size_t)(more - command->usage) : strlen(command->usage);
    (void)printf("usage: neardup %s %.*s\n", command->name, (int)first, command->usage);
    print_lines("       neardup ", command->name, more != NULL ? more + 1 : "");
    (void)printf("\n");
    nd_help_beside("", 0, command->about);
    if (sets[0].table != NULL && sets[0].table->name != NULL) {
        (void)printf("\n"); /* which a heading brings */
    }
    for (int s = 0; s < ND_COMMAND_TABLES && sets[s].table != NULL; s++) {
        print_table(sets, s, all, !all && command->groups != NULL);
    }
    if (all && command->more != NULL) {
        (void)printf("\n");
        command->more();
    }
    (void)printf("\nExamples\n");
    print_lines("  ", "", command->examples);
    if (all && command->notes != NULL) {
        (void)printf("\n");
        nd_help_beside("", 0, command->notes);
    }
    (void)printf("\n");
    nd_help_beside("", 0,
                   all                       ? "Exit codes: 0 done, 1 failed, 2 wrong usage."
                   : command->groups != NULL ? command->groups
                                             : "--help all: every option, and notes.");
}

/* ---- man pages */

/* A text of troff: a line does not begin with . or ', and \ and - are written out. */
static void put_troff(const char *text) {
    bool begins = true;
    for (; *text != '\0'; text++) {
        if (strncmp(text, "\n\n", 2) == 0) {
            (void)printf("\n.PP\n");
            text++;
            begins = true;
            continue;
        }
        if (begins && (*text == '.' || *text == '\'')) {
            (void)printf("\\&");
        }
        if (*text == '\\') {
            (void)printf("\\e");
        } else if (*text == '-') {
            (void)printf("\\-");
        } else {
            (void)putchar(*text);
        }
        begins = *text == '\n';
    }
    (void)printf("\n");
}

void nd_help_man(const nd_command *command) {
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    command->open(sets);
    (void)printf(".TH NEARDUP-%s 1 \"\" \"neardup %s\"\n.SH NAME\nneardup\\-%s \\- ", command->name,
                 ND_VERSION, command->name);
    put_troff(command->summary);
    (void)printf(".SH SYNOPSIS\n.nf\n");
    print_lines("neardup ", command->name, command->usage);
    (void)printf(".fi\n.SH DESCRIPTION\n");
    put_troff(command->about);
    (void)printf(".SH OPTIONS\n");
    for (int s = 0; s < ND_COMMAND_TABLES && sets[s].table != NULL; s++) {
        for (const nd_option *row = sets[s].table; row->help != NULL; row++) {
            char given[256];
            if (row->name == NULL) {
                (void)printf(".SS ");
                put_troff(row->help);
                continue;
            }
            if (row->hidden || !nd_command_has_row(sets, s, row)) {
                continue;
            }
            print_default(row, &sets[s], given, sizeof given);
            (void)printf(".TP\n");
            if (row->letter != 0) {
                (void)printf("\\fB\\-%c\\fR, ", row->letter);
            }
            (void)printf("\\fB\\-\\-%s\\fR", row->name);
            if (row->value != NULL) {
                (void)printf(" \\fI%s\\fR", row->value);
            }
            (void)printf("\n");
            put_troff(row->help);
            if (given[0] != '\0') {
                put_troff(given);
            }
        }
    }
    (void)printf(".SH EXAMPLES\n.nf\n");
    print_lines("", "", command->examples);
    (void)printf(".fi\n");
    if (command->notes != NULL) {
        (void)printf(".SH NOTES\n");
        put_troff(command->notes);
    }
    (void)printf(".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage.\n");
}

void nd_help_man_all(const nd_command *const *commands, size_t count) {
    (void)printf(
        ".TH NEARDUP 1 \"\" \"neardup %s\"\n.SH NAME\nneardup \\- partition a web crawl into "
        "sets of near\\-duplicate pages\n.SH SYNOPSIS\n.nf\nneardup COMMAND [options] ...\n"
        ".fi\n.SH COMMANDS\n",
        ND_VERSION);
    for (size_t c = 0; c < count; c++) {
        (void)printf(".TP\n\\fBneardup\\-%s\\fR(1)\n", commands[c]->name);
        put_troff(commands[c]->summary);
    }
}

/* ---- topics */

/* A part of a topic is what stands between two empty lines. It is laid out as it stands if any of
 * its lines begins with a blank or has columns, else anew; a line of capitals alone is a heading.
 */
typedef struct part {
    const char *text; /* not ended by a 0 */
    size_t size;
    bool heading, as_it_stands;
} part;

/* The part at `text`. \return where the next one begins */
static const char *next_part(const char *text, const char *end, part *p) {
    while (text < end && *text == '\n') {
        text++;
    }
    *p = (part){.text = text, .heading = true};
    while (p->text + p->size < end) {
        const char *c = p->text + p->size;
        const bool begins = c == text || c[-1] == '\n';
        if (begins && *c == '\n') {
            break;
        }
        p->heading = p->heading && (*c < 'a' || *c > 'z');
        p->as_it_stands = p->as_it_stands || (*c == ' ' && (begins || c[1] == ' '));
        p->size++;
    }
    return p->text + p->size;
}

/* As a text of its own. \return borrowed, until the next call */
static const char *part_text(const part *p) {
    static char text[4096];
    ND_ASSERT(p->size < sizeof text, p->size);
    (void)snprintf(text, sizeof text, "%.*s", (int)p->size, p->text);
    return text;
}

static void print_topic(const nd_built_in *topic, const char *name, bool man) {
    const char *at = (const char *)topic->bytes;
    const char *end = at + topic->size;
    part p;
    if (man) {
        (void)printf(".TH NEARDUP-%s 7 \"\" \"neardup %s\"\n.SH NAME\nneardup\\-", name,
                     ND_VERSION);
    }
    for (bool first = true; at = next_part(at, end, &p), p.size > 0; first = false) {
        const char *text = part_text(&p);
        if (man && p.heading) {
            (void)printf(".SH ");
        } else if (man && !first) {
            (void)printf("%s", p.as_it_stands ? ".nf\n" : ".PP\n");
        } else if (!first) {
            (void)printf("\n");
        }
        if (man) {
            put_troff(text);
        } else if (p.as_it_stands) {
            (void)printf("%s", text);
        } else {
            nd_help_beside("", 0, text);
        }
        if (man && p.as_it_stands) {
            (void)printf(".fi\n");
        }
        if (man && first) {
            (void)printf(".SH DESCRIPTION\n");
        }
    }
}

/* Former names of options, of all commands, beside those of today. */
static void print_former(const nd_command *const *commands, size_t count) {
    (void)printf("former - options that have other names now; the former ones are still taken\n\n");
    for (size_t c = 0; c < count; c++) {
        nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
        commands[c]->open(sets);
        if (strcmp(commands[c]->name, "dedup") == 0) {
            continue; /* its options are those of partition and filter */
        }
        for (int s = 0; s < ND_COMMAND_TABLES && sets[s].table != NULL; s++) {
            for (const nd_option *row = sets[s].table; row->help != NULL; row++) {
                if (row->hidden || row->old != NULL) {
                    (void)printf("%-12s --%-16s %s%s\n", commands[c]->name,
                                 row->hidden ? row->name : row->old, row->hidden ? "" : "--",
                                 row->hidden ? row->help : row->name);
                }
            }
        }
    }
}

#define TOPIC(name) {#name, &nd_built_in_##name##_txt},
static const struct {
    const char *name;
    const nd_built_in *part;
} topics[] = {ND_HELP_TOPICS(TOPIC)};

enum { TOPIC_COUNT = sizeof topics / sizeof topics[0] };

void nd_help_topic_names(FILE *to, bool summaries) {
    for (size_t t = 0; t < TOPIC_COUNT; t++) {
        const char *text = (const char *)topics[t].part->bytes;
        const char *summary = memchr(text, '-', topics[t].part->size);
        (void)fprintf(to, summaries ? "  %-12s" : "%s", topics[t].name);
        (void)fprintf(to, "%.*s\n", summaries ? (int)strcspn(summary + 2, "\n") : 0, summary + 2);
    }
}

bool nd_help_topic(const char *name, bool man, const nd_command *const *commands, size_t count) {
    for (size_t t = 0; t < TOPIC_COUNT; t++) {
        if (strcmp(name, topics[t].name) == 0) {
            print_topic(topics[t].part, name, man);
            return true;
        }
    }
    if (strcmp(name, "former") == 0) {
        print_former(commands, count);
        return true;
    }
    return false;
}

/* ---- completion */

/* The values that an option has, if it has certain ones. */
static void print_words(const char *command, const nd_option *row) {
    if (row->word == NULL && (row->value == NULL || strchr(row->value, '|') == NULL ||
                              strpbrk(row->value, "[ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL)) {
        return;
    }
    (void)printf("    '%s --%s') words='", command, row->name);
    for (size_t i = 0; row->word != NULL && row->word(i) != NULL; i++) {
        (void)printf("%s%s", i == 0 ? "" : " ", row->word(i));
    }
    for (const char *c = row->value; row->word == NULL && *c != '\0'; c++) {
        (void)putchar(*c == '|' ? ' ' : *c);
    }
    (void)printf("' ;;\n");
}

void nd_help_completion(const nd_command *const *commands, size_t count) {
    (void)printf("# bash completion of neardup %s\n"
                 "_neardup() {\n"
                 "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                 "    local options='' words=''\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                 "        mapfile -t COMPREPLY < <(compgen -W '",
                 ND_VERSION);
    for (size_t i = 0; i < count; i++) {
        (void)printf("%s ", commands[i]->name);
    }
    (void)printf("help --help --version' -- \"$word\")\n        return\n    fi\n"
                 "    case \"${COMP_WORDS[1]} $before\" in\n    'help help') words='");
    for (size_t i = 0; i < count; i++) {
        (void)printf("%s ", commands[i]->name);
    }
    for (size_t t = 0; t < TOPIC_COUNT; t++) {
        (void)printf("%s ", topics[t].name);
    }
    (void)printf("former' ;;\n");
    for (size_t i = 0; i < count; i++) {
        nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
        commands[i]->open(sets);
        for (int s = 0; s < ND_COMMAND_TABLES && sets[s].table != NULL; s++) {
            for (const nd_option *row = sets[s].table; row->help != NULL; row++) {
                if (nd_command_has_row(sets, s, row) && !row->hidden) {
                    print_words(commands[i]->name, row);
                }
            }
        }
    }
    (void)printf("    esac\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < count; i++) {
        nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
        commands[i]->open(sets);
        (void)printf("    %s) options='--help", commands[i]->name);
        for (int s = 0; s < ND_COMMAND_TABLES && sets[s].table != NULL; s++) {
            for (const nd_option *row = sets[s].table; row->help != NULL; row++) {
                if (nd_command_has_row(sets, s, row) && !row->hidden) {
                    (void)printf(" --%s", row->name);
                }
            }
        }
        (void)printf("' ;;\n");
    }
    (void)printf("    esac\n"
                 "    if [ -n \"$words\" ]; then\n"
                 "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                 "    elif [[ $word == -* ]]; then\n"
                 "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
                 "    else\n"
                 "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                 "    fi\n"
                 "}\n"
                 "complete -o filenames -F _neardup neardup\n");
}
