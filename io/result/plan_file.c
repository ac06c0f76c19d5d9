#include "io/result/plan_file.h"

#include "io/input/sniff.h"
#include "io/result/result_schema.h"
#include "io/result/result_trust.h"
#include "io/store/foreign_file.h"
#include "io/store/json_add.h"
#include "io/store/own_file.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char format_name[] = "neardup-coefficients";
enum { FORMAT_VERSION = 1 };
/* Coefficients are some kilobytes. */
static const uint64_t MOST_JSON_BYTES = UINT64_C(1) << 24;

/* A finite number of a JSON object. */
static bool number_of(json_object *from, const char *name, double *number) {
    json_object *value = NULL;
    if (!json_object_is_type(from, json_type_object) ||
        !json_object_object_get_ex(from, name, &value) ||
        !(json_object_is_type(value, json_type_double) ||
          json_object_is_type(value, json_type_int))) {
        return false;
    }
    *number = json_object_get_double(value);
    return isfinite(*number);
}

/* ---- results */

/* Numbers of the attribute `totals`, and where they belong. */
static nd_status read_totals(const nd_result *result, const char *path, nd_plan_run *run) {
    const struct {
        const char *name;
        double *value;
    } numbers[] = {{"input_bytes", &run->input_bytes},
                   {"page_bytes", &run->page_bytes},
                   {"text_bytes", &run->text_bytes},
                   {"content_bytes", &run->content_bytes},
                   {"name_bytes", &run->name_bytes},
                   {"tokens", &run->tokens},
                   {"content_tokens", &run->content_tokens},
                   {"signed_pages", &run->signed_pages},
                   {"postings", &run->postings},
                   {"candidates", &run->candidates},
                   {"pair_finds", &run->pair_finds},
                   {"pairs", &run->pairs},
                   {"links", &run->links},
                   {"batch_bytes", &run->batch_bytes}};
    nd_status st = ND_OK;
    char *text = NULL;
    char *command = NULL;
    json_object *totals = NULL;
    double pairs = 0;
    ND_TRY(nd_result_get_text(result, "command_line", &command));
    ND_TRY(nd_result_get_text(result, "totals", &text));
    totals = json_tokener_parse(text);
    if (totals == NULL) {
        st = nd_fail(ND_ERR_FORMAT, "%s: its totals are no JSON", path);
        goto out;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!number_of(totals, numbers[i].name, numbers[i].value) || *numbers[i].value < 0) {
            st = nd_fail(ND_ERR_FORMAT, "%s: its totals lack %s: made by another neardup", path,
                         numbers[i].name);
            goto out;
        }
    }
    if (number_of(totals, "contained_candidates", &pairs) &&
        strstr(command, "--contained-query") == NULL) { /* all pages have asked */
        run->contained_pairs = fmax(0, pairs);
    }
out:
    free(text);
    free(command);
    (void)json_object_put(totals);
    return st;
}

/* Bytes that a column takes in the file. */
static nd_status add_stored(const nd_result *result, const char *name, nd_column_type type,
                            double *bytes) {
    uint64_t stored = 0;
    const nd_status st = nd_result_stored(result, name, type, &stored);
    *bytes += (double)stored;
    return st;
}

/* All of pages, sets and sites. */
static nd_status read_columns(const nd_result *result, nd_plan_run *run) {
    nd_status st = ND_OK;
    size_t count = 0;
    const nd_schema_column *columns = nd_result_schema(&count);
    for (size_t i = 0; i < count; i++) {
        const nd_schema_column *c = &columns[i];
        if ((strncmp(c->name, "/pages/", 7) == 0 || strncmp(c->name, "/sets/", 6) == 0 ||
             strncmp(c->name, "/sites/", 7) == 0) &&
            !nd_result_lacks(result, c)) {
            ND_TRY(add_stored(result, c->name, c->type, &run->columns));
        }
        if (c->bytes != NULL && strncmp(c->name, "/pages/", 7) == 0) {
            ND_TRY(add_stored(result, c->bytes, ND_COLUMN_U8, &run->name_columns));
        }
    }
out:
    return st;
}

enum { MOST_STAGES = 64, MOST_NAMES = 4096 };

