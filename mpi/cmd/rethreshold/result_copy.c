#include "mpi/cmd/rethreshold/result_copy.h"

#include "io/result/result_pairs.h"
#include "io/result/result_seal.h"
#include "io/result/result_written.h"
#include "io/store/own_file.h"
#include "src/base/contract.h"
#include "src/base/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 17;

/* ---- what stays */

/* Columns that are made again. */
static bool is_changed(const char *name) {
    static const char *const names[] = {"/pages/set",  "/pages/similarity",
                                        "/pages/link", "/pages/link_similarity",
                                        "/pages/form", "/pages/certainty"};
    bool changed = strncmp(name, "/sets/", 6) == 0 || strncmp(name, "/pairs/", 7) == 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        changed = changed || strcmp(name, names[i]) == 0;
    }
    return changed;
}

static nd_status copy_column(const nd_result *from, nd_result *to, const char *name,
                             nd_column_type type) {
    nd_status st = ND_OK;
    uint64_t rows = 0;
    uint8_t *values = NULL;
    ND_TRY(nd_result_rows(from, name, type, &rows));
    ND_TRY(nd_new_room(&values, nd_min(rows, ROWS_AT_ONCE), nd_column_size(type)));
    uint64_t begin = 0;
    do { /* once for a column without rows, too */
        const nd_slab slab = {rows, begin, nd_min(rows - begin, ROWS_AT_ONCE), begin > 0};
        ND_TRY(nd_result_read(from, name, type, begin, slab.count, values));
        ND_TRY(nd_result_write(to, name, type, &slab, values));
        begin += slab.count;
    } while (begin < rows);
out:
    free(values);
    return st;
}

static nd_status copy_columns(const nd_result *from, nd_result *to) {
    nd_status st = ND_OK;
    size_t count = 0;
    const nd_schema_column *schema = nd_result_schema(&count);
    for (size_t i = 0; i < count; i++) {
        const char *group_end = strrchr(schema[i].name, '/');
        char group[32];
        (void)snprintf(group, sizeof group, "%.*s", (int)(group_end - schema[i].name),
                       schema[i].name);
        if (is_changed(schema[i].name) || !nd_result_has(from, group) ||
            !nd_result_has(from, schema[i].name)) {
            continue;
        }
        ND_TRY(copy_column(from, to, schema[i].name, schema[i].type));
        if (schema[i].bytes != NULL) {
            ND_TRY(copy_column(from, to, schema[i].bytes, ND_COLUMN_U8));
        }
    }
out:
    return st;
}

static nd_status copy_attributes(const nd_result *from, const nd_result_change *change,
                                 uint64_t sets, nd_result *to) {
    static const char *const numbers[] = {"pages", "repeated_ids", "shared_ids", "ranks"};
    static const char *const texts[] = {"method", "totals"};
    nd_status st = ND_OK;
    char created[32] = "";
    char *text = NULL;
    uint64_t hash_seed = 0;
    const time_t now = time(NULL);
    struct tm utc;
    (void)strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    ND_TRY(nd_result_set_text(to, "program_version", ND_VERSION));
    ND_TRY(nd_result_set_text(to, "parameters", change->parameters));
    ND_TRY(nd_result_set_text(to, "command_line", change->command_line));
    ND_TRY(nd_result_set_text(to, "created", created));
    ND_TRY(nd_result_set_number(to, "sets", sets));
    ND_TRY(nd_result_hash_seed(from, &hash_seed));
    ND_TRY(nd_result_set_number(to, "hash_seed", hash_seed));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ND_TRY(nd_result_get_text(from, texts[i], &text));
        ND_TRY(nd_result_set_text(to, texts[i], text));
        free(text);
        text = NULL;
    }
    ND_TRY(nd_result_find_text(from, "jsonl", &text));
    ND_TRY(text != NULL ? nd_result_set_text(to, "jsonl", text) : ND_OK);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint64_t number = 0;
        ND_TRY(nd_result_get_number(from, numbers[i], &number));
        ND_TRY(nd_result_set_number(to, numbers[i], number));
    }
out:
    free(text);
    return st;
}

/* ---- what is new */

/* A whole column. */
static nd_status put(nd_result *to, const char *name, nd_column_type type, uint64_t rows,
                     const void *values) {
    const nd_slab slab = {rows, 0, rows, false};
    return nd_result_write(to, name, type, &slab, values);
}

