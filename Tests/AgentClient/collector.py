"""A collector of OpenTelemetry for a test: reads what is posted by the protocol's own messages.

    collector.py          prints its port, then a line of JSON for each post: its metrics by name, with kind and last value
"""

import http.server, json

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        request = json_format.Parse(body, metrics_service_pb2.ExportMetricsServiceRequest())
        metrics = {}
        for resource in request.resource_metrics:
            named = {each.key: each.value.string_value for each in resource.resource.attributes}
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    kind = metric.WhichOneof("data")
                    point = getattr(metric, kind).data_points[-1]
                    assert point.time_unix_nano >= point.start_time_unix_nano > 0
                    if kind == "histogram":
                        assert sum(point.bucket_counts) == point.count
                        assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
                    metrics[metric.name] = [kind, point.count if kind == "histogram" else point.as_double]
        print(json.dumps({"path": self.path, "service": named["service.name"], "metrics": metrics,
                          "key": self.headers.get("x-key")}), flush=True)
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_port, flush=True)
server.serve_forever()
