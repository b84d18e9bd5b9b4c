"""Headless Chromium, spoken to over a pipe (DevTools protocol)."""

import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile


class Chromium:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="nightjar-chromium-")
        theirs, ours = os.pipe(), os.pipe()
        command = (
            f"exec chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --no-first-run "
            f"--disable-dev-shm-usage --remote-debugging-pipe --user-data-dir={self.profile} about:blank "
            f"3<&{theirs[0]} 4>&{ours[1]} >/dev/null 2>&1")
        self.process = subprocess.Popen(["bash", "-c", command], pass_fds=(theirs[0], ours[1]))
        os.close(theirs[0])
        os.close(ours[1])
        self.input, self.output = os.fdopen(theirs[1], "wb", buffering=0), os.fdopen(ours[0], "rb")
        self.number, self.session, self.events = 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
            self.call(f"{domain}.enable")

    def close(self):
        with contextlib.suppress(OSError, EOFError):
            self.session = None
            self.call("Browser.close")
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.input.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def read(self):
        text = bytearray()
        while (byte := self.output.read(1)) != b"\0":
            if not byte:
                raise EOFError("chromium has ended")
            text += byte
        message = json.loads(text)
        if "method" in message:
            self.events.append(message)
            # An alert waits for an answer, and would stop everything.
            if message["method"] == "Page.javascriptDialogOpening":
                self.number += 1
                answer = {"id": self.number, "method": "Page.handleJavaScriptDialog", "params": {"accept": True},
                          "sessionId": self.session}
                self.input.write(json.dumps(answer).encode() + b"\0")
        return message

    def open(self, url, scheme="light", width=1280, height=900, scripts=True):
        """Loads `url`; what happened meanwhile is in `events`."""
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        for address in ("about:blank", url):
            self.events = []
            self.call("Page.navigate", url=address)
            while not any(event["method"] == "Page.loadEventFired" for event in self.events):
                self.read()

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def press(self, key, code=0, text=None):
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def screenshot(self, path):
        self.save(path, self.call("Page.captureScreenshot", format="png")["data"])

    def pdf(self, path):
        self.save(path, self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"])

    @staticmethod
    def save(path, data):
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
