// Pushes to phones: who is meant, what APNs makes of the token, and what the phone does.

import APNs
import Basics
import Pushes

/// What a phone needs of a push beyond the facts.
struct PhoneContent {
    var payload: [UInt8] = []
    /// Asked on arrival; nil: any app decodes it.
    var decoder: (any PhoneDecoder)?
}

extension PhoneShard {
    /// The app that a push is for, and what of it, or what the token was for until it died; nil: the token is no phone's.
    func target(of key: UInt64) -> (app: Int32, ref: PhoneRef?, dead: RetiredToken?)? {
        if let ref = index.find(key, in: tables) {
            switch ref.kind {
            case .phone: return nil
            case .device, .start: return (ref.place, ref, nil)
            case .activity: return (tables.cards[ref.place].app, ref, nil)
            }
        }
        return retired[key].map { ($0.app, nil, $0) }
    }

    /// What APNs makes of a push to a phone's token, in the order of apns.md §7; nil: the token is no phone's. Counts it.
    mutating func standing(
        _ key: UInt64, topic: Span<UInt8>, environment: PushEnvironment, now: WallTime
    ) -> TokenStanding? {
        guard let (app, ref, dead) = target(of: key) else { return nil }
        if let home = tables.apps[app].environment, home != environment { return .unknown }
        let parts = TopicParts(topic)
        let kind = ref?.kind ?? dead?.kind ?? .device
        guard bundles.matches(tables.apps[app].bundle, topic.extracting(0..<parts.bundleCount)),
            kind == .device ? TokenKind.device.takes(parts.suffixType) : parts.suffixType == .liveactivity
        else { return .otherTopic }
        count(ref)
        // A token may be dead for two reasons: the earlier one is told, so that a 410 never turns into a 200.
        let unregistered = dead.map { $0.since + settings.unregisteredDelay } ?? .never
        let expired = card(ref, dead).flatMap { tables.cards[$0].expiry(settings) } ?? .never
        if now >= expired, expired <= unregistered { return .expired(sinceMilliseconds: expired.milliseconds) }
        if now >= unregistered { return .unregistered(sinceMilliseconds: unregistered.milliseconds) }
        return .activeOnPhone
    }

    /// The activity that a token is of, or was until it died; nil: of none, or of one that has made room.
    private func card(_ ref: PhoneRef?, _ dead: RetiredToken?) -> Int32? {
        if let ref, ref.kind == .activity { return ref.place }
        return dead.flatMap { $0.kind == .activity ? tables.card($0.ordinal, of: $0.app) : nil }
    }

    private mutating func count(_ ref: PhoneRef?) {
        guard let ref else { return }
        switch ref.kind {
        case .phone: break
        case .device: tables.apps[ref.place].devicePushes &+= 1
        case .start: tables.apps[ref.place].startPushes &+= 1
        case .activity: tables.cards[ref.place].pushes &+= 1
        }
    }

    func pushCount(_ key: UInt64) -> UInt32? {
        guard let ref = target(of: key)?.ref else { return nil }
        switch ref.kind {
        case .phone: return nil
        case .device: return tables.apps[ref.place].devicePushes
        case .start: return tables.apps[ref.place].startPushes
        case .activity: return tables.cards[ref.place].pushes
        }
    }

    /// An accepted push. One that is `.stored` is to be given to `store`.
    mutating func deliver(
        _ facts: PushFacts, payload: Span<UInt8>, now: WallTime, _ decoder: (any PhoneDecoder)?
    ) -> PhoneVerdict {
        catchUp(now)
        guard let (app, ref, _) = target(of: facts.tokenHash.low) else { return PhoneVerdict(.notDelivered, .tokenReplaced) }
        if tables.apps[app].isGone { return PhoneVerdict(.notDelivered, .appGone) }
        guard let ref else { return PhoneVerdict(.notDelivered, .tokenReplaced) }
        if let verdict = wait(facts, on: tables.apps[app].phone, now: now) { return verdict }
        return land(facts, at: ref, payload, mistake(in: facts, for: app, payload, decoder), now: now)
    }

    /// What a phone out of reach means for a push; nil: it is delivered now.
    private func wait(_ facts: PushFacts, on phone: Int32, now: WallTime) -> PhoneVerdict? {
        let isStorable = facts.expiration.map { $0 > now.seconds } ?? true
        if let device = away[phone], !device.takes(facts, settings) {
            guard isStorable else { return PhoneVerdict(.discarded, .oneAttempt) }
            return PhoneVerdict(.stored, device.connection == .offline ? .offline : .lowPower)
        }
        guard settings.lowPriorityBatch > .zero, facts.priority < 10, isStorable else { return nil }
        return PhoneVerdict(.stored, .batched)
    }

