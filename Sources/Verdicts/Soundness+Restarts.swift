// Whether a relay that we ended was asked anything behind that: what it was told before proves nothing of it then.

import Basics
import Conformance
import Metrics

extension Soundness {
    /// A restart that happens, and behind which nothing is asked, is no test: whoever comes back late, or never, would pass by
    /// what came before.
    mutating func addReturns(_ story: Story, _ run: RunContext) {
        guard story.wasReady, story.finish != nil, let last = run.circumstances.outages.last else { return }
        guard story.isBack else {
            add(
                "the relay was back in time", false,
                "it had not answered again when the run ended: give it longer, or restart it earlier")
            return
        }
        guard run.lastAsked < last.until else { return }
        add(
            "the relay was asked behind each restart", false,
            "nothing was behind the last one, from which it was back after \(last.until - last.from): make the scripts "
                + "longer, or restart it earlier")
    }
}
