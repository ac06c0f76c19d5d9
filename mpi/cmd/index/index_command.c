/* neardup index info|check : what an index holds, and whether it is whole. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/stage/index_folder.h"
#include "src/base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct { bool json; } asked;

#define AT(field) offsetof(__typeof__(asked), field)

static const nd_option options[] = {
    {"format", "json|text", ND_OPTION_SWITCH, AT(json), .help = "print text, or one JSON object"},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    sets[0] = (nd_command_table){.table = options, .options = &asked};
}

/* ---- info */

typedef struct array_size {
    const char *name;
    uint64_t bytes, files;
} array_size;

/* Of the array whose pieces begin at `*next`, which goes on to the next one's. */
static array_size size_up(const nd_manifest *m, size_t *next) {
    const nd_kept_array *kept = nd_manifest_array_of(m, &m->pieces[*next]);
    array_size array = {.name = kept->name};
    for (; *next < m->piece_count && nd_manifest_array_of(m, &m->pieces[*next]) == kept; ++*next) {
        array.bytes += m->pieces[*next].count * kept->record_size;
        array.files++;
    }
    return array;
}

static void print_size(const array_size *array, uint64_t pages) {
    (void)printf("%s\t%" PRIu64 " bytes\t%.1f a page\t%" PRIu64 " files\n", array->name,
                 array->bytes, pages > 0 ? (double)array->bytes / (double)pages : 0, array->files);
}

static nd_status print_info(const nd_checkpoint *index, const char *path, uint64_t pages) {
    nd_status st = ND_OK;
    const nd_manifest *m = &index->manifest;
    const char *additions = "";
    const char *parameters = "";
    array_size all = {.name = "all", .files = m->piece_count};
    ND_TRY(nd_checkpoint_text(index, "additions", &additions));
    ND_TRY(nd_checkpoint_text(index, "parameters", &parameters));
    json_object *arrays = asked.json ? nd_json_new() : NULL;
    if (!asked.json) {
        (void)printf("pages\t%" PRIu64 "\nadditions_begin\t%s\nparameters\t%s\n", pages, additions,
                     parameters);
    }
    for (size_t next = 0; next < m->piece_count;) {
        const array_size array = size_up(m, &next);
        if (asked.json) {
            ND_JSON_PUT(arrays, {array.name, ND_JSON({"bytes", nd_json_number(array.bytes)},
                                                     {"files", nd_json_number(array.files)})});
        } else {
            print_size(&array, pages);
        }
        all.bytes += array.bytes;
    }
    if (asked.json) {
        json_object *root =
            ND_JSON({"index", nd_json_words(path)}, {"pages", nd_json_number(pages)},
                    {"additions_begin", json_tokener_parse(additions)},
                    {"parameters", json_tokener_parse(parameters)}, {"arrays", arrays},
                    {"bytes", nd_json_number(all.bytes)}, {"files", nd_json_number(all.files)});
        nd_json_print(stdout, &root);
    } else {
        print_size(&all, pages);
    }
out:
    return st;
}

static void print_whole(const char *path, uint64_t pages, uint64_t files) {
    if (asked.json) {
        json_object *root =
            ND_JSON({"index", nd_json_words(path)}, {"pages", nd_json_number(pages)},
                    {"files", nd_json_number(files)});
        nd_json_print(stdout, &root);
    } else {
        (void)printf("%s: %" PRIu64 " pages in %" PRIu64 " files, all whole\n", path, pages, files);
    }
}

/* ---- the command */

static nd_status look(nd_comm *comm, nd_command_call *call) {
    nd_status st = ND_OK;
    nd_words words = {0};
    nd_checkpoint index = {0};
    uint64_t pages = 0;
    ND_TRY(nd_command_line_read(call, 0, &words));
    const char *const what = words.count > 0 ? words.words[0] : "";
    const bool checks = strcmp(what, "check") == 0;
    if (words.count != 2 || (!checks && strcmp(what, "info") != 0)) {
        st = nd_fail(ND_ERR_USAGE, "index: must be index info INDEX, or index check INDEX");
        goto out;
    }
    ND_TRY(nd_index_read(&index, comm, words.words[1], &pages));
    if (checks) {
        ND_TRY(nd_checkpoint_check(&index));
        ND_TRY(nd_index_check_pages(&index));
        if (comm->rank == 0) {
            print_whole(words.words[1], pages, index.manifest.piece_count);
        }
    } else if (comm->rank == 0) {
        ND_TRY(print_info(&index, words.words[1], pages));
    }
out:
    nd_checkpoint_close(&index);
    return st != ND_OK ? st : nd_flush_stdout();
}

static nd_status index_command(nd_command_call *call) {
    nd_comm comm;
    nd_command_start(call, &comm);
    return nd_command_finish(&nd_command_index, call, &comm, look(&comm, call));
}

const nd_command nd_command_index = {
    .name = "index",
    .summary = "look at an index, or check it",
    .usage = "info INDEX [--format json]\ncheck INDEX",
    .about = "An index is a folder with what a later partition --index needs. info prints its "
             "pages, where each addition begins, its options, and the bytes in each array. check "
             "compares every file with its checksum, and the files with each other.",
    .examples = "neardup index info crawl.index\n"
                "neardup index check crawl.index",
    .open = open_options,
    .run = index_command,
};
