// What the user of a session, or their phone, does beside all calls: at a time of the script, or because something happened on
// the phone.

package import Basics
package import Pushes
import YAML

/// Done once in a session, at most. It is no call and no part of the plan: the relay learns of it only by what the app does.
package struct ScriptedAct: Sendable {
    package enum Deed: String, CaseIterable, Sendable {
        /// The user removes the activity's card.
        case dismiss
        case offline, online
        /// The user ends the app: nothing wakes it until it is opened.
        case kill
        /// The user opens the app.
        case open
        /// The app starts anew in the background.
        case relaunch
    }

    package enum Time: Sendable {
        /// Seconds since the session began, before `pace`.
        case at(Distribution)
        /// Seconds after the first such event on a phone of the session, before `pace`.
        case on(PhoneEvent.Kind, after: Distribution)
    }

    package var deed: Deed
    package var time: Time
    /// From 0; nil: with `on` that of the event, with `at` the first.
    package var phone: Int?
    /// On the Android device behind the user's registration.
    package var isOnAndroid: Bool
    /// Drawn for each session; 0…1.
    package var probability: Double

    /// Where its time, and its phone, stand in the file.
    var place, phonePlace: YAMLPlace?

    package init(_ deed: Deed, _ time: Time, phone: Int? = nil, isOnAndroid: Bool = false, probability: Double = 1) {
        self.deed = deed
        self.time = time
        self.phone = phone
        self.isOnAndroid = isOnAndroid
        self.probability = probability
    }

    /// What is done on an Android device, which tells no app of anything.
    package static let onAndroid: [Deed] = [.offline, .online, .kill, .open]
}
