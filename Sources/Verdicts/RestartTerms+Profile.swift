// What a profile says of activities that grow old, as rules see it.

import Metrics
import Scenarios

extension RestartTerms {
    init(_ spec: RestartSpec) {
        self.init(
            after: spec.after, within: spec.within, before: spec.before, adoptWithin: spec.adoptWithin, pause: spec.pause,
            longestPause: spec.longestPause)
    }
}

extension AgeTerms {
    init(_ spec: AgeSpec) { self.init(after: spec.after, within: spec.within) }
}
