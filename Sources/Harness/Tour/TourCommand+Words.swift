// What a tour says of what it saw.

import Basics
import Net
import Verdicts

extension TourCommand {
    func check(_ probe: TourProbe, _ draft: TourDraft) throws(Failure) {
        if let (call, words) = probe.refusals.min(by: { $0.key < $1.key }) {
            throw Failure(
                .run, "the relay answered `\(draft.names[call])` \(words)",
                hint: "a tour begins with calls that work: try the line by itself with a token of 64 hex digits")
        }
        if let call = probe.broadcast {
            throw Failure(
                .run, "one call of `\(draft.names[call])` reached several phones, of other users among them",
                hint: "a tour is for calls that reach whom they name: write a profile, docs/adding-a-relay.md")
        }
        guard !probe.seen.contains(where: { $0.pushes.contains(where: \.isMarked) }) || probe.unknown > 0 else { return }
        let words = probe.refused.map { "its pushes were refused: \($0)" }
            ?? (probe.unknown > 0
                ? "\(probe.unknown) pushes came without the text of {{text}}, and a tour cannot tell of which call they are"
                : "none of \(probe.calls) calls was followed by a push")
        throw Failure(
            .run, words,
            hint: "put {{text}} where a phone shows it and {{token}} where the token stands, and give the calls in the order "
                + "in which they are made; "
                + (execArguments.contains("--no-443") ? "a relay that calls port 443 goes without --no-443; " : "")
                + "relay.log has the relay's words")
    }

    /// What would be asked besides, if it were said.
    func advice(_ draft: TourDraft, _ profile: String) -> String {
        var lines: [String] = []
        if draft.callersKeepTokens {
            lines.append("`answers` with `means: pruned`: whether callers are told which tokens are dead, and of no other")
        }
        lines.append("`rest`: how long a push may wait behind a 429 or 5xx; without it a warning tells of one that never comes")
        lines.append("`coalescing` and `deadlines`, where a newer push may take the place of one that waits")
        lines.append("calls that are to be refused (`expect: 400`), and `knownFailing`")
        return "a profile of it is \(profile). What more to say there:\n"
            + lines.map { "  - \($0)\n" }.joined()
            + "  then: eval \"$(pushrig mock --state DIR --print-env)\"; export APNS_URL=https://api.push.apple.com\n"
            + "        pushrig exec --state DIR -- \(CommandText.line(command))\n"
            + "  and beside it: pushrig check \(profile) --relay \(draft.relayURL) --mock DIR\n"
            + "  The commands for replay want the relay as well, and --mock DIR.\n"
    }
}
