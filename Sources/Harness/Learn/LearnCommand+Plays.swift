// Further plays of a draft that the relay has taken: what they tell stands in the profile.

import Basics
import Journal
import OperatingSystem

extension LearnCommand {
    /// False: a signal came. What cannot be asked is told; what is known without it is known still.
    func ask(
        _ draft: inout TourDraft, _ first: String, readyPath: String?, _ led: LedRelay, _ signals: Signals
    ) -> Bool {
        do throws(Failure) { return try learn(&draft, first, readyPath: readyPath, led, signals) } catch {
            say("no more can be found out: \(error.message)\(error.hint.map { " (\($0))" } ?? "")\n")
            return true
        }
    }

    private func learn(
        _ draft: inout TourDraft, _ first: String, readyPath: String?, _ led: LedRelay, _ signals: Signals
    ) throws(Failure) -> Bool {
        let plays = LearnPlays(draft)
        var (terms, passes, values, schemas) = (LearnedTerms(), LearnedPasses(), LearnedValues(), LearnedSchemas())
        let usual = try PlayedCalls(of: "\(led.folder)/\(first)")
        passes.learn(usual)
        values.learn(usual)
        schemas.learn(usual)
        var bare = draft
        bare.seen = []
        try FileSystem.write(bare.profile, to: led.folder + "/terms.profile.yaml")
        if let text = plays.terms(readyPath: readyPath) {
            say("now calls come close together, and before a card has its token\n")
            guard let played = try play("terms", text, led, signals) else { return false }
            terms.learn(plays, played)
            passes.learn(played)
            values.learn(played)
            schemas.learn(played)
        }
        if let text = plays.refused(readyPath: readyPath) {
            say("now each push is refused once\n")
            guard let played = try play("refused", text, led, signals) else { return false }
            terms.learn(refused: played, draft)
        }
        if draft.isOfOneHost, let text = plays.elsewhere(readyPath: readyPath) {
            say("now the one host of APNs knows no token\n")
            guard let played = try play("elsewhere", text, led, signals) else { return false }
            if Set(played.pushes.map(\.environment)).count > 1 { draft.isOfOneHost = false }
        }
        for file in schemas.files { try FileSystem.write(file.text, to: "\(led.folder)/\(file.name)") }
        draft.schemas = schemas.files.map { ($0.key, $0.name) }
        for (call, pushes) in terms.more { draft.seen[call].pushes += pushes }
        draft.carried = values.rows
        let carried = Set(draft.carried.map(\.row.at))
        (draft.terms, draft.passes) = (terms, passes.rows.filter { !carried.contains($0.at) })
        return true
    }

    /// Nil: a signal came.
    private func play(
        _ name: String, _ text: String, _ led: LedRelay, _ signals: Signals
    ) throws(Failure) -> PlayedCalls? {
        try FileSystem.write(text, to: "\(led.folder)/\(name).yaml")
        let code = try led.play(name, signals, isFirst: true)
        guard !signals.wait(atMost: .zero), code != ExitCode.interrupted.rawValue else { return nil }
        try led.checkPlayed(name, code)
        return try PlayedCalls(of: "\(led.folder)/\(name)")
    }
}
