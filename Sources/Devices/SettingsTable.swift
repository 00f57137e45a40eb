// The settings of devices and channels by name.

package import APNs
package import Basics
package import FCM

extension DeviceSettings: NamedSettings {
    package static let table: [SettingRow<DeviceSettings>] = [
        .interval(
            "unregisteredDelay", \.unregisteredDelay, mayBeZero: true, "from a token's death to its first 410"),
        .number(
            "pushesPerSecondAndToken", \.pushesPerSecondAndToken, none: "off",
            "pushes to one token in a second, beyond which it is TooManyRequests"),
        SettingRow(
            "activityTokenExpiry",
            "never, whole-life (12 h after the start), or a duration, at most 36500d, after the card is gone",
            "when an activity's token begins to be answered 410 ExpiredToken",
            read: { $0.activityTokenExpiry.text },
            write: { settings, text in
                guard let expiry = ActivityTokenExpiry(text: text) else { return false }
                settings.activityTokenExpiry = expiry
                return true
            }),
        .word("equalTimestamps", \.equalTimestamps, "what a second update with the same aps.timestamp is"),
        .flag("ignoresFuture", \.ignoresFuture, "whether updates from far ahead are dropped"),
        .interval("futureLimit", \.futureLimit, "how far ahead that is"),
        .interval("pastLimit", \.pastLimit, none: "off", "how far back the timestamp of an update may lie"),
        .interval("storageLimit", \.storageLimit, "how long a push is stored at most"),
        .word("storedWhenRestricted", \.storedWhenRestricted, "which pushes wait while a device is low on power"),
        .word(
            "activitySlots", \.activitySlots, "whether Live Activities share the app's one place for a stored push"),
        .interval(
            "lowPriorityBatch", \.lowPriorityBatch, mayBeZero: true,
            "how long priority 5 and 1 wait for the next batch"),
        .number(
            "activityBudget", \.budgets.urgentActivity, none: "off",
            "Live Activity pushes at priority 10 per hour and device"),
        .number(
            "frequentActivityBudget", \.budgets.frequentActivity, none: "off",
            "the same where frequent updates are allowed"),
        .number("startBudget", \.budgets.starts, none: "off", "starts of activities per startWindow and device"),
        .interval("startWindow", \.budgets.startWindow, "the time for which startBudget counts"),
        .interval(
            "cardDrawingInterval", \.phones.drawingInterval, mayBeZero: true,
            "how often a virtual phone draws a card at most; what comes in between waits"),
        .number("backgroundBudget", \.budgets.background, none: "off", "background pushes per hour and device"),
        .number("widgetBudget", \.budgets.widgets, none: "off", "reloads of an app's widgets per day and token"),
        .interval(
            "dozeMaintenance", \.android.maintenance,
            "from the beginning of an Android device's Doze to its first maintenance window, and from each to the next"),
        .word(
            "androidWakeOrder", \.android.wakeOrder,
            "in which order messages arrive that have waited for an Android device together"),
        .number(
            "invisibleHighMessages", \.android.invisibleHighLimit, none: "off",
            "high messages in seven days that showed nothing, from which on an Android device takes high for normal"),
    ]
}

extension DeviceSettings.ActivityTokenExpiry {
    fileprivate var text: String {
        switch self {
        case .never: "never"
        case .afterWholeLife: "whole-life"
        case .afterEnd(let wait): wait.description
        }
    }

    fileprivate init?(text: String) {
        switch text {
        case "never": self = .never
        case "whole-life": self = .afterWholeLife
        default:
            guard let wait = Interval(parsing: text), ClockBounds.admits(skew: wait) else { return nil }
            self = .afterEnd(wait)
        }
    }
}

extension ChannelSettings: NamedSettings {
    package static let table: [SettingRow<ChannelSettings>] = [
        .number(
            "broadcastsPerSecondAndChannel", \.broadcastsPerSecondAndChannel, none: "off",
            "broadcasts to one channel in a second, beyond which it is TooManyRequests"),
        .flag(
            "broadcastsEnabledByDefault", \.isEnabledByDefault,
            "whether apps have the broadcast capability unless told otherwise"),
    ]
}

/// All that can be set by name below a mock's own options; for those who check names and values before there is one.
package struct AllSettings: Sendable {
    package var rules = APNsSettings()
    package var devices = DeviceSettings()
    package var channels = ChannelSettings()
    package var fcm = FCMSettings()

    package init() {}

    /// Sets one by its name. A usage failure names a setting or value that does not exist, and what there is.
    package mutating func set(_ name: String, to text: String) throws(Failure) {
        if try rules.setIfKnown(name, to: text) { return }
        if try devices.setIfKnown(name, to: text) { return }
        if try channels.setIfKnown(name, to: text) { return }
        if try fcm.setIfKnown(name, to: text) { return }
        throw Failure(
            .usage, "there is no setting '\(name)'", hint: Suggestion.hint(for: name, among: Self.rows.map(\.name)))
    }

    /// One setting in words.
    package struct Row: Sendable {
        package let name: String
        package let values: String
        package let explanation: String
        package let standard: String
    }

    package static let rows: [Row] =
        rows(APNsSettings()) + rows(DeviceSettings()) + rows(ChannelSettings()) + rows(FCMSettings())

    private static func rows<Settings: NamedSettings>(_ settings: Settings) -> [Row] {
        Settings.table.map { row in
            Row(name: row.name, values: row.values, explanation: row.explanation, standard: row.value(in: settings))
        }
    }
}
