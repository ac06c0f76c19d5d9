#include "src/text/surt.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes */

static uint8_t lower(uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + ('a' - 'A')) : byte;
}

static bool is_digit(uint8_t byte) {
    return byte >= '0' && byte <= '9';
}

static bool is_letter(uint8_t byte) {
    return lower(byte) >= 'a' && lower(byte) <= 'z';
}

static bool is_alnum(uint8_t byte) {
    return is_digit(byte) || is_letter(byte);
}

static int hex_of(uint8_t byte) {
    const uint8_t l = lower(byte);
    return is_digit(l) ? l - '0' : l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

/* Does the text go on with the word, in any case, from byte `at` on? */
static bool has_at(nd_span text, size_t at, const char *word) {
    const size_t size = strlen(word);
    bool same = at <= text.size && size <= text.size - at;
    for (size_t i = 0; i < size && same; i++) {
        same = lower(text.data[at + i]) == (uint8_t)word[i];
    }
    return same;
}

/* Undo escapes until there are none, in place: what an escape gives may be of another. */
static void unescape(nd_buffer *text) {
    size_t made = 0;
    for (size_t i = 0; i < text->size; i++) {
        text->data[made++] = text->data[i];
        while (made >= 3 && text->data[made - 3] == '%' && hex_of(text->data[made - 2]) >= 0 &&
               hex_of(text->data[made - 1]) >= 0) {
            text->data[made - 3] =
                (uint8_t)(hex_of(text->data[made - 2]) * 16 + hex_of(text->data[made - 1]));
            made -= 2;
        }
    }
    text->size = made;
}

/* Escape what may not stand in a line of an index, and what would be read as something else. */
static void append_escaped(nd_span text, const char *also, nd_buffer *out) {
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t byte = text.data[i];
        char escape[4];
        const bool plain = byte > ' ' && byte < 0x7f && strchr(also, byte) == NULL;
        (void)snprintf(escape, sizeof escape, "%%%02x", byte);
        if (plain) {
            nd_buffer_append(out, &byte, 1);
        } else {
            nd_buffer_append_text(out, escape);
        }
    }
}

static void lower_from(nd_buffer *out, size_t begin) {
    for (size_t i = begin; i < out->size; i++) {
        out->data[i] = lower(out->data[i]);
    }
}

/* ---- hosts */

/* Labels last to first, with commas. */
static void append_host(nd_span given, nd_buffer *scratch, nd_buffer *out) {
    nd_buffer host = {0};
    char address[16];
    scratch->size = 0;
    nd_buffer_append(scratch, given.data, given.size);
    unescape(scratch);
    for (size_t i = 0; i < scratch->size; i++) { /* no empty labels */
        const uint8_t byte = scratch->data[i];
        if (byte != '.' || (host.size > 0 && host.data[host.size - 1] != '.')) {
            nd_buffer_append(&host, &byte, 1);
        }
    }
    while (host.size > 0 && host.data[host.size - 1] == '.') {
        host.size--;
    }
    lower_from(&host, 0);
    nd_span name = nd_buffer_span(&host);
    size_t digits = 0;
    uint32_t number = 0; /* the lower 32 bits of what may be longer */
    for (; digits < name.size && is_digit(name.data[digits]); digits++) {
        number = number * 10 + (name.data[digits] - '0');
    }
    if (name.size > 0 && digits == name.size) {
        const int size = snprintf(address, sizeof address, "%u.%u.%u.%u", number >> 24,
                                  number >> 16 & 255, number >> 8 & 255, number & 255);
        name = (nd_span){(const uint8_t *)address, (size_t)size};
    }
    if (has_at(name, 0, "www")) {
        size_t at = 3;
        while (at < name.size && is_digit(name.data[at])) {
            at++;
        }
        if (at < name.size && name.data[at] == '.') {
            name = nd_span_part(name, at + 1, name.size);
        }
    }
    for (size_t end = name.size; end > 0;) {
        size_t begin = end;
        while (begin > 0 && name.data[begin - 1] != '.') {
            begin--;
        }
        if (end < name.size) {
            nd_buffer_append_text(out, ",");
        }
        append_escaped(nd_span_part(name, begin, end), "#%", out);
        end = begin == 0 ? 0 : begin - 1;
    }
    nd_buffer_free(&host);
}

