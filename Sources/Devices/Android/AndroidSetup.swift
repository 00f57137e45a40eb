// What an Android device behind a registration is like: who made it, how it can be reached, and what its user allows.

package import Basics

/// Who made a device: what its battery management holds back beyond stock Android, as app developers have seen it (docs/fcm.md
/// §6; quickstart-android#219, #297, #368, firebase-android-sdk#932). The raw value is the word of the admin API.
package enum AndroidVendor: String, CaseIterable, Sendable {
    case stock, xiaomi, huawei, honor, oneplus, oppo, realme, vivo, tecno, infinix, samsung

    /// As its maker spells it, and in which states of the app its data messages wait until it is opened.
    private static let table: [AndroidVendor: (name: String, holds: Set<AndroidSetup.AppState>)] = [
        .stock: ("stock Android", []),
        .xiaomi: ("Xiaomi", [.killed]),
        .huawei: ("Huawei", [.killed]),
        .honor: ("Honor", [.killed]),
        .oneplus: ("OnePlus", [.killed]),
        .oppo: ("Oppo", [.killed]),
        .realme: ("Realme", [.killed]),
        .vivo: ("Vivo", [.killed]),
        .tecno: ("Tecno", [.killed]),
        .infinix: ("Infinix", [.killed]),
        .samsung: ("Samsung", [.sleeping]),
    ]

    package var name: String { Self.table[self]?.name ?? rawValue }

    func holdsData(of app: AndroidSetup.AppState) -> Bool { Self.table[self]?.holds.contains(app) ?? false }
}

/// One device with the app that the registration is of. The defaults are a stock device that is awake.
package struct AndroidSetup: Hashable, Sendable {
    package enum AppState: String, CaseIterable, Sendable {
        case background, foreground
        /// Swiped away: on stock Android messages start it.
        case killed
        /// Among Samsung's sleeping apps; elsewhere as in the background.
        case sleeping
        /// Stopped in the system's settings: it gets nothing until its user opens it.
        case forceStopped = "force-stopped"
    }

    /// The app's name, which `restricted_package_name` is compared with.
    package var packageName = "com.example.app"
    package var vendor = AndroidVendor.stock
    package var app = AppState.background
    package var isOffline = false
    package var isDozing = false
    /// POST_NOTIFICATIONS is denied.
    package var deniesNotifications = false

    package init() {}

    /// 1 to 255 letters, digits, underscores and dots.
    package static func isPackage(_ text: String) -> Bool {
        1...255 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 46, 48...57, 65...90, 95, 97...122: true
                default: false
                }
            }
    }
}

/// One device, as the admin API shows it.
package struct AndroidRecord: Hashable, Sendable {
    package var setup: AndroidSetup
    /// Messages that wait for it.
    package var stored: Int
    /// How often its app was told by onDeletedMessages that too many had been stored.
    package var deletionsTold: Int
}

/// In which order messages arrive that have waited for one and the same thing. Google promises none.
package enum WakeOrder: String, CaseIterable, Sendable {
    case asTaken = "as-taken"
    case newestFirst = "newest-first"
}

/// How Android devices behave where Google says nothing, or where a test wants it otherwise.
package struct AndroidSettings: Sendable {
    /// From the beginning of Doze to its first maintenance window, and from each to the next. Windows are documented, and
    /// that they come ever farther apart, but no length.
    package var maintenance = Interval.seconds(3_600)
    /// High messages within seven days that showed nothing, from which on all of them count as normal; nil: never. Google
    /// documents the downgrade and the seven days, and not the measure.
    package var invisibleHighLimit: Int?
    package var wakeOrder = WakeOrder.asTaken
    /// Devices kept.
    package var deviceLimit = 1 << 20

    package init() {}
}