    /// Why the app of now does not decode it (apns.md §10: a wrong shape dies on the device, on arrival); nil: it does.
    func mistake(
        in facts: PushFacts, for app: Int32, _ payload: Span<UInt8>, _ decoder: (any PhoneDecoder)?
    ) -> String? {
        guard let activity = facts.activity, let event = activity.event, activity.isDecodable else { return nil }
        let schema = tables.apps[app].schema
        return schema == 0 ? nil : decoder?.mistake(schema: schema, event: event, payload: payload)
    }

    /// The phone has it.
    mutating func land(
        _ facts: PushFacts, at ref: PhoneRef, _ payload: Span<UInt8>, _ mistake: String?, now: WallTime
    ) -> PhoneVerdict {
        switch ref.kind {
        case .start: start(facts, app: ref.place, payload, mistake, now: now)
        case .activity: change(facts, card: ref.place, payload, mistake, now: now)
        case .device, .phone: notify(facts, app: ref.place, now: now)
        }
    }

    private mutating func start(
        _ facts: PushFacts, app: Int32, _ payload: Span<UInt8>, _ mistake: String?, now: WallTime
    ) -> PhoneVerdict {
        guard let push = facts.activity else { return PhoneVerdict(.handedOver) }
        let row = tables.apps[app]
        if row.hasStaleStart { return PhoneVerdict(.notStarted, .staleStartToken) }
        if push.event != nil, push.event != .start { return PhoneVerdict(.unknownActivity, .updateOnStart) }
        let system = tables.phones[row.phone].system
        let wanted = push.inputChannel == nil ? SystemVersion.startsByPush : .channels
        if system < wanted {
            return PhoneVerdict(
                .notStarted, .systemTooOld(major: system.major, minor: system.minor, wants: wanted.text))
        }
        if !row.allowsActivities { return PhoneVerdict(.notStarted, .switchedOff) }
        if let left = chargeStart(row.phone, now: now), left < 0 {
            return PhoneVerdict(.throttled, .startBudget(left: left, of: settings.budgets.starts ?? 0))
        }
        if let defect = push.deadlyDefect { return PhoneVerdict(.undecodable, .doesNotDecode(defect)) }
        let timestamp = push.timestamp ?? 0
        let ahead = WallTime(seconds: timestamp) - WallTime(seconds: now.seconds)
        if settings.ignoresFuture, ahead > settings.futureLimit {
            return PhoneVerdict(.ignoredFuture, .tooFarAhead(limit: settings.futureLimit))
        }
        if let mistake { return PhoneVerdict(.undecodable, .doesNotDecode(mistake)) }
        var card = CardRow()
        card.staleAt = rowSeconds(ofStaleDate: push.staleDate)
        card.isNeverShown = push.staleDate.map { $0 <= now.seconds } ?? false
        if let marker = Marker.find(in: payload) { (card.marker, card.hasMarker) = (marker, true) }
        guard let (place, isAwake) = begin(card, app: app, timestamp, now: now) else {
            return PhoneVerdict(.notStarted, .tooManyActivities)
        }
        show(payload, on: place)
        if card.isNeverShown { return PhoneVerdict(.neverShown, .pastStaleDate) }
        return PhoneVerdict(.started, isAwake ? nil : .notAwake)
    }

    /// An activity begins; whether its app will learn the token. Nil: there is no room for it.
    mutating func begin(_ card: CardRow, app: Int32, _ timestamp: Int64, now: WallTime) -> (place: Int32, isAwake: Bool)? {
        guard hasRoom, makeRoom(for: app, now: now) else { return nil }
        var card = card
        (card.startedAt, card.drawnAt) = (now, now)
        (card.takenStamp, card.drawnStamp) = (timestamp, timestamp)
        card.shown = 1
        let place = addCard(card, to: app)
        tell(.started, place, at: now)
        timers.add(PhoneTimer(.age, at: now + settings.activeLife, card: place, serial: tables.cards[place].serial))
        return (place, wake(for: place, now: now))
    }

    private mutating func change(
        _ facts: PushFacts, card: Int32, _ payload: Span<UInt8>, _ mistake: String?, now: WallTime
    ) -> PhoneVerdict {
        let verdict = judge(facts, card: card, mistake, now: now)
        if verdict.outcome == .updated || verdict.outcome == .ended || verdict.outcome == .coalesced
            || verdict.outcome == .neverShown
        {
            if facts.activity?.hasContentState == true {
                show(payload, on: card, isWaiting: verdict.outcome == .coalesced)
            }
            if facts.activity?.event == .end {
                drawContent(card)
                tell(.ended, card, at: now)
            }
        } else {
            tables.cards[card].ignored &+= 1
        }
        return verdict
    }