/* User and port go, but for a port that is not the scheme's own. */
static void append_authority(nd_span text, nd_span scheme, nd_buffer *scratch, nd_buffer *out) {
    size_t port = text.size;
    for (size_t i = text.size; i > 0; i--) {
        if (text.data[i - 1] == '@') {
            text = nd_span_part(text, i, text.size);
            port -= i;
            break;
        }
    }
    while (port > 0 && is_digit(text.data[port - 1])) {
        port--;
    }
    const bool has_port = port > 0 && text.data[port - 1] == ':';
    const nd_span number = has_port ? nd_span_part(text, port, text.size) : (nd_span){0};
    const char *own = has_at(scheme, 0, "https") && scheme.size == 5  ? "443"
                      : has_at(scheme, 0, "http") && scheme.size == 4 ? "80"
                                                                      : "";
    append_host(nd_span_part(text, 0, has_port ? port - 1 : text.size), scratch, out);
    if (number.size > 0 && !(number.size == strlen(own) && has_at(number, 0, own))) {
        nd_buffer_append_text(out, ":");
        nd_buffer_append(out, number.data, number.size);
    }
}

/* ---- paths */

/* Bytes of a session id as ASP.NET puts it into a path, with its slash: "(S(id))/", "(id)/". */
static size_t path_session(nd_span path, size_t at) {
    enum { ID = 24 };
    const bool nested = at + 2 < path.size && path.data[at + 2] == '(';
    size_t end = at + 1;
    bool any = false;
    if (at >= path.size || path.data[at] != '(') {
        return 0;
    }
    do {
        end += nested ? 2 : 0;
        size_t i = 0;
        while (end + i < path.size && i < ID && is_alnum(path.data[end + i])) {
            i++;
        }
        if (i < ID || !has_at(path, end + ID, ")")) {
            return 0;
        }
        end += ID + 1;
        any = true;
    } while (nested && end + 1 < path.size && is_letter(path.data[end]) &&
             path.data[end + 1] == '(');
    if (nested) {
        any = has_at(path, end, ")");
        end++;
    }
    return any && has_at(path, end, "/") ? end + 1 - at : 0;
}

static void strip_path_session(nd_buffer *path) {
    const nd_span text = nd_buffer_span(path);
    for (size_t at = text.size; at > 0; at--) {
        const size_t size = text.data[at - 1] == '/' ? path_session(text, at) : 0;
        bool page = false; /* one of ASP.NET follows */
        for (size_t i = at + size + 1; size > 0 && i < text.size && text.data[i - 1] != '?'; i++) {
            page = page || has_at(text, i, ".aspx");
        }
        if (page) {
            memmove(path->data + at, path->data + at + size, path->size - at - size);
            path->size -= size;
            return;
        }
    }
}

/* Without "." and ".." and empty parts; what stands after the last slash stays, if it is empty too.
 */
static void resolve(nd_span path, nd_buffer *out) {
    out->size = 0;
    for (size_t begin = path.size > 0 && path.data[0] == '/'; begin <= path.size;) {
        size_t end = begin;
        while (end < path.size && path.data[end] != '/') {
            end++;
        }
        const nd_span part = nd_span_part(path, begin, end);
        const bool last = end == path.size;
        if (part.size == 2 && has_at(part, 0, "..") && out->size > 0) {
            do {
                out->size--;
            } while (out->size > 0 && out->data[out->size] != '/');
        } else if (!(part.size == 1 && part.data[0] == '.') && (part.size > 0 || last)) {
            nd_buffer_append_text(out, "/");
            nd_buffer_append(out, part.data, part.size);
        }
        begin = end + 1;
    }
    if (out->size == 0) {
        nd_buffer_append_text(out, "/");
    }
}

