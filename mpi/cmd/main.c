#include "mpi/cmd/command.h"

#include "mpi/cmd/help.h"
#include "mpi/comm/comm.h"

#include "io/store/own_file.h"
#include "src/base/fault.h"
#include "src/base/printable.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY(name) &nd_command_##name,
static const nd_command *const commands[] = {ND_COMMANDS(ENTRY)};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(FILE *to) {
    (void)fprintf(to,
                  "neardup %s: partition a web crawl into sets of near-duplicate pages\n\n"
                  "usage: neardup COMMAND [options] ...\n\ncommands:\n",
                  ND_VERSION);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        (void)fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    (void)fprintf(to, "\ntopics:\n");
    nd_help_topic_names(to, true);
    (void)fprintf(to,
                  "\nneardup help COMMAND shows a command's main options, neardup COMMAND --help "
                  "all every\none, neardup help TOPIC a topic, neardup --version the version.\n");
}

/* This process's number among those that were launched; 0 alone. */
static int launched_number(void) {
    const int number = nd_comm_launched_as();
    return number < 0 ? 0 : number;
}

/* A process that nobody launched has no other to talk to, and Open MPI need look for no network:
 * Debian's would load the libraries of each that it knows, two of which measure the clock for .1
 * seconds, where MPI_Init otherwise takes little more. Nor need it start a launcher beside, for
 * processes that might be started later, with a folder of files for them (which those without a
 * launcher would share, so they must have none); or ask graphics cards where they are. What the
 * environment says already stays, but for the ways to others: Open MPI 5 leaves a file of 16 MB in
 * /dev/shm where a process alone has shared memory for others. */
static void start_alone(void) {
    static const char *const settings[][2] = {{"OMPI_MCA_pml", "ob1"},
                                              {"OMPI_MCA_ess_singleton_isolated", "1"},
                                              {"OMPI_MCA_orte_create_session_dirs", "0"},
                                              {"HWLOC_PLUGINS_PATH", "/nonexistent"}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        /* without one of these the start takes longer, that is all */
        (void)setenv(settings[i][0], settings[i][1], 0);
    }
    (void)setenv("OMPI_MCA_btl", "self", 1);
}

/* \return NULL if there is none of that name */
static const nd_command *find_command(const char *name) {
    int i = 0;
    while (i < COMMAND_COUNT && strcmp(name, commands[i]->name) != 0) {
        i++;
    }
    return i < COMMAND_COUNT ? commands[i] : NULL;
}

/* neardup help [COMMAND | TOPIC]. \return the exit code */
static int help(const char *name, const char *form) {
    const bool man = strcmp(form, "man") == 0;
    const nd_command *command = find_command(name);
    if (command != NULL) {
        nd_help_print(command, strcmp(form, "all") == 0);
    } else if (strcmp(name, "") == 0 || strcmp(name, "all") == 0) {
        print_help(stdout);
    } else if (strcmp(name, "topics") == 0) {
        nd_help_topic_names(stdout, false);
    } else if (!nd_help_topic(name, man, commands, COMMAND_COUNT)) {
        nd_print_line(stderr, "neardup help: no command or topic '%s' (see neardup help)", name);
        return ND_EXIT_USAGE;
    }
    return ND_EXIT_DONE;
}

/* --help is answered wherever it stands, before anything else is read. */
static bool answer_help(const nd_command *command, int argc, char **argv) {
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0 && strcmp(argv[i], "--help") != 0 &&
           strcmp(argv[i], "-h") != 0) {
        i++;
    }
    if (i == argc || strcmp(argv[i], "--") == 0) {
        return false;
    }
    const char *form = i + 1 < argc ? argv[i + 1] : "";
    if (launched_number() != 0) { /* of several ranks one prints it */
        return true;
    }
    if (strcmp(form, "man") == 0) {
        nd_help_man(command);
    } else {
        nd_help_print(command, strcmp(form, "all") == 0);
    }
    return true;
}

/* Words that other programs have taught people. */
static void translate(char **word) {
    static const char *const words[][2] = {{"version", "--version"},
                                           {"-V", "--version"},
                                           {"dedupe", "dedup"},
                                           {"deduplicate", "dedup"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(*word, words[i][0]) == 0) {
            *word = (char *)(uintptr_t)words[i][1]; /* argv is ours; its words are only read */
        }
    }
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return ND_EXIT_USAGE;
    }
    translate(argv + 1);
    if (strcmp(argv[1], "help") == 0) {
        translate(argc > 2 ? argv + 2 : argv + 1);
        return help(argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "");
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)printf("neardup %s\n", ND_VERSION);
        return ND_EXIT_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        if (argc > 2 && strcmp(argv[2], "completion") == 0) {
            nd_help_completion(commands, COMMAND_COUNT);
        } else if (argc > 2 && strcmp(argv[2], "man") == 0) {
            nd_help_man_all(commands, COMMAND_COUNT);
        } else if (argc > 2 && strcmp(argv[2], "names") == 0) {
            for (int i = 0; i < COMMAND_COUNT; i++) {
                (void)puts(commands[i]->name);
            }
        } else {
            print_help(stdout);
        }
        return ND_EXIT_DONE;
    }
    const nd_command *command = find_command(argv[1]);
    if (command != NULL) {
        return answer_help(command, argc - 1, argv + 1)
                   ? ND_EXIT_DONE
                   : nd_command_run(command, argc - 1, argv + 1);
    }
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i]->name;
    }
    const char *near = nd_near_word(argv[1], names, COMMAND_COUNT);
    nd_print_line(stderr, "neardup: no command '%s'%s%s%s (see neardup --help)", argv[1],
                  near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                  near != NULL ? "'?" : "");
    return ND_EXIT_USAGE;
}

int main(int argc, char **argv) {
#ifdef __GLIBC__
    /* Keep memory that is freed: the next stage wants as much again, and pages that come anew from
     * the system cost it more than the work that is done on them. What grows large over a whole run
     * has mappings of its own (io/store/spool.h). */
    (void)mallopt(M_MMAP_MAX, 0);
    (void)mallopt(M_TRIM_THRESHOLD, -1);
#endif
    /* for tests: as partition --fault, for any command */
    const char *fault = getenv("NEARDUP_FAULT");
    nd_fault_set_rank(launched_number());
    if (fault != NULL && nd_fault_arm(fault) != ND_OK) {
        (void)fprintf(stderr, "neardup: NEARDUP_FAULT: %s\n", nd_fail_text());
        return ND_EXIT_USAGE;
    }
    if (nd_comm_launched_as() < 0) {
        start_alone();
    }
    /* each rank has connections to others, and each checkpoint has files */
    nd_own_file_allow_many();
    const int code = run(argc, argv);
    if (fault != NULL) {
        nd_command_print_passings(launched_number());
    }
    /* what was printed is the result of some commands: it must be out before success is said */
    if (code == ND_EXIT_DONE && nd_flush_stdout() != ND_OK) {
        (void)fprintf(stderr, "neardup: %s\n", nd_fail_text());
        return ND_EXIT_FAILED;
    }
    return code;
}
