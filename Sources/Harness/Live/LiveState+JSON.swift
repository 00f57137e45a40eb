// `GET /state`: what a spectator sees, as JSON. docs/watch.schema.json describes the shape; units stand in the names.

import Basics
import Journal
import LoadGenerator
import Metrics
import MockServer

extension LiveState {
    var json: JSONValue {
        [
            "format": "pushrig.watch", "version": 1,
            "run": [
                "scenario": .string(run.scenario), "seed": .string(String(run.seed)), "toolVersion": .string(run.version),
                "startedAt": .string(run.startedAt.iso8601), "lengthSeconds": .number(run.length.seconds),
                "events": .integer(Int64(run.events)), "sessions": .integer(Int64(run.sessions)),
            ],
            "phase": .string(phase), "elapsedSeconds": .number(elapsed.seconds), "isOver": .bool(load.isDone),
            "load": [
                "planned": Self.count(load.planned), "sent": Self.count(load.sent), "answered": Self.count(load.answered),
                "failed": Self.count(load.failed), "dropped": Self.count(load.dropped), "withheld": Self.count(load.withheld),
                "unexpectedStatus": Self.count(load.unexpectedStatus), "unanswered": Self.count(unanswered),
                "activeSessions": Self.count(load.activeSessions),
            ],
            "mock": [
                "pushes": Self.count(mock.pushes), "accepted": Self.count(mock.byStatus[200] ?? 0),
                "connections": Self.count(mock.connectionsOpen), "faultsFired": Self.count(mock.faultsFired),
            ],
            "rates": rates.json, "recent": recent.json,
            "whole": [
                "call": Self.quantiles(load.answer), "lateness": Self.quantiles(load.lateness),
                "delivery": figures.map { Self.quantiles($0.delivery) } ?? .null,
            ],
            "awaited": figures.flatMap { run.joins ? $0 : nil }.map { figures in
                [
                    "calls": Self.count(figures.awaited), "oldestSeconds": oldestAwaited.map { .number($0.seconds) } ?? .null,
                    "forgotten": Self.count(figures.forgotten), "behindSeconds": .number(figuresAge.seconds),
                ]
            } ?? .null,
            "rig": ["busiestThread": Self.number(busiestThread)],
            "relay": relay.map { sample in
                [
                    "processors": Self.number(relayProcessors), "residentBytes": .integer(sample.residentBytes),
                    "descriptors": Self.count(sample.descriptors),
                ]
            } ?? .null,
            "faults": .array(faults.map { .string($0) }),
            "gates": .array(gates.map(\.json)),
            "course": courseJSON,
        ]
    }

    /// Columns, with a place for each second.
    private var courseJSON: JSONValue {
        func column(_ value: (Point) -> JSONValue) -> JSONValue { .array(course.map(value)) }
        return [
            "atSeconds": column { .number(Self.rounded($0.at)) },
            "planned": column { .number(Self.rounded($0.rates.planned)) },
            "sent": column { .number(Self.rounded($0.rates.sent)) },
            "answered": column { .number(Self.rounded($0.rates.answered)) },
            "failed": column { .number(Self.rounded($0.rates.failed)) },
            "pushes": column { .number(Self.rounded($0.rates.pushes)) },
            "callP50Nanoseconds": column { Self.integer($0.recent.callP50) },
            "callP99Nanoseconds": column { Self.integer($0.recent.callP99) },
            "deliveryP50Nanoseconds": column { Self.integer($0.recent.deliveryP50) },
            "deliveryP99Nanoseconds": column { Self.integer($0.recent.deliveryP99) },
            "latenessP99Nanoseconds": column { Self.integer($0.recent.latenessP99) },
            "unanswered": column { Self.count($0.unanswered) },
            "awaited": column { Self.integer($0.awaited.map { Int64($0) }) },
        ]
    }

    static func count(_ value: Int) -> JSONValue { .integer(Int64(value)) }
    static func number(_ value: Double?) -> JSONValue { value.map { .number(rounded($0, to: 1_000)) } ?? .null }
    static func integer(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }
    static func rounded(_ value: Double, to parts: Double = 10) -> Double { (value * parts).rounded() / parts }

    private static func quantiles(_ histogram: Histogram) -> JSONValue {
        func value(_ percentile: Double) -> JSONValue { histogram.isEmpty ? .null : .integer(histogram.value(at: percentile)) }
        return [
            "count": .integer(histogram.count), "p50Nanoseconds": value(50), "p99Nanoseconds": value(99),
            "maxNanoseconds": histogram.isEmpty ? .null : .integer(histogram.max),
        ]
    }
}

extension LiveState.Rates {
    fileprivate var json: JSONValue {
        [
            "planned": .number(LiveState.rounded(planned)), "sent": .number(LiveState.rounded(sent)),
            "answered": .number(LiveState.rounded(answered)), "failed": .number(LiveState.rounded(failed)),
            "pushes": .number(LiveState.rounded(pushes)),
        ]
    }
}

extension LiveState.Recent {
    fileprivate var json: JSONValue {
        [
            "callP50Nanoseconds": LiveState.integer(callP50), "callP99Nanoseconds": LiveState.integer(callP99),
            "deliveryP50Nanoseconds": LiveState.integer(deliveryP50),
            "deliveryP99Nanoseconds": LiveState.integer(deliveryP99),
            "latenessP99Nanoseconds": LiveState.integer(latenessP99),
        ]
    }
}

extension LiveState.Gate {
    fileprivate var json: JSONValue {
        [
            "text": .string(text), "value": value.map { .number($0) } ?? .null, "valueText": .string(valueText),
            "word": .string(word.rawValue), "abort": .bool(aborts),
        ]
    }
}
