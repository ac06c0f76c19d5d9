#include "mpi/job/run_parameters.h"

#include "mpi/job/job_option.h"
#include "src/method/method.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

/* Add `"link_tokens":50,` to the text. */
static void print_option(const nd_option *option, const void *options, char *text, size_t size) {
    char room[ND_OPTION_TEXT_SIZE];
    char name[ND_OPTION_TEXT_SIZE];
    const char *value = nd_option_print(option, options, room);
    const char *quote = nd_option_is_number(option) ? "" : "\"";
    const size_t used = strlen(text);
    nd_option_parameter(option, name);
    (void)snprintf(text + used, size - used, "\"%s\":%s%s%s,", name, quote, value, quote);
}

void nd_print_parameters(const nd_job_options *o, char *text, size_t size) {
    (void)snprintf(text, size, "{\"method\":\"%s\",", o->method->name);
    for (const nd_option *option = nd_method_option_table; option->help != NULL; option++) {
        if (option->name != NULL && nd_method_uses(o->method, option)) {
            print_option(option, &o->method_options, text, size);
        }
    }
    for (const nd_option *option = nd_job_option_table; option->help != NULL; option++) {
        if (option->kept == ND_KEPT_IN_RESULT) {
            print_option(option, o, text, size);
        }
    }
    text[strlen(text) - 1] = '}'; /* for the last comma */
}

static nd_status set_parameter(const char *path, const char *name, const char *text,
                               nd_job_options *o) {
    const nd_option *option = nd_option_of_parameter(nd_method_option_table, name);
    if (option != NULL) {
        return nd_option_set(option, text, &o->method_options);
    }
    option = nd_option_of_parameter(nd_job_option_table, name);
    if (option != NULL && option->kept == ND_KEPT_IN_RESULT) {
        return nd_option_set(option, text, o);
    }
    return strcmp(name, "method") == 0 /* read before all others */
               ? ND_OK
               : nd_fail(ND_ERR_FORMAT, "%s: parameter %s (%s) is not known", path, name, text);
}

nd_status nd_read_parameters(const char *path, const char *text, nd_job_options *options) {
    nd_status st = ND_OK;
    json_object *parameters = json_tokener_parse(text);
    json_object *method = NULL;
    (void)json_object_object_get_ex(parameters, "method", &method);
    const char *name =
        json_object_is_type(method, json_type_string) ? json_object_get_string(method) : NULL;
    options->method = name != NULL ? nd_method_find(name) : NULL;
    if (options->method == NULL) {
        st = nd_fail(ND_ERR_FORMAT, "%s: its parameters name no method: %s", path, text);
        goto out;
    }
    options->method_options = nd_method_default_options();
    options->content.templates = ND_TEMPLATE_DEFAULTS;
    nd_method_set_defaults(options->method, &options->method_options);
    options->method_options.names = 0; /* what a result does not have it did not ask */
    json_object_object_foreach(parameters, parameter, value) {
        if (value == NULL || json_object_is_type(value, json_type_object) ||
            json_object_is_type(value, json_type_array)) {
            st = nd_fail(ND_ERR_FORMAT, "%s: its parameter %s has no value", path, parameter);
            goto out;
        }
        ND_TRY(set_parameter(path, parameter, json_object_get_string(value), options));
    }
    ND_TRY(nd_method_derive(options->method, &options->method_options));
out:
    (void)json_object_put(parameters);
    return st;
}
