#include "mpi/cmd/html/page_command.h"

#include "mpi/cmd/command_line.h"
#include "mpi/cmd/html/html_page.h"

int nd_page_command_run(const nd_command *command, int argc, char **argv,
                        const nd_command_table sets[ND_COMMAND_TABLES], nd_page_request *request,
                        nd_page_make make) {
    nd_status st = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    const char *path = NULL;
    ND_TRY(nd_command_line_result(sets, argc, argv, &path));
    if (request->output == NULL) {
        st = nd_fail(ND_ERR_USAGE, "no -o FILE: where should the page go?");
        goto out;
    }
    ND_TRY(nd_html_page_check(request->output, request->force));
    ND_TRY(nd_result_open(&result, path));
    ND_TRY(nd_shown_run_read(&request->run, &result));
    ND_TRY(make(request));
out:
    nd_shown_run_close(&request->run);
    (void)nd_result_close(&result);
    return st == ND_OK ? ND_EXIT_DONE : nd_command_failed(command, st);
}