static void append_path(nd_span given, nd_buffer *scratch, nd_buffer *out) {
    nd_buffer path = {0};
    const size_t begin = out->size;
    scratch->size = 0;
    nd_buffer_append(scratch, given.data, given.size);
    unescape(scratch);
    resolve(nd_buffer_span(scratch), &path);
    strip_path_session(&path);
    append_escaped(nd_buffer_span(&path), "#%", out);
    lower_from(out, begin);
    if (out->size > begin + 1 && out->data[out->size - 1] == '/') {
        out->size--;
    }
    nd_buffer_free(&path);
}

/* ---- queries */

/* The end of a session id that an argument at `at` holds, or 0. */
typedef size_t session_end(nd_span query, size_t at, const char *name);

static size_t letters_end(nd_span query, size_t at, size_t count, bool digits) {
    size_t i = 0;
    while (i < count && at + i < query.size &&
           (digits ? is_alnum(query.data[at + i]) : is_letter(query.data[at + i]))) {
        i++;
    }
    return i == count ? at + count : 0;
}

static size_t plain_session(nd_span query, size_t at, const char *name) {
    return letters_end(query, at + strlen(name), 32, true);
}

static size_t asp_session(nd_span query, size_t at, const char *name) {
    const size_t mark = letters_end(query, at + strlen(name), 8, false);
    return mark > 0 && has_at(query, mark, "=") ? letters_end(query, mark + 1, 24, false) : 0;
}

static size_t value_end(nd_span query, size_t at) {
    while (at < query.size && query.data[at] != '&') {
        at++;
    }
    return at;
}

static size_t cold_fusion_session(nd_span query, size_t at, const char *name) {
    static const char token[] = "&cftoken=";
    const size_t id = at + strlen(name);
    const size_t end = value_end(query, id);
    const size_t second = end + sizeof token - 1;
    return end > id && has_at(query, end, token) && value_end(query, second) > second
               ? value_end(query, second)
               : 0;
}

static void strip_query_sessions(nd_buffer *query) {
    static const struct {
        const char *name;
        session_end *end;
    } kinds[] = {{"jsessionid=", plain_session},
                 {"phpsessid=", plain_session},
                 {"sid=", plain_session},
                 {"aspsessionid", asp_session},
                 {"cfid=", cold_fusion_session}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const nd_span text = nd_buffer_span(query);
        for (size_t at = text.size; at-- > 0;) { /* the last one goes */
            size_t end =
                has_at(text, at, kinds[k].name) ? kinds[k].end(text, at, kinds[k].name) : 0;
            if (end > 0 && (end == text.size || text.data[end] == '&')) {
                end += end < text.size;
                memmove(query->data + at, query->data + end, query->size - end);
                query->size -= end - at;
                break;
            }
        }
    }
}

