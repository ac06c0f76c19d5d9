#include "tests/support/mpi_called.h"

#include "mpi/cmd/command.h"
#include "tests/support/sources.h"

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#define ENTRY(name) &nd_command_##name,
static const nd_command *const commands[] = {ND_COMMANDS(ENTRY)};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

void nd_test_say(nd_test_words *w, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *at = strtok(line, " "); at != NULL; at = strtok(NULL, " ")) {
        const size_t size = strlen(at) + 1;
        nd_test_must(w->count < ND_TEST_MOST_WORDS && w->used + size <= sizeof w->text
                         ? ND_OK
                         : ND_ERR_INTERNAL);
        w->word[w->count++] = memcpy(w->text + w->used, at, size);
        w->used += size;
    }
}

/* What a command prints on stdout and stderr. */
static int printed[2] = {-1, -1};
static int own[2] = {-1, -1}; /* where the driver prints */

void nd_test_call_open(void) {
    for (int i = 0; i < 2; i++) {
        printed[i] = fileno(tmpfile());
        own[i] = dup(i + 1);
    }
}

int nd_test_call(nd_test_words *w, const char *input) {
    int code = -1;
    const int zero = open(input != NULL ? input : "/dev/null", O_RDONLY | O_CLOEXEC);
    (void)fflush(NULL);
    for (int i = 0; i < 2; i++) {
        (void)(ftruncate(printed[i], 0) + (int)lseek(printed[i], 0, SEEK_SET));
        (void)dup2(printed[i], i + 1);
    }
    (void)dup2(zero, 0);
    (void)close(zero);
    clearerr(stdin);
    rewind(stdin);
    w->word[w->count] = NULL;
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, w->word[0]) == 0) {
            code = nd_command_run(commands[i], w->count, w->word);
        }
    }
    (void)fflush(NULL);
    clearerr(stdout);
    (void)dup2(own[0], 1);
    (void)dup2(own[1], 2);
    return code;
}

nd_buffer nd_test_printed(int stream) {
    const int file = printed[stream - 1];
    nd_buffer text = {0};
    const off_t size = lseek(file, 0, SEEK_END);
    nd_buffer_reserve(&text, (size_t)size + 1);
    const ssize_t got = pread(file, text.data, (size_t)size, 0);
    text.size = got > 0 ? (size_t)got : 0;
    text.data[text.size] = '\0';
    return text;
}
