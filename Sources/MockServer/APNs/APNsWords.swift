// What the admin side says and asks in words that only a provider knows.

import APNs
import Journal

/// What an app is called, without the suffix of a push type.
func isBareBundleID(_ text: String) -> Bool { TopicParts.isBareBundleID(text) }

extension PushEntry {
    /// What is wrong with a push that APNs takes without a word.
    var warningWords: [String] { PushWarning.all(in: warnings).map(\.word.description) }
}
