#!/usr/bin/env python3
"""Files that are small and ask for much: make_bombs.py FOLDER writes each with a good page, http://good/, after
the bomb (or before it, where nothing can be read after it), and prints a line `FILE<TAB>REASON`: what
the skipped record's reason must hold (empty: none need be skipped)."""
import ctypes
import ctypes.util
import gzip
import os
import sys
import zlib

MB = 1 << 20
FOLDER = sys.argv[1]
TEXT = b"<html><title>good</title><p>" + b" ".join(b"word%d" % i for i in range(300)) + b"</html>"


def record(url, block, kind=b"response", media=b"application/http;msgtype=response", length=None):
    length = len(block) if length is None else length
    return (b"WARC/1.0\r\nWARC-Type: " + kind + b"\r\nWARC-Target-URI: " + url +
            b"\r\nWARC-Record-ID: <urn:uuid:" + url + b">\r\nContent-Type: " + media +
            b"\r\nContent-Length: %d\r\n\r\n" % length + block + b"\r\n\r\n")


def http(body, headers=b"", media=b"text/html"):
    return b"HTTP/1.1 200 OK\r\nContent-Type: " + media + b"\r\n" + headers + b"\r\n" + body


GOOD = record(b"http://good/", http(TEXT))

def write(name, data, reason=""):
    with open(os.path.join(FOLDER, name), "wb") as file:
        for piece in [data] if isinstance(data, bytes) else data:
            file.write(piece)
    print(name, reason, sep="\t")


def page(name, body, reason="", headers=b"", media=b"text/html", count=1):
    """A WARC of such pages and a good one."""
    write(name + ".warc", record(b"http://bomb/", http(body, headers, media)) * count + GOOD, reason)


def coded(name, body, coding, reason, count=1):
    page(name, body, reason, b"Content-Encoding: " + coding + b"\r\n", count=count)


