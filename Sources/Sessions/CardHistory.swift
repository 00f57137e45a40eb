// What the cards of one session showed: each push that a phone took is followed by what the card says from then on, in the
// words of the profile's `x-card`.

package import Basics
import Devices
package import Journal
package import Planning
package import Pushes
import Scenarios
package import Schemas

/// What a card shows at some instant.
package struct CardLook: Hashable, Sendable {
    /// Of its user, from 0, and which activity of the app on that phone; 0 where the phone is no virtual one.
    package var phone: Int
    package var activity: UInt32
    package var text: CardText
    /// Whose state it is, where its push bore a marker.
    package var step: UInt32?
    /// How long ago the state was told: from when its event was planned. Nil where that is not known.
    package var age: Interval?
    /// A newer state waits for the card's next drawing.
    package var hasNewer: Bool
}

/// Goes through a session's pushes and phone events in order of time. Confined to one thread.
package final class CardHistory {
    private struct State {
        var content: [UInt8]
        var step: UInt32?
    }

    private struct Card {
        var attributes: [UInt8]
        var shown: State
        var waiting: State?
        var drawnAt: WallTime
    }

    private struct Place: Hashable {
        var phone: Int
        var activity: UInt32
    }

    private let renderer: CardRenderer
    /// A card is drawn once in so long.
    private let period: Interval
    /// When the session's events were planned, by step.
    private let planned: [UInt32: WallTime]
    private var cards: [Place: Card] = [:]
    private var places: [String: Place] = [:]

    /// Nil where the profile's schemas tell of no card. `planned`: the session's steps, as far as they are known.
    package init?(_ plan: Plan, session: UInt32, planned: [UInt32: WallTime] = [:]) {
        let content = plan.scenario.relay.profile.content
        guard let schema = content.contentState, let renderer = CardRenderer(schema, attributes: content.attributes) else {
            return nil
        }
        self.renderer = renderer
        self.planned = planned
        period = Self.drawingInterval(plan.scenario)
        for variable in SessionVariable.tokens where variable.role != .deviceToken {
            places[plan.token(variable, session: session)] = Place(phone: variable.phone, activity: 0)
        }
    }

    /// What the card shows once a phone has taken the push; nil for a push that is no card's, or was not taken.
    package func see(_ push: PushEntry) -> CardLook? {
        guard let outcome = push.outcome, push.pushType == "\(PushType.liveactivity.word)",
            let place = places[push.token.lowercased()], let aps = (try? JSONValue(parsing: push.payload.span))?["aps"]
        else { return nil }
        let state = aps["content-state"].map { State(content: Array($0.text.utf8), step: push.marker?.step) }
        switch outcome {
        case .started:
            guard let state else { return nil }
            cards[place] = Card(
                attributes: Array((aps["attributes"] ?? .null).text.utf8), shown: state, drawnAt: push.arrivedWall)
        case .updated, .ended:
            let last = state ?? cards[place]?.waiting
            if let last { draw(last, at: place, push.arrivedWall) }
        case .coalesced: cards[place]?.waiting = state
        default: break
        }
        return look(place, at: push.arrivedWall)
    }

    /// An activity on a virtual phone has a number and a token of its own. One that was dismissed shows nothing any more.
    package func see(_ event: PhoneEvent) {
        guard let name = PhoneName(event.phone) else { return }
        let place = Place(phone: name.phone, activity: event.activity)
        if event.kind == .started { cards[place] = cards.removeValue(forKey: Place(phone: name.phone, activity: 0)) }
        if event.kind == .dismissed { cards[place] = nil }
        if let token = event.token { places[token] = place }
    }

    /// What was drawn by then of what waited, in order of time.
    package func drawings(until now: WallTime) -> [(at: WallTime, look: CardLook)] {
        let due = cards.filter { $0.value.waiting != nil && $0.value.drawnAt + period <= now }
        return due.map { place, card in (place: place, at: card.drawnAt + period, state: card.waiting) }
            .sorted { ($0.at, $0.place.phone, $0.place.activity) < ($1.at, $1.place.phone, $1.place.activity) }
            .compactMap { place, at, state in
                if let state { draw(state, at: place, at) }
                return look(place, at: at).map { (at, $0) }
            }
    }

    private func draw(_ state: State, at place: Place, _ instant: WallTime) {
        let attributes = cards[place]?.attributes ?? Array("null".utf8)
        cards[place] = Card(attributes: attributes, shown: state, drawnAt: instant)
    }

    private func look(_ place: Place, at instant: WallTime) -> CardLook? {
        guard let card = cards[place] else { return nil }
        return CardLook(
            phone: place.phone, activity: place.activity,
            text: renderer.text(state: card.shown.content.span, attributes: card.attributes.span),
            step: card.shown.step, age: card.shown.step.flatMap { planned[$0] }.map { instant - $0 },
            hasNewer: card.waiting != nil)
    }

    private static func drawingInterval(_ scenario: Scenario) -> Interval {
        var settings = DeviceSettings()
        for (name, value) in scenario.mock.settings { _ = try? settings.set(name, to: value) }
        return settings.phones.drawingInterval
    }
}
