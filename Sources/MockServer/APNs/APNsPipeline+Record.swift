// What a mock APNs puts on record of a push beyond what every provider does: what was read of it, what it starts, and what
// becomes of it later.

import APNs
import Basics
import Devices
import EventLoop
import HTTP
import Journal
import Net
import Pushes

extension APNsPipeline {
    func describe(
        _ draft: inout PushDraft, _ facts: PushFacts, _ exchange: ServerExchange, isAccepted: Bool, now: WallTime
    ) {
        draft.apnsID = facts.apnsID
        draft.warnings = facts.warnings | facts.warnings(at: now)
        draft.credentialCause = facts.credentialCause
        guard let activity = facts.activity else { return }
        draft.note(activity)
        if isAccepted, let start = start(in: facts), !isKnown(start, facts, exchange) {
            draft.warnings |= PushWarning.unknownChannel.bit
        }
    }

    /// A start whose activity is to listen to a channel.
    private func start(in facts: PushFacts) -> ChannelStart? {
        facts.activity?.inputChannel != nil ? ChannelStart(facts) : nil
    }

    /// Whether the app has the channel that a start names.
    private func isKnown(_ start: ChannelStart, _ facts: PushFacts, _ exchange: ServerExchange) -> Bool {
        guard let channel = start.channel, let topicField = facts.topicField else { return false }
        let head = exchange.head
        let topic = head.value(at: topicField)
        let bundle = topic.extracting(0..<TopicParts(topic).bundleCount)
        return core.shared.channels.policy(of: channel, bundle: bundle, in: settings.environment) != nil
    }

    func recorded(
        _ id: UInt64, _ outcome: Outcome?, _ facts: PushFacts, _ exchange: ServerExchange, now: WallTime
    ) {
        switch outcome {
        case .stored?: delivery.store(facts, exchange.head, exchange.body, id, now: now, tell: tell)
        // A phone's activity has a token of its own, and listens to no channel.
        case .started? where !facts.isOnPhone:
            guard let start = start(in: facts) else { return }
            core.shared.listen(start, push: id, core.journal.writer, at: core.loop.noted)
        default: break
        }
    }

    private func tell(_ late: LateOutcome) {
        core.shared.tell(late, to: core.journal.writer, at: core.loop.noted)
        core.journal.markDirty()
    }

    func tellLate() {
        let (shared, journal, now) = (core.shared, core.journal.writer, core.shared.clock.wall())
        let outcomes = shared.devices.lateOutcomes(now: now)
        let broadcasts = shared.channels.catchUp(
            BroadcastPipeline.activitiesPerTurn, devices: shared.devices, now: now)
        let hasEvents = shared.phoneNotes.tell(shared.devices.phones.feed, to: journal, at: core.loop.stamp())
        guard !outcomes.isEmpty || !broadcasts.isEmpty || hasEvents else { return }
        for late in outcomes { tell(late) }
        journal.append(late: broadcasts, at: core.loop.noted)
        core.journal.markDirty()
        _ = core.commitTurn()
    }
}