    private mutating func judge(_ facts: PushFacts, card: Int32, _ mistake: String?, now: WallTime) -> PhoneVerdict {
        guard let push = facts.activity else { return PhoneVerdict(.handedOver) }
        settle(card, now: now)
        let app = tables.apps[tables.cards[card].app]
        if facts.priority == 10,
            let expense = settings.budgets.expense(.urgentActivity, hasFrequentUpdates: app.hasFrequentUpdates),
            !pay(app.phone, { $0.spend(expense, now: now) })
        {
            return PhoneVerdict(.throttled, .urgentBudget)
        }
        guard let event = push.event, let timestamp = push.timestamp, push.isDecodable else {
            return PhoneVerdict(.undecodable, .doesNotDecode(push.deadlyDefect ?? "no event"))
        }
        if event == .start { return PhoneVerdict(.unknownActivity, .startOnActivity) }
        if let refusal = tables.cards[card].refusal(of: event, timestamp, now: now, settings) { return refusal }
        if let mistake { return PhoneVerdict(.undecodable, .doesNotDecode(mistake)) }
        return tables.cards[card].take(push, timestamp, now: now, settings)
    }

    /// A push that is no Live Activity's.
    private mutating func notify(_ facts: PushFacts, app: Int32, now: WallTime) -> PhoneVerdict {
        let outcome = TokenRow.reaction(to: facts)
        // Nothing is woken, so nothing is spent.
        if outcome == .silent, tables.apps[app].state == .killed { return PhoneVerdict(.discarded, .appKilled) }
        if facts.pushType == .background, let expense = settings.budgets.expense(.background, hasFrequentUpdates: false),
            !pay(tables.apps[app].phone, { $0.spend(expense, now: now) })
        {
            return PhoneVerdict(.throttled, .backgroundBudget)
        }
        guard outcome == .shown, facts.collapseMark != 0 else { return PhoneVerdict(outcome) }
        var marks = visible[app] ?? []
        if marks.contains(facts.collapseMark) { return PhoneVerdict(.replaced) }
        if marks.count == Self.visibleLimit { marks.removeFirst() }
        visible[app] = marks + [facts.collapseMark]
        return PhoneVerdict(.shown)
    }

    /// As many as a token without a phone has.
    private static let visibleLimit = 5

    /// What is left after a start; below zero it is refused, and charged all the same. Nil: starts cost nothing.
    private mutating func chargeStart(_ phone: Int32, now: WallTime) -> Int? {
        guard let expense = settings.budgets.expense(.start, hasFrequentUpdates: false) else { return nil }
        return pay(phone) { $0.chargeStart(expense, now: now) }
    }

    // MARK: What cards show

    /// Draws what is due on a card.
    mutating func settle(_ card: Int32, now: WallTime) {
        guard tables.cards[card].isDrawingDue else { return }
        tables.cards[card].settle(now, settings)
        if !tables.cards[card].isDrawingDue { drawContent(card) }
    }

    private mutating func drawContent(_ card: Int32) {
        if let waiting = contents[card]?.waiting { contents[card] = CardContent(drawn: waiting) }
    }

    /// The app or the user ends it; what it has taken is drawn. `dismissal` in Unix seconds.
    mutating func finish(_ card: Int32, _ who: CardEnd, dismissal: Int64? = nil, now: WallTime) {
        tables.cards[card].finish(who, dismissal: dismissal, now: now, settings)
        drawContent(card)
    }

    private mutating func show(_ payload: Span<UInt8>, on card: Int32, isWaiting: Bool = false) {
        guard tables.cards[card].hasContent || contents.count < Self.contentLimit else { return }
        let bytes = payload.withUnsafeBufferPointer { Array($0) }
        if isWaiting {
            contents[card]?.waiting = bytes
        } else {
            contents[card] = CardContent(drawn: bytes)
            tables.cards[card].hasContent = true
        }
    }
}

extension ActivityFacts {
    /// Why no app decodes it, in words; nil: an app may.
    var deadlyDefect: String? {
        guard let defect, !isDecodable else { return nil }
        switch defect {
        case .notJSON: return "not JSON"
        case .missingAPS: return "missing key \"aps\""
        case .missingTimestamp: return "missing key \"timestamp\""
        case .timestampNotANumber: return "timestamp is not a number"
        case .missingEvent: return "missing key \"event\""
        case .unknownEvent: return "event is none of start, update and end"
        case .missingContentState: return "missing key \"content-state\""
        case .contentStateNotAnObject: return "content-state is not an object"
        case .missingAttributesType: return "missing key \"attributes-type\""
        case .attributesTypeNotAString: return "attributes-type is not a string with something in it"
        case .missingAttributes: return "missing key \"attributes\""
        case .attributesNotAnObject: return "attributes is not an object"
        case .missingAlert: return "missing key \"alert\""
        case .unknownAttributesType: return "the app has no such attributes-type"
        case .dataTooLarge: return "attributes and content-state have more than 4 KB"
        case .timestampInMilliseconds: return nil
        }
    }
}
