"""Sites made by seed, and a real nginx on a loopback port that serves them."""

import contextlib
import glob
import os
import random
import signal
import socket
import subprocess
import time


def make_pages(root, files, pages, seed=7):
    """An index, `pages` pages and `files` files of 1 to 32 KiB, every fifth a copy of an earlier one. The names end in
    `.dat`, so that nobody has to ask for them to know that they are no pages."""
    rng = random.Random(seed)
    os.makedirs(root)
    per_page = files // pages
    originals = []
    for page in range(pages):
        folder = os.path.join(root, f"p{page:03}")
        os.mkdir(folder)
        links = []
        for number in range(per_page):
            if originals and rng.random() < 0.2:
                content = originals[rng.randrange(len(originals))]
            else:
                content = rng.randbytes(rng.randint(1024, 32768))
                if len(originals) < 2000:
                    originals.append(content)
            name = f"file-{page:03}-{number:04}.dat"
            write(os.path.join(folder, name), content)
            links.append(f'<li><a href="{name}">Record {number}</a></li>')
        write(os.path.join(folder, "index.html"), html(links))
    write(os.path.join(root, "index.html"), html(f'<li><a href="p{page:03}/">Part {page}</a></li>' for page in range(pages)))
    return [f"p{page:03}/file-{page:03}-{number:04}.dat" for page in range(pages) for number in range(per_page)]


def make_files(root, count, size, seed=11):
    os.makedirs(root)
    names = []
    for number in range(count):
        names.append(f"large-{number}.bin")
        rng = random.Random(seed + number)
        with open(os.path.join(root, names[-1]), "wb") as file:
            for _ in range(size >> 20):
                file.write(rng.randbytes(1 << 20))
    return names


def html(items):
    return ("<!DOCTYPE html>\n<title>Records</title>\n<ul>\n" + "\n".join(items) + "\n</ul>\n").encode()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def nginx(work, site, extra=""):
    """Serves the folder `site`; gives the URL of its root. `extra` goes into the server block."""
    port = free_port()
    echo = glob.glob("/usr/lib/nginx/modules/ngx_http_echo_module.so")
    modules = "".join(f"load_module {path};\n" for path in echo)
    config = os.path.join(work, f"nginx-{port}.conf")
    write(config, f"""{modules}daemon off; master_process off; pid {work}/nginx-{port}.pid; error_log stderr crit;
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; etag on;
    types {{ text/html html; text/plain txt; }} default_type application/octet-stream;
    client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/fcgi;
    uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
    server {{ listen 127.0.0.1:{port} backlog=4096; root {site}; {extra} }}
}}
""".encode())
    server = subprocess.Popen(["nginx", "-c", config], stderr=subprocess.DEVNULL)
    try:
        wait_for(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def wait_for(port, server):
    for _ in range(200):
        if server.poll() is not None:
            raise RuntimeError("nginx did not start")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise RuntimeError("nginx does not answer")
