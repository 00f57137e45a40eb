import Basics
import Foundation
import Testing

@Suite("Nothing reaches a real provider", .serialized)
struct IsolationTests {
    /// A network of its own which owns addresses of Apple, of Google and of a stranger, and in which every packet to
    /// them is seen. Its hosts file and its name server lead there.
    @Test("no verb opens a connection to one, whatever scenario, redirect, hosts file or name server says")
    func noConnection() throws {
        try Rig.withFolder { folder in
            guard let unshare = Self.unshare else {
                Issue.record(
                    """
                    NOT RUN: that nothing reaches a real provider. It needs `ip` (package iproute2), python3, and the \
                    right to make a network namespace (root, or user namespaces).
                    """, severity: .warning)
                return
            }
            try Self.network.write(toFile: folder + "/network.py", atomically: true, encoding: .utf8)
            try Self.script.write(toFile: folder + "/script.sh", atomically: true, encoding: .utf8)
            let run = try Rig.run(
                "unshare", unshare + ["bash", folder + "/script.sh", folder, Rig.pushrig], seconds: 240)
            #expect(run.code == 0, "\(run.out)\n\(run.error)")
            let ended = run.out.split(separator: "\n").filter { $0.hasPrefix("= ") }.map(String.init)
            let expected = Self.expected
            #expect(ended.count == expected.count, "\(run.out)\n\(run.error)")
            for (line, wanted) in zip(ended, expected) {
                #expect(
                    line.hasPrefix("= \(wanted.name) ") && wanted.codes.contains(String(line.suffix(1))), "\(run.error)"
                )
            }
            // What went there is what the script itself sent at the end, to show that it would have been seen.
            let seen = try String(contentsOfFile: folder + "/seen", encoding: .utf8).split(separator: "\n").map(
                String.init)
            #expect(
                Set(seen) == [
                    "17.0.0.1 9", "142.250.0.1 9", "2620:149:a44::1 9", "64:ff9b::1100:1 9", "10.9.9.9 9", "dropped 0",
                ])
            // The loads that a name and a redirect were to lead away did send.
            for name in ["moved", "redirected"] {
                let record = try Rig.json(folder + "/\(name)/run.json")
                #expect(try #require(record["load"]?["sent"]?.int) > 20, "\(name)")
            }
            #expect(try #require(try Rig.json(folder + "/relayed/run.json")["load"]?["sent"]?.int) > 20)
        }
    }

    /// Each command of the script, in order, and the codes with which it may end.
    private static let expected: [(name: String, codes: [String])] = [
        ("literal", ["2"]), ("six", ["2"]), ("nat64", ["2"]), ("google", ["2"]), ("hosts-file", ["2"]),
        ("vendor-name", ["2"]), ("name-server", ["2"]), ("name-server-six", ["2"]), ("short", ["2"]),
        ("foreign", ["2"]),
        ("bench-literal", ["2"]), ("bench-name", ["2"]), ("bench-foreign", ["2"]), ("relay-apple", ["2"]),
        ("relay-sandbox", ["2"]), ("relay-name", ["2"]), ("relay-foreign", ["2"]), ("mock", ["0"]),
        ("bench-moved", ["0", "3"]), ("unready", ["1"]), ("moved", ["0", "3", "4", "5"]),
        ("redirected", ["0", "3", "4", "5"]), ("relayed", ["0", "3", "4", "5"]),
    ]

    /// What makes a network of its own; nil where that may not be.
    private static let unshare: [String]? = {
        for words in [["--net", "--mount"], ["--map-root-user", "--net", "--mount"]] {
            let probe = try? Rig.run("unshare", words + ["sh", "-c", "ip link set lo up && python3 --version"])
            if probe?.code == 0 { return words }
        }
        return nil
    }()

    private static let script = #"""
        set -euo pipefail
        folder=$1 pushrig=$2
        ip link set lo up
        for address in 17.0.0.1/32 142.250.0.1/32 10.9.9.9/32; do ip addr add "$address" dev lo; done
        for address in 2620:149:a44::1/128 64:ff9b::1100:1/128; do ip -6 addr add "$address" dev lo; done
        cat >"$folder/hosts" <<END
        127.0.0.1 localhost
        17.0.0.1 api.push.apple.com relay.hosts
        END
        echo "nameserver 127.0.0.1" >"$folder/resolv.conf"
        echo "hosts: files dns" >"$folder/nsswitch.conf"
        for file in hosts resolv.conf nsswitch.conf; do
            [ -e "/etc/$file" ] && mount --bind "$folder/$file" "/etc/$file"
        done
        python3 "$folder/network.py" "$folder" &
        network=$!
        trap 'kill -9 $network 2>/dev/null || true' EXIT
        for _ in $(seq 200); do [ -e "$folder/up" ] && break; sleep 0.05; done

        said() { # name, command: tells how it ended
            local name=$1 code=0
            shift
            "$@" >"$folder/$name.out" 2>&1 || code=$?
            head -n 40 "$folder/$name.out" | sed "s/^/$name: /" >&2
            echo "= $name $code"
        }
        run() { # name, url, words: a run against a relay that is there
            local name=$1 url=$2
            shift 2
            said "$name" "$pushrig" run "$folder/scenario.yaml" --set "relay.url=$url" --out "$folder/$name" --quiet "$@"
        }
        cat >"$folder/scenario.yaml" <<END
        name: isolation
        seed: 1
        relay: { profile: relays/opencode.yaml, url: "http://127.0.0.1:1", ready: { path: /health, timeout: 2s } }
        workload:
          arrivals: [{ rate: 10, for: 1s }]
          pace: 60
          connections: 4
          scripts: [{ script: sessions/S0-happy.yaml, weight: 1 }]
        phases: { drain: 100ms }
        END

        run literal http://17.0.0.1:8787 --allow-host 17.0.0.1
        run six 'http://[2620:149:a44::1]:8787' --allow-host 2620:149:a44::1
        run nat64 'http://[64:ff9b::1100:1]:8787' --allow-host 64:ff9b::1100:1
        run google http://142.250.0.1:8787 --allow-host 142.250.0.1
        run hosts-file http://relay.hosts:8787 --allow-host relay.hosts
        run vendor-name http://api.push.apple.com:8787 --allow-host api.push.apple.com
        run name-server http://apple.test:8787 --allow-host apple.test
        run name-server-six http://six.test:8787 --allow-host six.test
        run short http://17.1:8787 --allow-host 17.1
        run foreign http://foreign.test:8787
        said bench-literal "$pushrig" bench https://17.0.0.1 --requests 1 --allow-host 17.0.0.1
        said bench-name "$pushrig" bench https://apple.test --requests 1 --allow-host apple.test
        said bench-foreign "$pushrig" bench https://foreign.test --requests 1
        relay() { # name, words
            local name=$1
            shift
            said "$name" timeout 20 "$pushrig" relay --listen 127.0.0.1:0 --storage "$folder/$name.sqlite" --key x --key-id x \
                --team-id x --topic x "$@"
        }
        relay relay-apple --apns https://api.push.apple.com --allow-host api.push.apple.com
        relay relay-sandbox --apns https://127.0.0.1:1 --apns-sandbox https://api.sandbox.push.apple.com
        relay relay-name --apns https://apple.test --allow-host apple.test
        relay relay-foreign --apns https://foreign.test
        said mock timeout --preserve-status 2 "$pushrig" mock --state "$folder/state" --apns 127.0.0.1:0 --admin 127.0.0.1:0
        # From here on names lead home when they are looked up for the first time, and to Apple ever after.
        said bench-moved "$pushrig" bench http://moving-bench.test:8788 --http1.1 --connections 4 --requests 200 \
            --method GET --path /health
        run unready http://moving-unready.test:8789
        run moved http://moving-run.test:8787
        run redirected http://moving-redirect.test:8788
        said relayed "$pushrig" run Scenarios/smoke.yaml --out "$folder/relayed" --quiet --set phases.drain=1s \
            --set 'workload.arrivals=[{rate: 30, for: 1s}]' --set workload.pace=60 --set "relay.launch=[\"{{pushrig}}\",
            relay, --listen, \"{{relay.listen}}\", --apns, \"https://moving-apns.test:{{mock.apnsPort}}\", --apns-sandbox,
            \"https://moving-sandbox.test:{{mock.apnsPort}}\", --apns-ca, \"{{mock.ca}}\", --key, \"{{mock.key}}\", --key-id,
            \"{{mock.keyId}}\", --team-id, \"{{mock.teamId}}\", --topic, \"{{mock.topic}}\", --storage,
            \"{{run.dir}}/relay.sqlite\"]"

        for address in 17.0.0.1 142.250.0.1 10.9.9.9 2620:149:a44::1 64:ff9b::1100:1; do
            python3 -c "import socket, sys; socket.create_connection((sys.argv[1], 9))" "$address" 2>/dev/null || true
        done
        sleep 0.5
        # Not by a signal: those that whoever runs the tests has blocked are inherited.
        touch "$folder/over"
        wait $network
        """#

    /// Sees the packets, answers as a name server, and plays three relays: one in order, one whose calls are redirected,
    /// one that redirects everything.
    private static let network = #"""
        import http.server, ipaddress, os, socket, struct, sys, threading, time
        folder = sys.argv[1]
        watched = [ipaddress.ip_network(n) for n in
            ("17.0.0.0/8", "142.250.0.0/15", "10.9.9.9/32", "2620:149::/32", "64:ff9b::/96")]
        wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        wire.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        seen = open(folder + "/seen", "w", buffering=1)

        def watch():
            while True:
                frame = wire.recv(65536)
                kind = frame[12:14]
                if kind == b"\x08\x00": target, after = frame[30:34], 14 + (frame[14] & 15) * 4
                elif kind == b"\x86\xdd": target, after = frame[38:54], 54
                else: continue
                address = ipaddress.ip_address(target)
                # What comes back to a sender that used the address itself is no question to it.
                if any(address in network for network in watched) and not frame[after + 13:after + 14] == b"\x14":
                    seen.write("%s %d\n" % (address, struct.unpack(">H", frame[after + 2:after + 4])[0]))

        asked = {}

        def names():
            server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            server.bind(("127.0.0.1", 53))
            while True:
                question, sender = server.recvfrom(512)
                labels, place = [], 12
                while question[place]:
                    labels.append(question[place + 1:place + 1 + question[place]].decode())
                    place += 1 + question[place]
                name, kind = ".".join(labels).lower(), struct.unpack(">H", question[place + 1:place + 3])[0]
                addresses = {"apple.test": "17.0.0.1", "six.test": "2620:149:a44::1", "foreign.test": "10.9.9.9"}
                address = addresses.get(name)
                if name.startswith("moving-"):
                    if kind == 1: asked[name] = asked.get(name, 0) + 1
                    address = "127.0.0.1" if asked.get(name, 0) <= 1 else "17.0.0.1"
                packed = ipaddress.ip_address(address).packed if address else b""
                fits = len(packed) == {1: 4, 28: 16}.get(kind)
                flags = 0x8180 if address else 0x8183
                answer = question[:2] + struct.pack(">HHHHH", flags, 1, 1 if fits else 0, 0, 0) + question[12:place + 5]
                if fits: answer += struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(packed)) + packed
                server.sendto(answer, sender)

        def relay(port, redirects_calls, redirects_all):
            class Relay(http.server.BaseHTTPRequestHandler):
                # A connection for each request: a client that looks the name up again does it often.
                def do(self):
                    self.rfile.read(int(self.headers.get("content-length", 0)))
                    redirects = redirects_all or redirects_calls and self.path != "/health"
                    self.send_response(307 if redirects else 200)
                    if redirects: self.send_header("location", "http://17.0.0.1:80" + self.path)
                    self.send_header("alt-svc", 'h2="17.0.0.1:443"')
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", "30")
                    self.send_header("connection", "close")
                    self.end_headers()
                    self.wfile.write(b'{"ok":true,"sent":1,"failed":0')
                do_GET = do_POST = do
                def log_message(self, *_): pass
            http.server.ThreadingHTTPServer.request_queue_size = 128
            server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Relay)
            threading.Thread(target=server.serve_forever, daemon=True).start()

        relay(8787, False, False)
        relay(8788, True, False)
        relay(8789, False, True)
        threading.Thread(target=names, daemon=True).start()
        threading.Thread(target=watch, daemon=True).start()
        open(folder + "/up", "w").close()
        while not os.path.exists(folder + "/over"): time.sleep(0.05)
        _, dropped = struct.unpack("II", wire.getsockopt(263, 6, 8))  # SOL_PACKET, PACKET_STATISTICS
        seen.write("dropped %d\n" % dropped)
        seen.flush()
        os._exit(0)
        """#
}