static int compare_spans(nd_span a, nd_span b) {
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* By name, then those without a value first, then by value. */
static int by_argument(const void *a, const void *b) {
    const nd_span spans[2] = {*(const nd_span *)a, *(const nd_span *)b};
    nd_span names[2], values[2];
    for (size_t i = 0; i < 2; i++) {
        const uint8_t *equal = spans[i].size > 0 ? memchr(spans[i].data, '=', spans[i].size) : NULL;
        const size_t size = equal != NULL ? (size_t)(equal - spans[i].data) : spans[i].size;
        names[i] = nd_span_part(spans[i], 0, size);
        values[i] = nd_span_part(spans[i], size, spans[i].size); /* with its sign */
    }
    const int order = compare_spans(names[0], names[1]);
    return order != 0 ? order : compare_spans(values[0], values[1]);
}

static void append_query(nd_span given, nd_buffer *scratch, nd_buffer *out) {
    nd_buffer query = {0};
    nd_span *arguments = NULL;
    size_t count = 0;
    size_t capacity = 0;
    scratch->size = 0;
    nd_buffer_append(scratch, given.data, given.size);
    unescape(scratch);
    append_escaped(nd_buffer_span(scratch), "#%", &query);
    strip_query_sessions(&query);
    lower_from(&query, 0);
    const nd_span text = nd_buffer_span(&query);
    for (size_t begin = 0; begin <= text.size && text.size > 0;) {
        const size_t end = value_end(text, begin);
        nd_grow(&arguments, &capacity, count + 1, sizeof *arguments);
        arguments[count++] = nd_span_part(text, begin, end);
        begin = end + 1;
    }
    if (count > 1 && text.size > 1) {
        qsort(arguments, count, sizeof *arguments, by_argument);
    }
    for (size_t i = 0; i < count; i++) {
        nd_buffer_append_text(out, i == 0 ? "?" : "&");
        nd_buffer_append(out, arguments[i].data, arguments[i].size);
    }
    free(arguments);
    nd_buffer_free(&query);
}

/* ---- URLs */

/* Bytes of the scheme, without its colon; SIZE_MAX if there is none. */
static size_t scheme_size(nd_span url) {
    size_t size = 0;
    while (size < url.size && (is_alnum(url.data[size]) || strchr("+.-", url.data[size]) != NULL)) {
        size++;
    }
    return size > 0 && size < url.size && url.data[size] == ':' ? size : SIZE_MAX;
}

static size_t find_any(nd_span text, size_t at, const char *bytes) {
    while (at < text.size && (text.data[at] == '\0' || strchr(bytes, text.data[at]) == NULL)) {
        at++;
    }
    return at;
}

void nd_surt_append(nd_span url, nd_buffer *out) {
    nd_buffer clean = {0};
    nd_buffer scratch = {0};
    while (url.size > 0 && url.data[0] <= ' ') {
        url = nd_span_part(url, 1, url.size);
    }
    while (url.size > 0 && url.data[url.size - 1] <= ' ') {
        url.size--;
    }
    for (size_t i = 0; i < url.size; i++) {
        if (strchr("\t\r\n", url.data[i]) == NULL || url.data[i] == '\0') {
            nd_buffer_append(&clean, &url.data[i], 1);
        }
    }
    nd_span rest = nd_buffer_span(&clean);
    const size_t size = scheme_size(rest);
    const bool of_file = has_at(rest, 0, "filedesc:") || has_at(rest, 0, "warcinfo:");
    const bool has_host = size != SIZE_MAX && has_at(rest, size, "://") && !of_file;
    if (rest.size == 0) {
        nd_buffer_append_text(out, "-");
        goto out;
    }
    if (!has_host && size != SIZE_MAX && !(size + 1 < rest.size && is_digit(rest.data[size + 1]))) {
        append_escaped(rest, "", out);
        goto out;
    }
    rest.size = find_any(rest, 0, "#");
    const nd_span scheme =
        has_host ? nd_span_part(rest, 0, size) : (nd_span){(const uint8_t *)"http", 4};
    size_t begin = has_host ? size + 1 : 0;
    while (begin < rest.size && rest.data[begin] == '/') {
        begin++;
    }
    if (has_host && begin > size + 3 && scheme.size == 4 && has_at(scheme, 0, "file")) {
        begin = size + 3; /* file:///path has no host */
    }
    const size_t path = find_any(rest, begin, "/?");
    const size_t query = find_any(rest, path, "?");
    append_authority(nd_span_part(rest, begin, path), scheme, &scratch, out);
    nd_buffer_append_text(out, ")");
    append_path(nd_span_part(rest, path, query), &scratch, out);
    if (query < rest.size) {
        append_query(nd_span_part(rest, query + 1, rest.size), &scratch, out);
    }
out:
    nd_buffer_free(&clean);
    nd_buffer_free(&scratch);
}
