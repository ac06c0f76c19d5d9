#include "mpi/cmd/command.h"

#include "src/base/printable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int nd_command_failed(const nd_command *command, nd_status status) {
    if (status == ND_ERR_USAGE) {
        nd_print_line(stderr, "neardup %s: %s (see neardup %s --help)", command->name,
                      nd_fail_text(), command->name);
        return ND_EXIT_USAGE;
    }
    nd_print_line(stderr, "neardup %s: %s", command->name, nd_fail_text());
    return ND_EXIT_FAILED;
}

nd_status nd_flush_stdout(void) {
    const bool flushed = fflush(stdout) == 0;
    return flushed && ferror(stdout) == 0
               ? ND_OK
               : nd_fail(ND_ERR_IO, "cannot write to stdout: %s",
                         strerror(flushed ? EIO : errno)); /* the reason was then, not now */
}
