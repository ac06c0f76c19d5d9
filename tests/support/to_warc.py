#!/usr/bin/env python3
"""to_warc.py PAGES.jsonl OUT.warc.gz: pages (id, url, html a line) as WARC responses, a gzip member each."""
import gzip
import json
import sys

with open(sys.argv[1], encoding="utf-8") as pages, open(sys.argv[2], "wb") as file:
    for page in map(json.loads, pages):
        body = ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page["html"]).encode()
        head = ("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Record-ID: <urn:%s>\r\n"
                "WARC-Date: 2008-10-26T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
                "Content-Length: %d\r\n\r\n" % (page["url"], page["id"], len(body))).encode()
        file.write(gzip.compress(head + body + b"\r\n\r\n", mtime=0))
