// What Apple and Google leave open, by name: one list for the command line, scenario files and embedders. The rows stand with
// the settings they belong to; why a default is what it is, stands with the field and in docs/apns.md or docs/fcm.md.

package import Basics
package import Devices

extension MockOptions {
    /// Every setting there is.
    package static var settings: [AllSettings.Row] { AllSettings.rows }

    /// Makes one choice by its name. A usage failure names a setting or value that does not exist, and what there is.
    package mutating func set(_ name: String, to value: String) throws(Failure) {
        var settings = AllSettings()
        (settings.rules, settings.devices, settings.channels, settings.fcm) = (rules, deviceRules, channelRules, fcmRules)
        try settings.set(name, to: value)
        (rules, deviceRules, channelRules, fcmRules) = (settings.rules, settings.devices, settings.channels, settings.fcm)
    }

    package mutating func set(_ settings: [String: String]) throws(Failure) {
        for (name, value) in settings.sorted(by: { $0.key < $1.key }) { try set(name, to: value) }
    }
}
