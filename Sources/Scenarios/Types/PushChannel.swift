// The word by which a profile names a kind of push.

import Pushes

/// A value of `channel`: one of the push types of APNs, or `fcm`.
enum PushChannel: RawRepresentable, CaseIterable, Hashable {
    case apns(PushType)
    case fcm

    static let allCases = PushType.allCases.map(Self.apns) + [.fcm]

    init?(rawValue: String) {
        guard let channel = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = channel
    }

    var rawValue: String {
        switch self {
        case .apns(let type): "\(type.word)"
        case .fcm: "\(Provider.fcm.word)"
        }
    }

    var provider: Provider { self == .fcm ? .fcm : .apns }

    /// A message to FCM has no type; one with an event is a Live Update's.
    func type(of event: ActivityEvent?) -> PushType {
        switch self {
        case .apns(let type): type
        case .fcm: event == nil ? .alert : .liveactivity
        }
    }
}
