// The judge against a list: a live run whose relay spoils known states on purpose (`pushrig relay --plant N`) and tells in
// its log which, while connections go away and streams are reset. All of it has to be found, each at its own event and
// under its own name, and nothing besides.

import Basics
import Foundation
import Journal
import Pushes
import Testing

/// One event of a session.
private struct Place: Hashable, CustomStringConvertible {
    var session: Int64
    var step: Int64
    var description: String { "session \(session), step \(step)" }

    init(session: Int64, step: Int64) { (self.session, self.step) = (session, step) }
    init(_ marker: Marker) { (session, step) = (Int64(marker.session), Int64(marker.step)) }
    init(_ example: JSONValue) {
        (session, step) = (example["session"]?.int ?? -1, example["step"]?.int ?? -1)
    }
}

/// What the relay says that it did.
private struct Plants {
    static let kinds = ["lost", "duplicated", "reordered", "misdirected", "altered"]
    var places: [String: Set<Place>] = [:]
    /// A fault of the provider met the activity's pushes: these may be found or not.
    var unsure: Set<Place> = []

    init(log path: String) throws {
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard let last = words.last, let marker = Marker.find(in: Array(last.utf8).span) else { continue }
            if words.contains("unsure") { unsure.insert(Place(marker)) }
            if words.contains("planted") { places[words[words.count - 2], default: []].insert(Place(marker)) }
        }
    }

    /// What has to be found under that name: what went astray or came altered was not delivered either.
    func places(_ kind: String) -> Set<Place> {
        let also = kind == "lost" ? ["lost", "misdirected", "altered"] : [kind]
        return also.reduce(into: []) { $0.formUnion(places[$1] ?? []) }
    }
}

@Suite("What is planted in a live run", .serialized)
struct PlantedTests {
    private static let isLarge = ProcessInfo.processInfo.environment["PUSHRIG_LARGE"] != nil

    /// Pushes of whose 200 the relay may not know: a second one is no duplicate to the judge.
    private func doubtful(_ journal: String) throws -> Set<Place> {
        var markers: [UInt64: Marker] = [:]
        var undelivered: Set<UInt64> = []
        _ = try JournalReader(directory: journal).forEach(since: nil) { entry in
            if case .push(let push) = entry, push.pushType == "liveactivity", push.status == 200 { markers[push.id] = push.marker }
            if case .note(let note) = entry, let id = note.undelivered { undelivered.insert(id) }
            return true
        }
        return Set(undelivered.compactMap { markers[$0].map(Place.init) })
    }

    /// Events whose state may have waited behind an alert that a fault met, until a newer one took its place: the alert is of
    /// the same event or an older one, and came within the deadline of six seconds, before or after.
    private func waiting(_ journal: String) throws -> Set<Place> {
        let deadline = Interval.seconds(6)
        var alerts: [Int64: [(step: Int64, at: Instant)]] = [:]
        var planned: [Place: Instant] = [:]
        _ = try JournalReader(directory: journal).forEach(since: nil) { entry in
            if case .event(let event) = entry {
                planned[Place(session: Int64(event.session), step: Int64(event.step))] = event.plannedAt
            }
            if case .push(let push) = entry, push.pushType == "alert", push.faultRule != 0, let marker = push.marker {
                alerts[Int64(marker.session), default: []].append((Int64(marker.step), push.arrivedAt))
            }
            return true
        }
        return Set(
            planned.filter { place, at in
                alerts[place.session]?.contains { alert in
                    alert.step <= place.step && at - deadline <= alert.at && alert.at <= at + deadline
                } ?? false
            }.keys)
    }

    /// A fault of ours held it up when a newer state was told, which took its place.
    private func wasLeftOut(_ place: Place, _ run: String) throws -> Bool {
        let told = try Rig.run(Rig.pushrig, ["journal", run, "--session", "\(place.session)", "--format", "json"])
        return try told.out.split(separator: "\n").map { try JSONValue(parsing: String($0)) }.contains { line in
            line["kind"]?.string == "owed" && line["step"]?.int == place.step && line["class"]?.string == "superseded"
                && line["words"]?.string?.contains("had kept the relay from sending it") == true
        }
    }

    /// 2,000 pushes; 20,000 and three seeds where the environment asks for the large ones.
    @Test("is found, each at its own event, and nothing besides", arguments: isLarge ? [1, 2, 3] : [1])
    func planted(seed: Int) throws {
        try Rig.withFolder { folder in
            let small = ["--set", "workload.arrivals=[{rate: 15, for: 8s}]", "--set", "faults[0].match.nthOfConnection=1200"]
            let run = try Rig.run(
                Rig.pushrig,
                ["run", "Tests/Planted/planted.yaml", "--quiet", "--seed", "\(seed)", "--out", folder + "/run"]
                    + (Self.isLarge ? [] : small))
            #expect(run.code == 4, "\(run.out)\(run.error)")
            let judged = try Rig.run(
                Rig.pushrig, ["judge", folder + "/run", "--format", "json", "--examples", "1000000"], seconds: 300)
            let record = try JSONValue(parsing: judged.out)
            let correlation = try #require(record["correlation"])
            func found(_ kind: String) -> [Place] { (correlation["examples"]?[kind]?.array ?? []).map(Place.init) }
            // How busy the machine is says nothing of what the judge finds: below, all of it has to be found all the same.
            for check in record["soundness"]?.array ?? [] where check["name"]?.string != "processors to spare" {
                #expect(check["passed"] == .bool(true), "\(check.text)")
            }

            let plants = try Plants(log: folder + "/run/relay.log")
            let doubtful = try doubtful(folder + "/run/journal")
            let waiting = try waiting(folder + "/run/journal")
            let excused = Set(found("excused")).union(waiting)
            var sure: [String: Int] = [:]
            for kind in Plants.kinds {
                let (planted, found) = (plants.places(kind), found(kind))
                #expect(found.count == Int(correlation["totals"]?[kind]?.int ?? 0) && Set(found).count == found.count)
                // What a fault of ours explains as well is not held against the relay.
                let explained = kind == "lost" ? excused : kind == "duplicated" ? doubtful : []
                let silent = planted.subtracting(found).subtracting(plants.unsure).subtracting(explained)
                let missed = kind == "lost" ? try silent.filter { try !wasLeftOut($0, folder + "/run") } : silent
                let invented = Set(found).subtracting(planted).subtracting(plants.unsure)
                #expect(missed.isEmpty, "\(kind), planted and not found: \(missed)")
                #expect(invented.isEmpty, "\(kind), found and not planted: \(invented)")
                sure[kind] = (plants.places[kind] ?? []).intersection(found).subtracting(plants.unsure).count
                #expect(sure[kind] ?? 0 >= (Self.isLarge ? 50 : 4), "\(kind)")
            }
            for kind in ["unexpected", "late"] { #expect(found(kind).isEmpty, "\(kind): \(found(kind))") }
            let pushes = correlation["pushes"]?.int ?? 0
            #expect(pushes >= (Self.isLarge ? 20_000 : 2_000))
            let explained = plants.places("lost").intersection(excused).count
            print(
                "seed \(seed): \(pushes) pushes; found as planted: \(sure.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }); "
                    + "\(plants.unsure.count) unsure, \(explained) losses explained by a fault; \(correlation["reasons"]?.text ?? "")")
        }
    }
}
