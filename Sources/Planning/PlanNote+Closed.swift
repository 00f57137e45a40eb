// A closed load, once it was played, is a list of instants like any other: who reads its journal has a plan again.

package import Basics
package import Journal
import Scenarios

extension PlanNote {
    /// Its name among the scenario's files.
    private static let fileName = "sessions-as-they-began.txt"

    /// Of a closed load: with the instants at which the journal says that its sessions began in the place of its users, and the
    /// digest of that plan where the one of the run is right. Of an open load: itself.
    package func asPlayed(_ reader: JournalReader) throws(Failure) -> PlanNote {
        guard closedUsers != nil else { return self }
        var begun: [SessionBegunNote] = []
        _ = try reader.forEach(since: nil, reading: { _ in .none }) { entry in
            if case .note(let note) = entry, let session = note.sessionBegun { begun.append(session) }
            return true
        }
        return try asPlayed(begun)
    }

    /// What `asPlayed` was made of, as far as it was asked for, with that plan's digest; itself where it was not.
    package func asAsked() throws(Failure) -> PlanNote {
        guard closedUsers != nil, files.last?.path == Self.fileName else { return self }
        var asked = self
        asked.files.removeLast()
        asked.overrides.removeLast()
        if plan(of: try scenario()).digest() == digest { asked.digest = asked.plan(of: try asked.scenario()).digest() }
        return asked
    }

    func asPlayed(_ noted: [SessionBegunNote]) throws(Failure) -> PlanNote {
        let begun = noted.sorted { $0.session < $1.session }
        // One that is missing has no instant, so that those behind it belong to no plan.
        let whole = begun.enumerated().prefix { $0.offset == Int($0.element.session) }.map(\.element)
        guard !whole.isEmpty else { return self }
        var played = self
        played.files.append(File(path: Self.fileName, text: whole.map { Self.seconds($0.at) + "\n" }.joined()))
        played.overrides.append(["workload.arrivals", "[{ file: \(Self.fileName) }]"])
        if plan(of: try scenario()).digest() == digest { played.digest = played.plan(of: try played.scenario()).digest() }
        return played
    }

    /// Exact to the microsecond.
    private static func seconds(_ interval: Interval) -> String {
        let (whole, part) = max(0, interval.nanoseconds / 1_000).quotientAndRemainder(dividingBy: 1_000_000)
        return "\(whole).\(String(1_000_000 + part).dropFirst())"
    }
}
