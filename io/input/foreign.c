#include "io/input/foreign.h"

#include "io/input/fields.h"
#include "io/input/sniff.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct nd_foreign {
    const char *name;
    nd_span magic;       /* empty: known by nd_foreign_find() itself */
    size_t at;           /* byte of the content at which the magic stands */
    const char *command; /* with {in} and {out} for the names */
    const char *ending;  /* of the command's output */
    bool texts;          /* may hold no byte that no text has */
};

#define MAGIC(text)                                                                                \
    { (const uint8_t *)(text), sizeof(text) - 1 }
#define PANDAS(reader)                                                                             \
    "python3 -c \"import pandas,sys; pandas." reader                                               \
    "(sys.argv[1]).to_json(sys.argv[2],orient='records',lines=True)\" {in} {out}"
/* Python's own module: quoted line ends and quotes are read as spreadsheets write them. */
#define CSV(delimiter)                                                                             \
    "python3 -c \"import csv,json,sys; csv.field_size_limit(2**31-1); "                            \
    "[print(json.dumps(r)) for r in csv.DictReader(open(sys.argv[1],newline='',"                   \
    "encoding='utf-8-sig')" delimiter ")]\" {in} > {out}"

static const nd_foreign known[] = {
    {"Parquet", MAGIC("PAR1"), 0,
     "duckdb -c \"COPY (SELECT * FROM read_parquet('{in}')) TO '{out}' (FORMAT json)\"", ".jsonl",
     false},
    {"an Arrow or Feather file", MAGIC("ARROW1"), 0, PANDAS("read_feather"), ".jsonl", false},
    {"a Feather file", MAGIC("FEA1"), 0, PANDAS("read_feather"), ".jsonl", false},
    {"packed with xz",
     MAGIC("\xFD"
           "7zXZ\0"),
     0, "xz -dc {in} > {out}", "", false},
    {"packed with bzip2", MAGIC("1AY&SY"), 4, "bzip2 -dc {in} > {out}", "", false},
    {"packed with lz4", MAGIC("\x04\x22\x4D\x18"), 0, "lz4 -dc {in} > {out}", "", false},
    {"packed with Snappy", MAGIC("\xFF\x06\0\0sNaPpY"), 0, "snzip -dc {in} > {out}", "", false},
    {"packed with gzip once more", MAGIC("\x1F\x8B\x08"), 0, "gzip -dc <{in} > {out}", "", false},
    {"packed with zstd once more", MAGIC("\x28\xB5\x2F\xFD"), 0, "zstd -dc {in} > {out}", "",
     false},
    {"a zip archive (a WACZ is known by its name)", MAGIC("PK\x03\x04"), 0, "unzip {in} -d {out}",
     "", false},
    {"a 7z archive", MAGIC("7z\xBC\xAF\x27\x1C"), 0, "7z x {in} -o{out}", "", false},
    {"a tar archive", MAGIC("ustar"), 257, "mkdir {out} && tar -xf {in} -C {out}", "", false},
    {"a PDF document", MAGIC("%PDF-"), 0, "pdftotext {in} {out}", ".txt", true},
    {"JSON in UTF-16", MAGIC("\xFF\xFE{\0"), 0, "iconv -f UTF-16 -t UTF-8 {in} > {out}", ".jsonl",
     true},
    {"JSON in UTF-16", MAGIC("\xFE\xFF\0{"), 0, "iconv -f UTF-16 -t UTF-8 {in} > {out}", ".jsonl",
     true},
};

static const nd_foreign json_array = {"a JSON array, not one object a line",
                                      {NULL, 0},
                                      0,
                                      "jq -c '.[]' {in} > {out}",
                                      ".jsonl",
                                      true};
static const nd_foreign json_lines = {"JSON over several lines, not one object a line",
                                      {NULL, 0},
                                      0,
                                      "jq -c . {in} > {out}",
                                      ".jsonl",
                                      true};
static const nd_foreign csv = {"CSV", {NULL, 0}, 0, CSV(""), ".jsonl", true};
static const nd_foreign tsv = {"TSV", {NULL, 0}, 0, CSV(",delimiter='\\t'"), ".jsonl", true};

/* The next character that is no blank, taken off the text; 0 at its end. */
static uint8_t take(nd_span *text) {
    while (text->size > 0 && strchr(" \t\r\n", text->data[0]) != NULL && text->data[0] != '\0') {
        *text = (nd_span){text->data + 1, text->size - 1};
    }
    if (text->size == 0) {
        return 0;
    }
    const uint8_t first = text->data[0];
    *text = (nd_span){text->data + 1, text->size - 1};
    return first;
}

