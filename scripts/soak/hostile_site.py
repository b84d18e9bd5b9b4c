"""A site that puts what harms into every text that it can set."""

import http.server
import threading
import urllib.parse

COUNT = 10_000
# What a server may call a file. The first ones must be readable, the rest must do nothing.
NAMES = [
    "한국어 보고서.pdf", "تقرير سنوي.pdf", "🎉 année 🇫🇷.pdf", "日本語の年次報告書.pdf",
    "<img src=x onerror=\"window.pwned=1\">.pdf", "<script>window.pwned=1</script>.pdf",
    "\"><svg onload=alert(1)>.pdf", "' onmouseover='window.pwned=1.pdf", "invoice\u202efdp.exe.pdf",
    "\u200f\u202a\u2066right\u2069.pdf", "javascript:alert(1).pdf", "</td></tr></table><h1>owned.pdf",
    "-->&lt;b&gt;&amp;.pdf", "\x1b[31mred\x07.pdf", "line\nend.pdf", "a" * 180 + ".pdf",
]


class Site(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        # Changed between runs: how many items there are, and which edition of them.
        self.count, self.edition, self.is_broken = COUNT, 1, False
        self.is_stalled = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if path == "/robots.txt":
            return self.answer(404, b"")
        if path == "/stall.pdf":
            self.server.is_stalled.set()
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.wfile.write(b"%PDF-1.4 and then nothing")
            self.wfile.flush()
            threading.Event().wait(60)
            return None
        if path.startswith("/small/"):
            if self.server.is_broken:
                return self.answer(500, b"")
            if path == "/small/":
                return self.page(["a.pdf", "b.pdf"] + (["missing.pdf"] if self.server.edition % 3 == 0 else []))
            return self.answer(404, b"") if "missing" in path else self.file(path)
        if path == "/":
            return self.page([f"/list/{part}" for part in range(0, self.server.count, 500)])
        if path.startswith("/list/"):
            first = int(path[6:])
            return self.page([self.link(number) for number in range(first, min(first + 500, self.server.count))])
        number = int(path.split("/")[2])
        if number % 40 == 7:
            return self.answer([404, 410, 403, 500][number // 40 % 4], b"")
        if number % 40 == 9:
            return self.answer(200, b"<!DOCTYPE html><title><script>window.pwned=1</script></title>login", "text/html")
        return self.file(path, NAMES[number % len(NAMES)] if number % 3 else None)

    def link(self, number):
        name = NAMES[number % len(NAMES)]
        return f"/f/{number}/{urllib.parse.quote(name)}?token=secret{number}&v={urllib.parse.quote('<b>')}"

    def page(self, links):
        hostile = "<title>&lt;script&gt;window.pwned=1&lt;/script&gt;</title>"
        lines = "".join(f'<li><a href="{link}" title="&quot;&gt;&lt;img src=x&gt;">x</a>' for link in links)
        self.answer(200, f"<!DOCTYPE html>{hostile}<ul>{lines}</ul>".encode(), "text/html; charset=utf-8")

    def file(self, path, name=None):
        edition = self.server.edition if sum(path.encode()) % 97 == 0 else 0
        head = {}
        if name:
            head["Content-Disposition"] = "attachment; filename*=UTF-8''" + urllib.parse.quote(name)
        self.answer(200, b"%PDF-1.4\n" + path.encode() + b" %d" % edition, "application/pdf", head)

    def answer(self, status, body, kind="text/plain", head=None):
        self.send_response(status, "<script>window.pwned=1</script>")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (head or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
