#include "mpi/job/run_parameters.h"

#include "src/base/parse.h"
#include "src/method/method_option.h"
#include "src/method/methods.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

static const char *const transitivities[] = {
    [ND_TRANSITIVITY_VERIFIED] = "verified",
    [ND_TRANSITIVITY_BOUNDED] = "bounded",
    [ND_TRANSITIVITY_FULL] = "full",
};
enum { TRANSITIVITIES = sizeof transitivities / sizeof transitivities[0] };

/* An option's name as a parameter: "short_tokens". */
static void name_parameter(const nd_method_option *option, char name[ND_OPTION_TEXT_SIZE]) {
    (void)snprintf(name, ND_OPTION_TEXT_SIZE, "%s", option->name);
    for (; *name != '\0'; name++) {
        *name = *name == '-' ? '_' : *name;
    }
}

/* The options of the method that it uses. \return bytes written */
static size_t print_method_options(const nd_job_options *o, char *text, size_t size) {
    size_t used = 0;
    const nd_method_option *option = NULL;
    for (size_t row = 0; (option = nd_method_option_row(row)) != NULL && used < size; row++) {
        char name[ND_OPTION_TEXT_SIZE];
        char value[ND_OPTION_TEXT_SIZE];
        if (!nd_method_uses(o->method, option)) {
            continue;
        }
        name_parameter(option, name);
        const bool bare = nd_method_option_print(option, &o->method_options, value);
        used += (size_t)snprintf(text + used, size - used, bare ? "\"%s\":%s," : "\"%s\":\"%s\",",
                                 name, value);
    }
    return used < size ? used : size;
}

void nd_print_parameters(const nd_job_options *o, char *text, size_t size) {
    char guard[ND_OPTION_TEXT_SIZE];
    nd_print_real(o->guard, guard, sizeof guard);
    size_t used = (size_t)snprintf(text, size, "{\"method\":\"%s\",", o->method->name);
    used += print_method_options(o, text + used, size - used);
    (void)snprintf(text + used, size - used,
                   "\"group_pairs\":%llu,\"transitivity\":\"%s\",\"guard\":%s,"
                   "\"guard_cap\":%llu,\"set_cap\":%llu,\"pairs\":\"%s\","
                   "\"navigation\":\"%s\","
                   "\"links\":\"%s\",\"templates\":%llu,\"site\":\"%s\",\"small_site\":%llu,"
                   "\"link_tokens\":%llu}",
                   (unsigned long long)o->group_pairs, transitivities[o->transitivity], guard,
                   (unsigned long long)o->guard_cap, (unsigned long long)o->set_cap,
                   o->keep_pairs ? "keep" : "drop", o->content.navigation ? "drop" : "keep",
                   o->content.links ? "drop" : "keep", (unsigned long long)o->content.sample,
                   o->content.by_domain ? "domain" : "host",
                   (unsigned long long)o->content.templates.small_site,
                   (unsigned long long)o->content.link_tokens);
}

/* ---- back */

static const nd_method_option *find_option(const char *parameter) {
    const nd_method_option *option = NULL;
    for (size_t row = 0; (option = nd_method_option_row(row)) != NULL; row++) {
        char name[ND_OPTION_TEXT_SIZE];
        name_parameter(option, name);
        if (strcmp(name, parameter) == 0) {
            break;
        }
    }
    return option;
}

/* A whole number of the job. */
static uint64_t *number_of(nd_job_options *o, const char *name) {
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {{"group_pairs", &o->group_pairs},
                   {"guard_cap", &o->guard_cap},
                   {"set_cap", &o->set_cap},
                   {"templates", &o->content.sample},
                   {"small_site", &o->content.templates.small_site},
                   {"link_tokens", &o->content.link_tokens}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(numbers[i].name, name) == 0) {
            return numbers[i].number;
        }
    }
    return NULL;
}

static bool set_word(nd_job_options *o, const char *name, const char *text) {
    if (strcmp(name, "transitivity") == 0) {
        for (int i = 0; i < TRANSITIVITIES; i++) {
            o->transitivity =
                strcmp(transitivities[i], text) == 0 ? (nd_transitivity)i : o->transitivity;
        }
    } else if (strcmp(name, "pairs") == 0) {
        o->keep_pairs = strcmp(text, "keep") == 0;
    } else if (strcmp(name, "navigation") == 0) {
        o->content.navigation = strcmp(text, "drop") == 0;
    } else if (strcmp(name, "links") == 0) {
        o->content.links = strcmp(text, "drop") == 0;
    } else if (strcmp(name, "site") == 0) {
        o->content.by_domain = strcmp(text, "domain") == 0;
    } else {
        return strcmp(name, "method") == 0; /* read before all others */
    }
    return true;
}

static nd_status set_parameter(const char *path, const char *name, const char *text,
                               nd_job_options *o) {
    const nd_method_option *option = find_option(name);
    uint64_t *number = number_of(o, name);
    if (option != NULL) {
        return nd_method_option_set(option, text, &o->method_options);
    }
    if (number != NULL) {
        return nd_parse_number(name, text, number);
    }
    if (strcmp(name, "guard") == 0) {
        return nd_parse_real(name, text, &o->guard);
    }
    return set_word(o, name, text)
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
