"""Chromium without a window, spoken to over two pipes in the DevTools protocol: messages of JSON that end with NUL."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def program():
    """The path of Debian's Chromium, or None."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium")


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="pushrig-page-")
        theirs, ours = os.pipe()
        back, forth = os.pipe()
        self.write, self.read = ours, back

        def place_descriptors():
            # It reads commands from 3 and writes what it says to 4.
            first, second = os.dup(theirs), os.dup(forth)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--user-data-dir=" + self.folder,
             "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--disable-extensions", "--mute-audio",
             "--force-color-profile=srgb", "--window-size=1280,900", "about:blank"],
            preexec_fn=place_descriptors, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(forth)
        self.buffer = b""
        self.number = 0
        self.answers = {}
        self.session = None
        #: Errors and warnings of the console, exceptions, and what the policy blocked.
        self.complaints = []
        #: Addresses that were asked for.
        self.requests = []
        #: What is answered in the mock's place, by a part of the address.
        self.stand_ins = {}
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.send(domain + ".enable")

    def send(self, method, parameters=None, seconds=30):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters or {}}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + seconds
        while number not in self.answers:
            self.take(deadline - time.monotonic())
        answer = self.answers.pop(number)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer.get("result", {})

    def take(self, seconds):
        """Takes in what the browser says, for at most so long."""
        if seconds <= 0 or self.process.poll() is not None:
            raise AssertionError("the browser does not answer")
        if not select.select([self.read], [], [], seconds)[0]:
            return
        self.buffer += os.read(self.read, 1 << 20)
        *messages, self.buffer = self.buffer.split(b"\0")
        for message in messages:
            self.hear(json.loads(message))

    def hear(self, message):
        if "id" in message:
            self.answers[message["id"]] = message
            return
        facts = message.get("params", {})
        match message["method"]:
            case "Runtime.exceptionThrown":
                self.complaints.append(facts["exceptionDetails"].get("exception", {}).get("description", str(facts)))
            case "Runtime.consoleAPICalled" if facts["type"] in ("error", "warning", "assert"):
                self.complaints.append(str(facts["args"]))
            case "Log.entryAdded" if facts["entry"]["level"] in ("error", "warning"):
                self.complaints.append(facts["entry"]["text"] + " " + facts["entry"].get("url", ""))
            case "Fetch.requestPaused":
                self.stand_in(facts["requestId"], facts["request"]["url"])
            case "Network.requestWillBeSent":
                self.requests.append(facts["request"]["url"])

    def stand_in(self, request, url):
        content = next(content for part, content in self.stand_ins.items() if part in url)
        self.number += 1
        message = {"id": self.number, "sessionId": self.session, "method": "Fetch.fulfillRequest", "params": {
            "requestId": request, "responseCode": 200, "body": base64.b64encode(json.dumps(content).encode()).decode(),
            "responseHeaders": [{"name": "content-type", "value": "application/json"}]}}
        os.write(self.write, json.dumps(message).encode() + b"\0")

    def answer(self, stand_ins):
        """From now on these are answered here, by a part of the address; nothing: the mock answers all."""
        self.stand_ins = stand_ins
        self.send("Fetch.disable")
        if stand_ins:
            self.send("Fetch.enable", {"patterns": [{"urlPattern": f"*{part}*"} for part in stand_ins]})

    def open(self, url):
        self.send("Page.navigate", {"url": url})
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'", "the page loads")

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.send("Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise AssertionError(script + ": " + str(answer["exceptionDetails"].get("exception", answer)))
        return answer["result"].get("value")

    def wait(self, script, what, seconds=15):
        """Until the expression is true."""
        deadline = time.monotonic() + seconds
        while not self.run(f"!!({script})"):
            if time.monotonic() > deadline:
                raise AssertionError(f"never: {what} ({script})")
            time.sleep(0.05)

    def look(self, width, height, dark=False, still=True):
        """The size and the taste of whoever looks."""
        self.send("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700})
        self.send("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}]})

    def press(self, key, code=None, text=None, shift=False):
        facts = {"key": key, "code": code or key, "modifiers": 8 if shift else 0,
                 "windowsVirtualKeyCode": {"Tab": 9, "Enter": 13, " ": 32}.get(key, 0)}
        if text:
            facts["text"] = text
        self.send("Input.dispatchKeyEvent", facts | {"type": "keyDown"})
        self.send("Input.dispatchKeyEvent", facts | {"type": "keyUp"})

    def type(self, text):
        self.send("Input.insertText", {"text": text})

    def picture(self, path, whole=False):
        shot = self.send("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def close(self):
        try:
            self.session = None
            self.send("Browser.close", seconds=5)
        except AssertionError:
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write)
        os.close(self.read)
        shutil.rmtree(self.folder, ignore_errors=True)