static nd_status read_stages(const nd_result *result, nd_plan_run *run) {
    nd_status st = ND_OK;
    uint64_t rows = 0;
    uint64_t bytes = 0;
    uint64_t offsets[MOST_STAGES + 1];
    char names[MOST_NAMES];
    double seconds[MOST_STAGES];
    uint64_t sent[MOST_STAGES];
    uint64_t written[MOST_STAGES];
    uint64_t read[MOST_STAGES];
    rows = result->shape.stages;
    ND_TRY(nd_result_rows(result, "/stages/name_bytes", ND_COLUMN_U8, &bytes));
    if (rows > MOST_STAGES || bytes > MOST_NAMES) {
        st = nd_fail(ND_ERR_FORMAT, "%s: too many stages", result->path);
        goto out;
    }
    ND_TRY(nd_result_read_offsets(result, "/stages/name_offset", 0, rows, false, bytes, offsets));
    ND_TRY(nd_result_read(result, "/stages/name_bytes", ND_COLUMN_U8, 0, bytes, names));
    ND_TRY(nd_result_read(result, "/stages/seconds_mean", ND_COLUMN_F64, 0, rows, seconds));
    ND_TRY(nd_result_read(result, "/stages/bytes_exchanged", ND_COLUMN_U64, 0, rows, sent));
    ND_TRY(nd_result_read(result, "/stages/bytes_written", ND_COLUMN_U64, 0, rows, written));
    ND_TRY(nd_result_read(result, "/stages/bytes_read", ND_COLUMN_U64, 0, rows, read));
    for (uint64_t i = 0; i < rows; i++) {
        run->file_bytes += (double)written[i] + (double)read[i];
        if (!isfinite(seconds[i]) || seconds[i] < 0) {
            st = nd_fail(ND_ERR_FORMAT, "%s: /stages/seconds_mean: no time of a stage",
                         result->path);
            goto out;
        }
        const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        int stage = 0;
        while (stage < ND_PLAN_STAGES &&
               (strlen(nd_plan_stage_names[stage]) != size ||
                memcmp(nd_plan_stage_names[stage], names + offsets[i], size) != 0)) {
            stage++;
        }
        if (stage < ND_PLAN_STAGES) { /* others are not planned */
            run->seconds[stage] = seconds[i];
            run->sent[stage] = (double)sent[i];
        }
    }
out:
    return st;
}

nd_status nd_plan_run_read(const char *path, nd_plan_run *run) {
    nd_status st = ND_OK;
    nd_status closed = ND_OK;
    nd_result result = {.file = H5I_INVALID_HID};
    uint64_t ranks = 0;
    *run = (nd_plan_run){0};
    ND_TRY(nd_result_open(&result, path));
    ND_TRY(nd_result_get_number(&result, "ranks", &ranks));
    ND_TRY(read_totals(&result, path, run));
    run->pages = (double)result.shape.pages;
    run->ranks = (double)ranks;
    if (run->pages < 1 || run->pairs < 1 || run->links < 1) {
        st =
            nd_fail(ND_ERR_FORMAT, "%s: a run of %.0f pages and %.0f similar pairs says too little",
                    path, run->pages, run->links);
        goto out;
    }
    ND_TRY(read_stages(&result, run));
    ND_TRY(read_columns(&result, run));
out:
    closed = nd_result_close(&result);
    return st != ND_OK ? st : closed;
}

/* ---- rates as JSON */

static bool add_number(json_object *to, const char *name, double number) {
    char text[32];
    (void)snprintf(text, sizeof text, "%.6g", number);
    return nd_json_add(to, name, json_object_new_double_s(number, text));
}

static bool add_text(json_object *to, const char *name, const char *text) {
    return nd_json_add(to, name, json_object_new_string(text));
}

static bool add_runs(json_object *to, const char *const *paths, const nd_plan_run *runs,
                     size_t count) {
    json_object *list = json_object_new_array();
    bool added = list != NULL;
    for (size_t i = 0; added && i < count; i++) {
        char text[512];
        const char *name = strrchr(paths[i], '/');
        (void)snprintf(text, sizeof text, "%s: %.0f pages on %.0f ranks",
                       name == NULL ? paths[i] : name + 1, runs[i].pages, runs[i].ranks);
        json_object *run = json_object_new_string(text);
        added = run != NULL && json_object_array_add(list, run) == 0;
        if (!added) {
            (void)json_object_put(run);
        }
    }
    return nd_json_add(to, "runs", list) && added;
}

