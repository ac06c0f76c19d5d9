#include "mpi/cmd/help.h"

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
static void print_table(const nd_command_table *set, bool all) {
    const nd_option *heading = NULL;
    for (const nd_option *row = set->table; row->help != NULL; row++) {
        char begin[WIDTH];
        char given[256];
        layout l = {.margin = COLUMN, .column = COLUMN};
        if (row->name == NULL) {
            heading = row;
        }
        if (row->name == NULL || row->hidden || (row->rare && !all)) {
            continue;
        }
        if (heading != NULL) {
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
        put_words(&l, row->help);
        put_words(&l, given);
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
        print_table(&sets[s], all);
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
                   all ? "Exit codes: 0 done, 1 failed, 2 wrong usage."
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
            if (row->hidden) {
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

/* ---- completion */

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
    (void)printf("--help --version' -- \"$word\")\n        return\n    fi\n"
                 "    case \"${COMP_WORDS[1]} $before\" in\n");
    for (size_t i = 0; i < count; i++) {
        nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
        commands[i]->open(sets);
        for (int s = 0; s < ND_COMMAND_TABLES && sets[s].table != NULL; s++) {
            for (const nd_option *row = sets[s].table; row->help != NULL; row++) {
                if (row->hidden || (row->kind != ND_OPTION_SWITCH && row->kind != ND_OPTION_WORD)) {
                    continue;
                }
                (void)printf("    '%s --%s') words='", commands[i]->name, row->name);
                for (const char *c = row->value; *c != '\0'; c++) {
                    (void)putchar(*c == '|' ? ' ' : *c);
                }
                (void)printf("' ;;\n");
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
                if (row->name != NULL && !row->hidden) {
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
