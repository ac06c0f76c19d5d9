# shellcheck shell=bash
# tests/support/generated_pages.sh - HTML pages, and records that are none, for tests that have no real
# ones. To be sourced.

# make_pages FOLDER: 480 pages. The first 160 are one page with another sentence each, so that they
# share nearly all fingerprints; the others are 40 pages with seven edited copies each. Same pages
# at every call: the numbers come from a fixed congruence, not from awk's own generator.
make_pages() {
    mkdir -p "$1"
    awk -v folder="$1" '
        function draw(bound) {
            state = (state * 69069 + 1) % 4294967296
            return int(state / 65536) % bound
        }
        function sentence(length_of_it,   text, i) {
            text = "Word" draw(5000)
            for (i = 1; i < length_of_it; i++)
                text = text " word" draw(5000)
            return text ". "
        }
        function write(name, changed,   i) {
            file = folder "/" name ".html"
            printf "<html><head><title>%s</title></head><body>", "A page" >file
            for (i = 0; i < count; i++)
                printf "<p>%s</p>\n", (i in changed) ? changed[i] : original[i] >file
            printf "</body></html>\n" >file
            close(file)
        }
        function page(   i) {
            count = 40 + draw(80)
            for (i = 0; i < count; i++)
                original[i] = sentence(4 + draw(16))
        }
        BEGIN {
            state = 20080229
            page()
            for (copy = 0; copy < 160; copy++) {
                delete changed
                changed[draw(count)] = sentence(8)
                write(sprintf("template%03d", copy), changed)
            }
            for (family = 0; family < 40; family++) {
                page()
                for (copy = 0; copy < 8; copy++) {
                    delete changed
                    for (k = draw(6) * copy; k > 0; k--)
                        changed[draw(count)] = sentence(8)
                    write(sprintf("family%02d-%d", family, copy), changed)
                }
            }
        }'
}

# make_others FILE COUNT: a WARC of that many records, of which none is a page: requests, an error, an
# image, and data under text/html, of some 400 bytes each, by turns.
make_others() {
    awk -v count="$2" '
        function record(type, head, body,   block) {
            block = head "\r\n\r\n" body
            printf "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:%d>\r\n", type, i
            printf "WARC-Target-URI: http://other.example/%d\r\n", i
            printf "Content-Type: application/http\r\nContent-Length: %d\r\n\r\n", length(block)
            printf "%s\r\n\r\n", block
        }
        BEGIN {
            for (i = 0; i < 200; i++)
                body = body "x"
            for (i = 0; i < count; i++)
                if (i % 4 == 0)
                    record("request", "GET / HTTP/1.1", "")
                else if (i % 4 == 1)
                    record("response", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html", body)
                else if (i % 4 == 2)
                    record("response", "HTTP/1.1 200 OK\r\nContent-Type: image/png", body)
                else
                    record("response", "HTTP/1.1 200 OK\r\nContent-Type: text/html", "%PDF-1.4" body)
        }' >"$1"
}
