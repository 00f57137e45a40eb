// A history told by hand, on one phone `p` with one app, of whatever model.

import Basics
import Devices
import Pushes

/// Which model plays a history.
enum NaiveSide: String, CaseIterable, Sendable {
    case product, naive

    fileprivate func model(_ settings: DeviceSettings) -> any PhoneModel {
        switch self {
        case .product: FleetModel(settings, seed: Seed(1))
        case .naive: NaivePhoneModel(settings, seed: Seed(1))
        }
    }
}

final class NaiveHistory {
    let app = PhoneWalk.apps[0]
    private(set) var now = PhoneWalk.begin
    private var model: any PhoneModel
    private var lastPush: UInt64 = 0
    private var events: [PhoneEvent] = []
    private var outcomes: [Outcome] = []

    /// An app woken 7 s after a start and cards drawn at once, unless turned.
    init(_ side: NaiveSide, _ turn: (inout DeviceSettings) -> Void = { _ in }) {
        var settings = DeviceSettings(registration: .registered)
        settings.phones.wake = PhoneWake(delay: .constant(7))
        settings.phones.drawingInterval = .zero
        turn(&settings)
        model = side.model(settings)
        model.make(PhoneSetup("p", apps: [AppSetup(app)]), at: now)
    }

    /// Time goes on by so many seconds, and what is due happens.
    func wait(_ seconds: Double) {
        now = now + .seconds(seconds)
        model.advance(to: now)
    }

    /// A push whose timestamp is `ahead` seconds from now.
    func push(
        _ event: ActivityEvent, to token: PhoneToken, ahead: Int64 = 0, _ turn: (inout ModelPush) -> Void = { _ in }
    ) -> Outcome? {
        lastPush += 1
        var push = ModelPush(id: lastPush, token: token, event: event, timestamp: now.seconds + ahead)
        turn(&push)
        return model.push(push, at: now)?.outcome
    }

    @discardableResult
    func act(_ action: PhoneAction) -> Bool { model.act(action, on: "p", at: now) }

    private func hear() {
        let news = model.news()
        events += news.events
        outcomes += news.late.map(\.outcome)
    }

    /// What has happened since it was asked last.
    func kinds() -> [PhoneEvent.Kind] {
        hear()
        defer { events = [] }
        return events.map(\.kind)
    }

    /// What became of stored pushes since it was asked last.
    func late() -> [Outcome] {
        hear()
        defer { outcomes = [] }
        return outcomes
    }

    func card(_ number: UInt32 = 1) -> ModelCard? { model.cards(of: "p", at: now).first { $0.number == number } }
}