static bool add_rates(json_object *to, const nd_plan_rates *rates) {
    json_object *list = json_object_new_object();
    bool added = nd_json_add(to, "coefficients", list);
    for (int i = 0; added && i < ND_RATES; i++) {
        const nd_rate_row *row = nd_rate_get((nd_rate)i);
        json_object *rate = json_object_new_object();
        added = nd_json_add(list, row->name, rate) && add_number(rate, "value", rates->value[i]) &&
                add_number(rate, "per_doubling", rates->per_doubling[i]) &&
                add_text(rate, "growth", row->logarithmic ? "logarithmic" : "linear") &&
                add_text(rate, "unit", row->unit);
    }
    return added;
}

nd_status nd_plan_rates_write(const char *path, const nd_plan_rates *rates,
                              const char *const *paths, const nd_plan_run *runs, size_t count) {
    nd_status st = ND_OK;
    const char *text = NULL;
    size_t size = 0;
    json_object *root = json_object_new_object();
    if (add_text(root, "format", format_name) &&
        add_number(root, "format_version", FORMAT_VERSION) &&
        add_number(root, "pages", ND_RATE_PAGES) && add_runs(root, paths, runs, count) &&
        add_rates(root, rates)) {
        text = json_object_to_json_string_length(
            root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED, &size);
    }
    st = text == NULL ? nd_fail(ND_ERR_MEMORY, "out of memory: rates as JSON")
                      : nd_own_file_save(path, text, size);
    (void)json_object_put(root);
    return st;
}

/* The JSON of a file that anybody may have written. */
static nd_status read_json(const char *path, json_object **root) {
    nd_status st = ND_OK;
    int descriptor = -1;
    struct stat info;
    uint8_t mark[3]; /* of byte order, which json-c does not know */
    ND_TRY(nd_foreign_file_open(path, &descriptor, &info));
    if (pread(descriptor, mark, sizeof mark, 0) == sizeof mark &&
        nd_sniff_after_mark((nd_span){mark, sizeof mark}).size == 0) {
        (void)lseek(descriptor, sizeof mark, SEEK_SET);
    }
    const bool large = (uint64_t)info.st_size > MOST_JSON_BYTES;
    *root = large ? NULL : json_object_from_fd(descriptor);
    if (*root == NULL) {
        const char *reason = large ? "too large" : json_util_get_last_err();
        reason = reason == NULL ? "not JSON" : reason;
        st = nd_fail(ND_ERR_FORMAT, "%s: cannot be read as JSON: %.*s", path,
                     (int)strcspn(reason, "\n"), reason);
    }
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return st;
}

nd_status nd_plan_rates_read(const char *path, nd_plan_rates *rates) {
    nd_status st = ND_OK;
    json_object *format = NULL;
    json_object *list = NULL;
    json_object *root = NULL;
    double version = FORMAT_VERSION; /* written by hand, it may be left out */
    ND_TRY(read_json(path, &root));
    if (!json_object_is_type(root, json_type_object) ||
        !json_object_object_get_ex(root, "format", &format) ||
        !json_object_is_type(format, json_type_string) ||
        strcmp(json_object_get_string(format), format_name) != 0 ||
        !json_object_object_get_ex(root, "coefficients", &list) ||
        !json_object_is_type(list, json_type_object)) {
        st = nd_fail(ND_ERR_FORMAT, "%s: no coefficients of neardup plan --calibrate", path);
        goto out;
    }
    if (json_object_object_get_ex(root, "format_version", NULL) &&
        (!number_of(root, "format_version", &version) || version != (double)FORMAT_VERSION)) {
        st = nd_fail(ND_ERR_FORMAT, "%s: of format version %g; this neardup %s reads version %d",
                     path, version, ND_VERSION, FORMAT_VERSION);
        goto out;
    }
    for (int i = 0; i < ND_RATES; i++) {
        const char *name = nd_rate_get((nd_rate)i)->name;
        json_object *rate = NULL;
        if (json_object_object_get_ex(list, name, &rate) &&
            (!number_of(rate, "value", &rates->value[i]) ||
             !number_of(rate, "per_doubling", &rates->per_doubling[i]))) {
            st = nd_fail(ND_ERR_FORMAT, "%s: the coefficient %s lacks a value or per_doubling",
                         path, name);
            goto out;
        }
    }
out:
    (void)json_object_put(root);
    return st;
}