def zeros(bytes_, wbits, fill=b"\0"):
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    block = fill * MB
    pieces = [packer.compress(block) for _ in range(bytes_ // MB)]
    return b"".join(pieces) + packer.flush()


def brotli(data):
    library = ctypes.CDLL(ctypes.util.find_library("brotlienc"))
    size = ctypes.c_size_t(len(data) + 1024)
    out = ctypes.create_string_buffer(size.value)
    if not library.BrotliEncoderCompress(5, 22, 0, ctypes.c_size_t(len(data)), data,
                                         ctypes.byref(size), out):
        raise RuntimeError("brotli")
    return out.raw[:size.value]


def zstd_frame(start, bytes_, fill=b"\0"):
    """A frame of raw `start` and RLE blocks, with a window of 1 GiB asked for."""
    yield b"\x28\xb5\x2f\xfd" + b"\x00" + bytes([(30 - 10) << 3])
    yield from zstd_blocks(start, bytes_, fill)


def zstd_blocks(start, bytes_, fill):
    if start:
        yield (len(start) << 3 | 0 << 1).to_bytes(3, "little") + start
    block = 128 << 10
    yield ((block << 3 | 1 << 1).to_bytes(3, "little") + fill) * (bytes_ // block)
    yield b"\x01\x00\x00"


def small_window(start, bytes_, fill=b"\0"):
    yield b"\x28\xb5\x2f\xfd" + b"\x00" + bytes([(20 - 10) << 3])
    yield from zstd_blocks(start, bytes_, fill)


def zstd_raw(data):
    yield from small_window(data, 0)


def line(text):
    return b'{"id":"g","url":"http://good/","text":"' + text + b'"}\n'


GOOD_LINE = line(b" ".join(b"word%d" % i for i in range(300)))
UNPACKS = "unpacks to more than 200 times"
LONG = "page of more than"

# ---- content codings
inner = gzip.compress(zeros(120 * MB, 31, b" "), 9)
many_times = TEXT
for _ in range(10):
    many_times = gzip.compress(many_times)
coded("gzip_in_gzip", inner, b"gzip, gzip", UNPACKS, count=40)
coded("gzip", zeros(120 * MB, 31, b"<p>"), b"gzip", LONG)
coded("deflate", zeros(30 * MB, 15, b"a "), b"deflate", UNPACKS)
coded("raw_deflate", zeros(30 * MB, -15, b"a "), b"deflate", UNPACKS)
coded("brotli", brotli(b"a b " * (30 * MB)), b"br", UNPACKS)
coded("zstd", b"".join(zstd_frame(b"", 1 << 30)), b"zstd", "")
coded("zstd_small_window", b"".join(small_window(b"", 1 << 30)), b"zstd", UNPACKS)
coded("many_codings", many_times, b", ".join([b"gzip"] * 2000), "more than 4 content codings")
coded("slow_gzip", zlib.compress(os.urandom(150 << 10) + b"a. " * (10 * MB), 9), b"deflate",
      LONG)
# ---- framing
page("chunks", b"1\r\na\r\n" * (3 * MB) + b"0\r\n\r\n", "", b"Transfer-Encoding: chunked\r\n")
# ---- headers
write("http_header.warc", record(b"http://bomb/", http(b"x", b"A: b\r\n" * 200000)) + GOOD,
      "HTTP header of more than")
write("header_lines.warc", record(b"http://bomb/", http(TEXT)).replace(
    b"WARC/1.0\r\n", b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 9\r\n" + b"A: b\r\n" *
    1000000) + GOOD, "record header of more than")
write("header_line.warc", record(b"http://" + b"a" * (20 * MB), http(TEXT)) + GOOD,
      "record header of more than")
write("endless_headers.warc", b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5\r\n" * 100000 +
      GOOD, "record header is cut off")
for power in (31, 32, 62, 63, 64):
    write("length_2_%d.warc" % power, record(b"http://bomb/", http(TEXT), length=1 << power) + GOOD,
          "")
write("length.warc", record(b"http://bomb/", http(TEXT), length=1 << 40) + GOOD, "record is cut off")
write("wrong_lengths.warc",
      record(b"http://bomb/", b"", b"resource", b"text/plain", 20 * MB) * 30000 +
      GOOD * 2 + record(b"http://x/", b"x" * (21 * MB), b"request"))
# ---- members
packed = gzip.compress(GOOD)
write("member.warc.gz", [
    gzip.compress(record(b"http://first/", http(TEXT))),
    gzip.compress(record(b"http://image/", http(b"\0" * 300 * MB, media=b"image/png")), 9), packed],
    UNPACKS)
write("frame.warc.zst", [*zstd_raw(record(b"http://first/", http(TEXT))),
                         *small_window(record(b"http://image/", http(b"", media=b"image/png"),
                                              length=10 << 30)[:-4], 10 << 30), *zstd_raw(GOOD)],
      UNPACKS)
write("window.warc.zst", [*zstd_raw(record(b"http://first/", http(TEXT))),
                          *zstd_frame(record(b"http://image/", http(b"", media=b"image/png"),
                                             length=10 << 30)[:-4], 10 << 30), *zstd_raw(GOOD)],
      "window of more than")
write("zeros.jsonl.gz", gzip.compress(GOOD_LINE + b'{"text":"') + b"".join(
    [gzip.compress(b"\0" * 1024 * MB)] * 10), LONG)
# ---- JSON
write("keys.jsonl", [GOOD_LINE, b'{"text":"x"', *(b',"k%d":1' % i for i in range(1700000)), b"}\n",
                     line(b"after")], "JSON line of more than")
write("numbers.jsonl", GOOD_LINE + b'{"text":"x","n":[' + b"1," * (10 * MB) + b"1]}\n",
      "JSON line of more than")
write("deep.jsonl", GOOD_LINE + b'{"text":"x","n":' + b"[" * (5 * MB) + b"]" * (5 * MB) + b"}\n",
      "JSON line")
write("nested.jsonl", GOOD_LINE + b'{"text":"x","n":' + b'{"a":' * 1000 + b"1" + b"}" * 1001 + b"\n",
      "nested more than 32 deep")
write("long.jsonl", [GOOD_LINE, b'{"text":"', *[b"a" * MB] * 500, b'"}\n', line(b"after")], LONG)
write("escapes.jsonl", GOOD_LINE + b'{"text":"' + b"\\u00e9 " * (2 * MB) + b'"}\n' + line(b"after"),
      "")
write("invalid.jsonl", GOOD_LINE + b'{"text":"' + b"\xff" * (20 * MB) + b'"}\n' + line(b"after"),
      LONG)
# ---- pages
page("tags", b"<div>" * MB + b"x" + b"</div>" * MB)
page("end_tags", b"<nav>" + b"<section>" * 600 + b"</nav></b></i></ul></table>" * 400000)
page("open_tags", (b"<table><nav>" * 300 + b"</footer>" * 3000) * 500)
page("attributes", b"<a " + b" ".join(b"a%d=1" % i for i in range(MB)) + b">x</a>")
page("quote", b"<a href='" + b"<a href=\"" * (2 * MB))
page("comments", b"<!--" * (4 * MB))
page("dropped", b"<script>" * MB + b"<style>" * MB + b"<object>" * MB)
page("titles", b"<title>" * (2 * MB))
page("entities", b"&nGt;&#1114111;&amp" * MB)
page("numbers", b"&#" + b"1" * (20 * MB))
page("words", b"a " * (10 * MB), "tokens")
page("sentences", b"a! " * (6 * MB), "sentences")
page("blocks", b"<p>a" * (5 * MB), "sentences")
page("ideographs", "\u4e00".encode() * (6 * MB), "tokens")
page("latin", b"\x80" * (20 * MB), LONG, media=b"text/html; charset=windows-1252")
page("invalid", b"\xff" * (20 * MB), LONG, media=b"text/html; charset=utf-8")
page("long_word", b"a" * (20 * MB))
page("links", b"<base href='http://a/" + b"b" * MB + b"'>" + b"<img src=x>" * (MB // 2))
