#!/usr/bin/env python3
"""Holds deploy/grafana/pushrig.json to its form, and runs each query of each panel against a real Prometheus, which scrapes a real mock
and a real run that uses that mock. Each query has to give figures.

    Tests/Pipeline/dashboard.py PUSHRIG FOLDER

Needs prometheus and promtool (script/setup --pipeline). All it starts it ends."""

import json
import math
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOARD = ROOT / "deploy/grafana/pushrig.json"


def form(board):
    panels = board["panels"]
    ids = [panel["id"] for panel in panels]
    wrong = ["ids of panels are not unique"] if len(ids) != len(set(ids)) else []
    variables = {v["name"]: v for v in board["templating"]["list"]}
    if variables.get("datasource", {}).get("type") != "datasource":
        wrong.append("the data source is no variable")
    wrong += [f"variable {name}: its data source is fixed" for name, about in variables.items()
              if about["type"] == "query" and about.get("datasource", {}).get("uid") != "${datasource}"]
    if not all(board.get(key) for key in ("uid", "title", "schemaVersion")):
        wrong.append("uid, title or schemaVersion is missing")
    taken = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        if cells & taken or place["x"] + place["w"] > 24:
            wrong.append(f"{panel['title']} lies over another panel")
        taken |= cells
        letters = [target["refId"] for target in panel.get("targets", [])]
        if len(letters) != len(set(letters)):
            wrong.append(f"{panel['title']}: letters of its queries are not unique")
        for thing in [panel, *panel.get("targets", [])]:
            if panel["type"] != "row" and thing.get("datasource", {}).get("uid") != "${datasource}":
                wrong.append(f"{panel['title']}: its data source is fixed")
    return wrong


def free(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read()


def until(question, seconds, words):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if question():
                return
        except OSError:
            pass
        time.sleep(0.2)
    sys.exit(f"red: {words}")


def figures(server, query, began):
    told = json.loads(get(f"{server}/api/v1/query_range?" + urllib.parse.urlencode(
        {"query": query, "start": began, "end": time.time(), "step": 1})))
    if told["status"] != "success":
        return 0
    return sum(1 for row in told["data"]["result"] for _, figure in row["values"] if math.isfinite(float(figure)))


def main():
    pushrig, folder = os.path.realpath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    board = json.loads(BOARD.read_text())
    wrong = form(board)
    if wrong:
        sys.exit("red: " + "; ".join(wrong))
    folder.mkdir(parents=True, exist_ok=True)
    admin, watch, port = free(3)
    (folder / "prometheus.yml").write_text(f"""global: {{ scrape_interval: 1s, scrape_timeout: 1s }}
scrape_configs:
  - job_name: pushrig-mock
    static_configs: [{{ targets: ["127.0.0.1:{admin}"] }}]
  - job_name: pushrig-run
    static_configs: [{{ targets: ["127.0.0.1:{watch}"] }}]
""")
    started = []

    def start(name, *words):
        log = open(folder / f"{name}.log", "wb")
        started.append(subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=ROOT))

    try:
        began = time.time()
        start("mock", pushrig, "mock", "--state", folder / "state", "--apns", "127.0.0.1:0", "--admin", f"127.0.0.1:{admin}",
              "--channels", "none")
        until(lambda: get(f"http://127.0.0.1:{admin}/v1/health"), 20, "the mock is not up")
        server = f"http://127.0.0.1:{port}"
        start("prometheus", "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
              f"--web.listen-address=127.0.0.1:{port}")
        until(lambda: get(f"{server}/-/ready"), 30, "Prometheus is not up")
        start("run", pushrig, "run", "Scenarios/smoke.yaml", "--quiet", "--mock", folder / "state", "--watch", watch, "--out", folder / "run")
        until(lambda: get(f"http://127.0.0.1:{watch}/metrics"), 20, "the run is not watched")
        time.sleep(5)
        for name, address in (("mock", admin), ("run", watch)):
            lint = subprocess.run(["promtool", "check", "metrics"], input=get(f"http://127.0.0.1:{address}/metrics"), capture_output=True)
            if lint.returncode == 1:
                sys.exit(f"red: promtool on the metrics of the {name}: {lint.stderr.decode()}")
        started[-1].wait(timeout=90)
        time.sleep(2)
        empty, asked = [], 0
        for panel in board["panels"]:
            for target in panel.get("targets", []):
                query = target["expr"].replace("$__rate_interval", "4s")
                query = query.replace("$run", f"127.0.0.1:{watch}").replace("$mock", f"127.0.0.1:{admin}")
                asked += 1
                if "$" in query or not figures(server, query, began):
                    empty.append(f"{panel['title']}: {target['expr']}")
        for variable in board["templating"]["list"]:
            if variable["type"] == "query":
                metric = variable["definition"].removeprefix("label_values(").split(",")[0]
                if not figures(server, metric, began):
                    empty.append(f"variable {variable['name']}")
        if empty or asked < 20:
            sys.exit(f"red: of {asked} queries these give nothing:\n  " + "\n  ".join(empty))
        print(f"{asked} queries of {len(board['panels'])} panels give figures")
    finally:
        for process in reversed(started):
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


if __name__ == "__main__":
    main()
