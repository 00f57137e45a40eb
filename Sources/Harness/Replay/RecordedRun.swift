// What is to be played again: a run's directory, or a file that `pushrig export` wrote.

import Basics
import Journal
import Planning
import Scenarios
import Verdicts

/// A plan as it was recorded, and what came of it.
struct RecordedRun {
    /// As it stands in the journal, files and all.
    var note: PlanNote
    /// In the place of the note's own: the part of the plan that is to be played.
    var cut: ReplayNote?
    var verdict: RecordedVerdict
    /// Where the journal stands; nil: a file holds all that there is.
    var directory: String?

    init(note: PlanNote, cut: ReplayNote?, verdict: RecordedVerdict, directory: String?) {
        self.note = note
        self.cut = cut
        self.verdict = verdict
        self.directory = directory
    }

    /// `path` names either; `sessions` narrows it to these and those of their users. Throws a usage `Failure` when there is
    /// nothing that can be played.
    init(_ path: String, session: UInt32?) throws(Failure) {
        if ExportFile.isOne(path) {
            self = try ExportFile.read(path)
            if let session { try narrow(to: session, path) }
            return
        }
        let reader = try JournalReader(directory: try JournalPlace.journal(of: path))
        guard let note = try Verdicts.planNote(reader)?.note else {
            throw Failure(
                .usage, "\(path) holds no plan that could be played again: a mock alone was driven by somebody else",
                hint: "give the directory of a run, or a file of `pushrig export`")
        }
        self.note = note
        directory = JournalPlace.home(of: path)
        guard let session else {
            cut = note.replay
            var options = JudgeOptions()
            options.saysInterrupted = true
            verdict = RecordedVerdict(try Verdicts.judge(path, options))
            return
        }
        let own = try SessionCut.make(of: session, note, path: path)
        (cut, verdict) = (own.cut, own.verdict)
    }

    /// A file holds one user's sessions at least, and no history that would tell more.
    private func narrow(to session: UInt32, _ path: String) throws(Failure) {
        var note = note
        note.replay = cut
        let plan = note.plan(of: try note.scenario())
        guard plan.accountCount == 1, plan.plays(session) else {
            throw Failure(
                .usage, "\(path) cannot be cut down to session \(session)",
                hint: "`pushrig export RUN --session \(session)` makes a file of it, from the run's own directory")
        }
    }

    /// The plan, made again; throws when this program makes another one of the same files and seed.
    func check() throws(Failure) {
        let scenario = try note.scenario()
        let plan = note.plan(of: scenario)
        guard plan.digest() != note.digest else { return }
        let isOwn = note.toolVersion.isEmpty || note.toolVersion == Build.version
        let by = isOwn ? "" : " (pushrig \(note.toolVersion) recorded it)"
        throw Failure(
            .usage, "the plan of the recorded run is not the one that this pushrig \(Build.version) makes\(by): "
                + (try difference(plan) ?? "\(Numbers.count(plan.eventCount)) calls now, of another digest"),
            hint: "replay it with the version that recorded it, or run its scenario anew")
    }

    /// In words, the first planned call of the journal that the plan does not have so; nil where there is none.
    private func difference(_ plan: Plan) throws(Failure) -> String? {
        guard let directory else { return nil }
        var check = PlanCheck(plan)
        _ = try JournalReader(directory: try JournalPlace.journal(of: directory)).forEach(since: nil) { entry in
            check.see(entry)
            return check.difference == nil
        }
        return check.difference
    }
}
