"""A server with faults, a run of Nightjar against it, and what /proc says of the run meanwhile."""

import hashlib
import os
import random
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

SHARE = 0.05


def content(number):
    return hashlib.sha256(b"%d" % number).hexdigest().encode() * (1 + number % 40)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 512


class Handler(socketserver.StreamRequestHandler):
    """Speaks just enough HTTP to spoil it."""

    count = 0
    spoilt = set()
    lock = threading.Lock()
    faults = 0

    def handle(self):
        try:
            while self.answer():
                pass
        except OSError:
            pass

    def answer(self):
        line = self.rfile.readline(65536)
        if not line:
            return False
        fields = {}
        while (field := self.rfile.readline(65536)) not in (b"\r\n", b""):
            name, _, value = field.partition(b":")
            fields[name.lower()] = value.strip()
        path = line.split(b" ")[1].decode()
        if path == "/":
            links = "".join(f'<a href="/p{page}.html">p</a>' for page in range(0, Handler.count, 1000))
            return self.send(b"200 OK", links.encode(), b"text/html")
        if path.startswith("/p"):
            page = int(path[2:-5])
            links = "".join(f'<a href="/f/{n}.dat">f</a>' for n in range(page, min(page + 1000, Handler.count)))
            return self.send(b"200 OK", links.encode(), b"text/html")
        if not path.startswith("/f/"):
            return self.send(b"404 Not Found", b"", b"text/plain")
        number = int(path[3:-4])
        fault = None
        with Handler.lock:
            # Each file's fault comes once, so that the end is known: all of them are there.
            if random.Random(number).random() < SHARE and number not in Handler.spoilt:
                Handler.spoilt.add(number)
                Handler.faults += 1
                fault = random.Random(number + 1).choice(["reset", "cut", "503", "close", "garbage-free stall", "500"])
        return self.file(number, fields, fault)

    def file(self, number, fields, fault):
        body = content(number)
        if fault in ("503", "500"):
            return self.send(fault.encode() + b" No", b"", b"text/plain")
        if fault == "close":
            return False
        if fault == "reset":
            self.request.setsockopt(1, 13, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            return False
        tag = b'"%d"' % number
        head = b"ETag: " + tag + b"\r\n"
        first = 0
        asked = fields.get(b"range", b"")
        if asked.startswith(b"bytes=") and fields.get(b"if-range") == tag:
            first = int(asked[6:].split(b"-")[0])
        status = b"200 OK"
        if first:
            status = b"206 Partial Content"
            head += b"Content-Range: bytes %d-%d/%d\r\n" % (first, len(body) - 1, len(body))
        if fault in ("cut", "garbage-free stall"):
            self.head(status, len(body) - first, b"application/octet-stream", head)
            self.wfile.write(body[first : first + (len(body) - first) // 2])
            if fault != "cut":
                time.sleep(1.5)
            return False
        return self.send(status, body[first:], b"application/octet-stream", head)

    def head(self, status, length, kind, more=b""):
        self.wfile.write(
            b"HTTP/1.1 " + status + b"\r\nContent-Type: " + kind + b"\r\nContent-Length: %d\r\n" % length + more + b"\r\n"
        )

    def send(self, status, body, kind, more=b""):
        self.wfile.write(
            b"HTTP/1.1 " + status + b"\r\nContent-Type: " + kind + b"\r\nContent-Length: %d\r\n" % len(body) + more
            + b"\r\n" + body
        )
        return True


def sample(pid):
    with open(f"/proc/{pid}/status") as status:
        memory = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    return len(os.listdir(f"/proc/{pid}/fd")), memory


def main():
    program, Handler.count = sys.argv[1], int(sys.argv[2])
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = tempfile.mkdtemp(prefix="nightjar-soak-", dir=os.environ.get("NIGHTJAR_SOAK_DIR", "/dev/shm"))
    try:
        os.makedirs(f"{folder}/jobs")
        with open(f"{folder}/jobs/soak.yaml", "w") as manifest:
            manifest.write(
                f"job: soak\nstart: http://127.0.0.1:{server.server_address[1]}/\n"
                "crawl: { depth: 1, pages: 100000 }\ndownload: { extensions: [dat] }\n"
                "fetch: { concurrency: 32, per-host: 32, retries: 6, timeout: { idle: 1s } }\n"
                'name: { template: "{stem}.{ext}" }\ndedupe: "off"\n'
            )
        began = time.monotonic()
        run = subprocess.Popen([program, "run", "--quiet", "--root", f"{folder}/root", "--jobs", f"{folder}/jobs"])
        samples = []
        while run.poll() is None:
            try:
                samples.append(sample(run.pid))
            except (OSError, StopIteration):
                pass
            time.sleep(0.1)
        seconds = time.monotonic() - began
        wrong = [f"the status is {run.returncode}"] if run.returncode else []
        for number in range(Handler.count):
            try:
                with open(f"{folder}/root/files/soak/{number}.dat", "rb") as file:
                    if file.read() != content(number):
                        wrong.append(f"{number}.dat holds other bytes")
            except OSError as error:
                wrong.append(str(error))
        # The start is warm-up: catalog, threads and connections come to be.
        rest = samples[len(samples) // 5 :]
        half = len(rest) // 2
        early, late = rest[:half], rest[half:]
        descriptors = max(s[0] for s in early), max(s[0] for s in late)
        memory = max(s[1] for s in early), max(s[1] for s in late)
        if descriptors[1] > descriptors[0] + 8:
            wrong.append(f"descriptors grew from {descriptors[0]} to {descriptors[1]}")
        if memory[1] > memory[0] * 1.15 + 8192:
            wrong.append(f"memory grew from {memory[0]} KiB to {memory[1]} KiB")
        print(
            f"{Handler.count} files, {Handler.faults} faults, {seconds:.1f} s; descriptors {descriptors[0]} -> "
            f"{descriptors[1]}, memory {memory[0] // 1024} -> {memory[1] // 1024} MiB; "
            + ("all right" if not wrong else "WRONG: " + "; ".join(wrong[:10]))
        )
        return 1 if wrong else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


sys.exit(main())
