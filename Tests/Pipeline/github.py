"""A fake of the part of GitHub's API that the comment needs, on loopback: comments of a pull request over pages, pulls, runs, artefacts.
It answers 401 without the token, and 403 to writes where `may_write` is off, as to a job of a fork."""

import io
import json
import threading
import urllib.parse
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "token-of-the-test"
REPOSITORY = "owner/name"


class GitHub:
    def __init__(self):
        self.comments, self.may_write, self.calls = [], True, []
        self.pulls, self.runs, self.artifacts, self.stray = [], [], {}, []
        self._next = 1000
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                outer.serve(self)

            do_GET = do_POST = do_PATCH = answer

            def log_message(self, *words):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def add(self, body, kind="User"):
        self._next += 1
        self.comments.append({"id": self._next, "body": body, "user": {"login": "x", "type": kind}})
        return self._next

    def serve(self, request):
        path, _, query = request.path.partition("?")
        query = dict(urllib.parse.parse_qsl(query))
        length = int(request.headers.get("content-length") or 0)
        body = json.loads(request.rfile.read(length)) if length else None
        self.calls.append((request.command, path))
        status, answer = self.respond(request, path, query, body)
        if status == 302:
            request.send_response(302)
            request.send_header("location", answer)
            request.end_headers()
            return
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        request.send_response(status)
        request.send_header("content-length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    def respond(self, request, path, query, body):
        if path.startswith("/storage/"):
            # The other host: a token here has leaked.
            if request.headers.get("authorization"):
                self.stray.append(path)
            return 200, self.artifacts[int(path.rsplit("/", 1)[1])]
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return 401, {"message": "Bad credentials"}
        start = f"/repos/{REPOSITORY}"
        if not path.startswith(start):
            return 404, {"message": "Not Found"}
        path = path[len(start):]
        parts = path.strip("/").split("/")
        if request.command != "GET" and not self.may_write:
            return 403, {"message": "Resource not accessible by integration"}
        if path == "/issues/7/comments" and request.command == "GET":
            size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
            return 200, self.comments[(page - 1) * size: page * size]
        if path == "/issues/7/comments" and request.command == "POST":
            return 201, {"id": self.add(body["body"], "Bot")}
        if parts[:2] == ["issues", "comments"] and request.command == "PATCH":
            for comment in self.comments:
                if comment["id"] == int(parts[2]):
                    comment["body"] = body["body"]
                    return 200, comment
        if path == "/pulls":
            return 200, [pull for pull in self.pulls if pull["head"]["label"] == query["head"]]
        if parts[:2] == ["actions", "workflows"] and parts[3:] == ["runs"]:
            return 200, {"workflow_runs": [run for run in self.runs if run["branch"] == query["branch"]]}
        if parts[:2] == ["actions", "runs"] and parts[3:] == ["artifacts"]:
            run = int(parts[2])
            return 200, {"artifacts": [{"id": run}] if run in self.artifacts and query.get("name") == "pushrig-report" else []}
        if parts[:2] == ["actions", "artifacts"] and parts[3:] == ["zip"]:
            return 302, f"http://localhost:{self.server.server_port}/storage/{parts[2]}"
        return 404, {"message": "Not Found"}


def packed(folder, more=()):
    """The artefact of a report."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("run.json", "check.json", "summary.md", "junit.xml"):
            if (folder / name).is_file():
                archive.write(folder / name, name)
        for name, text in more:
            archive.writestr(name, text)
    return data.getvalue()