/* Pages of text may begin with brackets, but not as objects do. */
static const nd_foreign *find_json(nd_span content, const char *path) {
    static const char *const json[] = {".json", NULL};
    nd_span text = nd_sniff_after_mark(content);
    const uint8_t first = take(&text);
    if (first == '[') {
        if (take(&text) != '{') {
            return NULL;
        }
        const uint8_t next = take(&text);
        return next == '"' || next == '}' ? &json_array : NULL;
    }
    /* a first line of lines may be spoilt, but is no lone bracket */
    const size_t line = text.size > 0 && text.data[0] == '\r' ? 1 : 0;
    const bool alone = text.size > line && text.data[line] == '\n';
    return first == '{' && (nd_sniff_ending(path, json) || (alone && nd_sniff_lines_name(path)))
               ? &json_lines
               : NULL;
}

const nd_foreign *nd_foreign_find(nd_span content, const char *path) {
    static const char *const commas[] = {".csv", NULL};
    static const char *const tabs[] = {".tsv", NULL};
    const bool binary = nd_sniff_binary(content);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const nd_foreign *row = &known[i];
        size_t printable = 0; /* no text begins with bytes that are not */
        while (printable < row->magic.size && row->magic.data[printable] >= 0x20 &&
               row->magic.data[printable] < 0x7f) {
            printable++;
        }
        if ((binary || row->texts || printable < row->magic.size) &&
            content.size >= row->at + row->magic.size &&
            memcmp(content.data + row->at, row->magic.data, row->magic.size) == 0) {
            return row;
        }
    }
    if (nd_sniff_html(content) || nd_sniff_html_name(path) || binary) {
        return NULL;
    }
    return nd_sniff_ending(path, commas) ? &csv
           : nd_sniff_ending(path, tabs) ? &tsv
                                         : find_json(content, path);
}

/* ---- the command */

enum { COMMAND_SIZE = ND_FAIL_TEXT_SIZE };

/* A name beside the input: without its last ending, if nothing of that name is there. */
static void name_output(const char *in, const char *ending, char out[PATH_MAX]) {
    const char *name = strrchr(in, '/') != NULL ? strrchr(in, '/') + 1 : in;
    const char *dot = strrchr(name, '.');
    const int stem = (int)(dot == NULL || dot == name ? strlen(in) : (size_t)(dot - in));
    (void)snprintf(out, PATH_MAX, "%.*s%s", stem, in, ending);
    if (strcmp(out, in) == 0 || access(out, F_OK) == 0) {
        (void)snprintf(out, PATH_MAX, "%s.out%s", in, ending);
    }
}

/* The command with its names filled in. */
static void fill_in(const char *command, const char *in, const char *out, char text[COMMAND_SIZE]) {
    size_t size = 0;
    text[0] = '\0';
    for (const char *at = command; *at != '\0' && size < COMMAND_SIZE;) {
        const bool is_in = strncmp(at, "{in}", 4) == 0;
        const bool is_out = strncmp(at, "{out}", 5) == 0;
        size += (size_t)snprintf(text + size, COMMAND_SIZE - size, "%.*s",
                                 is_in || is_out ? INT_MAX : 1,
                                 is_in    ? in
                                 : is_out ? out
                                          : at);
        at += is_in ? 4 : is_out ? 5 : 1;
    }
}

nd_status nd_foreign_refuse(const nd_foreign *format, const char *path, nd_codec codec) {
    static const char *const unpack[] = {NULL, "gzip -dc <{in} > {out} && ",
                                         "zstd -dc {in} > {out} && "};
    char unpacking[COMMAND_SIZE] = "";
    char command[COMMAND_SIZE];
    char in[PATH_MAX];
    char out[PATH_MAX];
    /* the name stands in the command as it is if no shell takes it apart, and it is no option */
    const bool plain =
        path[0] != '-' && path[0] != '\0' &&
        path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                          "_./+,@%:=-")] == '\0';
    (void)snprintf(in, sizeof in, "%s", plain ? path : "FILE");
    if (codec != ND_CODEC_PLAIN) {
        name_output(in, "", out);
        fill_in(unpack[codec], in, out, unpacking);
        (void)snprintf(in, sizeof in, "%s", out);
    }
    name_output(in, format->ending, out);
    fill_in(format->command, in, out, command);
    return nd_fail(ND_ERR_FORMAT, "%s: %s, which is not read: %s%s", path, format->name, unpacking,
                   command);
}