/* Sets are numbered by their smallest page; the representative is the first member. */
static nd_status put_pages(const nd_result_change *change, uint64_t pages, nd_result *to,
                           uint64_t *set_count) {
    nd_status st = ND_OK;
    uint64_t *sets = NULL, *links = NULL, *offsets = NULL, *members = NULL;
    float *similarities = NULL, *link_similarities = NULL;
    uint8_t *forms = NULL;
    const nd_job *job = change->job;
    const nd_set_member *of = job->members;
    *set_count = 0;
    ND_TRY(nd_new_room(&sets, pages, sizeof *sets));
    ND_TRY(nd_new_room(&links, pages, sizeof *links));
    ND_TRY(nd_new(&offsets, pages + 2, sizeof *offsets));
    ND_TRY(nd_new_room(&members, pages, sizeof *members));
    ND_TRY(nd_new_room(&similarities, pages, sizeof *similarities));
    ND_TRY(nd_new_room(&link_similarities, pages, sizeof *link_similarities));
    ND_TRY(nd_new_room(&forms, pages, sizeof *forms));
    for (uint64_t page = 0; page < pages; page++) {
        ND_ASSERT(of[page].set <= page && of[page].representative < pages && of[page].link < pages,
                  page, of[page].set, of[page].representative);
        sets[page] = of[page].set == page ? (*set_count)++ : sets[of[page].set];
        links[page] = of[page].link;
        similarities[page] = of[page].similarity;
        link_similarities[page] = of[page].link_similarity;
        forms[page] = job->form[job->content_of[page]];
        offsets[sets[page] + 2]++; /* one set further on: see below */
    }
    for (uint64_t set = 2; set <= *set_count; set++) {
        offsets[set] += offsets[set - 1];
    }
    for (uint64_t page = 0; page < pages; page++) { /* offsets[s + 1] goes on to where s ends */
        if (of[page].representative == page) {
            members[offsets[sets[page] + 1]++] = page;
        }
    }
    for (uint64_t page = 0; page < pages; page++) {
        if (of[page].representative != page) {
            members[offsets[sets[page] + 1]++] = page;
        }
    }
    ND_ASSERT(offsets[*set_count] == pages, *set_count, offsets[*set_count], pages);
    ND_TRY(put(to, "/pages/set", ND_COLUMN_U64, pages, sets));
    ND_TRY(put(to, "/pages/similarity", ND_COLUMN_F32, pages, similarities));
    ND_TRY(put(to, "/pages/link", ND_COLUMN_U64, pages, links));
    ND_TRY(put(to, "/pages/link_similarity", ND_COLUMN_F32, pages, link_similarities));
    ND_TRY(put(to, "/pages/certainty", ND_COLUMN_F32, pages, change->certainty));
    ND_TRY(put(to, "/pages/form", ND_COLUMN_U8, pages, forms));
    ND_TRY(put(to, "/sets/offset", ND_COLUMN_U64, *set_count + 1, offsets));
    ND_TRY(put(to, "/sets/member", ND_COLUMN_U64, pages, members));
out:
    free(sets);
    free(links);
    free(offsets);
    free(members);
    free(similarities);
    free(link_similarities);
    free(forms);
    return st;
}

static nd_status put_pairs(const nd_result_change *change, nd_result *to) {
    nd_status st = ND_OK;
    uint64_t *a = NULL, *b = NULL;
    float *similarities = NULL;
    const uint64_t count = change->pair_count;
    ND_TRY(nd_new_room(&a, count, sizeof *a));
    ND_TRY(nd_new_room(&b, count, sizeof *b));
    ND_TRY(nd_new_room(&similarities, count, sizeof *similarities));
    for (uint64_t i = 0; i < count; i++) {
        a[i] = change->pairs[i].a;
        b[i] = change->pairs[i].b;
        similarities[i] = (float)change->pairs[i].similarity;
    }
    ND_TRY(nd_result_group(to, nd_verified_columns.group));
    ND_TRY(put(to, nd_verified_columns.a, ND_COLUMN_U64, count, a));
    ND_TRY(put(to, nd_verified_columns.b, ND_COLUMN_U64, count, b));
    ND_TRY(put(to, nd_verified_columns.similarity, ND_COLUMN_F32, count, similarities));
out:
    free(a);
    free(b);
    free(similarities);
    return st;
}

/* ---- the file */

nd_status nd_result_copy(const nd_result *from, const nd_result_change *change, const char *path,
                         uint64_t *set_count) {
    nd_status st = ND_OK;
    nd_result to = {.file = H5I_INVALID_HID};
    char *partial = NULL;
    int descriptor = -1;
    ND_TRY(nd_own_file_join(path, ND_PARTIAL_SUFFIX, &partial));
    ND_TRY(nd_own_file_remake(partial, &descriptor)); /* the library would follow a link */
    (void)close(descriptor);
    ND_TRY(nd_result_create(&to, partial, H5P_DEFAULT, H5P_DEFAULT));
    to.notes.on = true;
    for (size_t i = 0; nd_result_groups[i] != NULL; i++) {
        ND_TRY(nd_result_has(from, nd_result_groups[i]) ? nd_result_group(&to, nd_result_groups[i])
                                                        : ND_OK);
    }
    ND_TRY(put_pages(change, from->shape.pages, &to, set_count));
    ND_TRY(put_pairs(change, &to));
    ND_TRY(copy_columns(from, &to));
    ND_TRY(copy_attributes(from, change, *set_count, &to));
    ND_TRY(nd_result_close(&to));
    ND_TRY(nd_seal_file(partial));
    ND_TRY(nd_result_written_check(&to));
    ND_TRY(nd_own_file_publish(partial, path));
out:
    (void)nd_result_close(&to);
    nd_result_notes_free(&to.notes);
    if (st != ND_OK && descriptor >= 0) {
        (void)unlink(partial);
    }
    free(partial);
    return st;
}
