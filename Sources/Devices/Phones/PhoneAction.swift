// What a user, an app or the world does to a phone.

package import Basics
package import Pushes

/// An app as it is set up on a phone.
package struct AppSetup: Hashable, Sendable {
    package var bundle: String
    /// Nil: pushes of either environment reach it.
    package var environment: PushEnvironment?
    package var state = AppState.background
    package var allowsActivities = true
    package var hasFrequentUpdates = false
    package var hasStaleStart = false
    /// The number of what it decodes (see `PhoneDecoder`); 0: any content.
    package var schema: UInt16 = 0
    /// Nil: as the settings say.
    package var wake: PhoneWake?

    package init(_ bundle: String) { self.bundle = bundle }
}

/// A phone as it is set up.
package struct PhoneSetup: Hashable, Sendable {
    /// See `DeviceFleet.isDeviceName`.
    package var name: String
    package var system = SystemVersion(18, 0)
    package var isOffline = false
    package var isLowOnPower = false
    /// At most `PhoneSettings.appLimit`.
    package var apps: [AppSetup] = []

    package init(_ name: String, apps: [AppSetup] = []) {
        self.name = name
        self.apps = apps
    }
}

/// One act. Apps are named by their bundle IDs, activities by their ordinals.
package enum PhoneAction: Hashable, Sendable {
    case setOffline(Bool)
    case setLowPower(Bool)
    case setSystem(SystemVersion)
    /// A new app, or one that comes back: its device and start tokens are new ones.
    case install(AppSetup)
    case uninstall(app: String)
    /// The user opens the app: it learns the tokens it does not have, and after having been killed all of them again.
    case open(app: String)
    case background(app: String)
    case kill(app: String)
    /// The app starts in the background and learns the tokens of all its activities again.
    case relaunch(app: String)
    /// A new version of the app decodes what this schema says.
    case update(app: String, schema: UInt16)
    case allowActivities(app: String, Bool)
    case setFrequentUpdates(app: String, Bool)
    case setStaleStart(app: String, Bool)
    case setWake(app: String, PhoneWake)
    /// The app itself starts an activity, which only one in the foreground may.
    case start(app: String)
    /// The app itself ends an activity, which one that is killed cannot; its card stays for at most 4 h, or as long as told.
    case end(app: String, activity: UInt32, dismissal: Interval?)
    /// The user removes the card.
    case dismiss(app: String, activity: UInt32)
    /// The user taps the card, which opens the app.
    case tap(app: String, activity: UInt32)
    /// The system replaces an activity's update token.
    case rotate(app: String, activity: UInt32)
    case rotateStart(app: String)
    case rotateDevice(app: String)
}

/// Why an act is not possible.
package enum PhoneRefusal: Error, Hashable, Sendable {
    case noPhone(String)
    case noApp(String)
    case appExists(String)
    case tooManyApps
    case noActivity(UInt32, app: String)
    /// No such activity is on the screen any more.
    case activityGone(UInt32, app: String)
    /// Its card was never on the screen, so nobody can reach it.
    case neverShown(UInt32, app: String)
    case activityOver(UInt32, app: String)
    case notInForeground(String)
    case notRunning(String)
    case switchedOff
    case full
    case badName

    package var words: String {
        switch self {
        case .noPhone(let name): "there is no phone '\(name)'"
        case .noApp(let app): "the phone has no app '\(app)'"
        case .appExists(let app): "the phone has '\(app)' already"
        case .tooManyApps: "a phone has at most \(PhoneSettings.appLimit) apps"
        case .noActivity(let number, let app): "'\(app)' has no activity \(number)"
        case .activityGone(let number, let app): "activity \(number) of '\(app)' is not on the screen any more"
        case .neverShown(let number, let app): "the card of activity \(number) of '\(app)' was never on the screen"
        case .activityOver(let number, let app): "activity \(number) of '\(app)' has ended"
        case .notInForeground(let app): "'\(app)' is not in the foreground, and only there may an app start an activity"
        case .notRunning(let app): "'\(app)' was ended by its user, so its code does not run; open or relaunch it first"
        case .switchedOff: "Live Activities are switched off"
        case .full: "no further phone or activity can be kept"
        case .badName: "a phone's name is 1 to 64 letters, digits, '-', '_' and '.', and not 'events'"
        }
    }
}
