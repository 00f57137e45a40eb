// Every so-many-th question is spoilt in one of five ways in turn, and told in the log with its marker, so that a judge
// can be held against the list. One plant to an activity. Where a provider's fault has met a push of the activity, a plant
// is none that can be relied on: the log calls it `unsure`.

import Basics

/// A state that is spoilt.
struct Plant {
    enum Kind: String, CaseIterable {
        case lost, duplicated, reordered, misdirected, altered
    }

    var kind: Kind
    var state: SessionState
}

extension RelayCore {
    /// Chooses what to spoil; true where the state is to wait until its successor has been accepted.
    func choosesToHold(_ state: SessionState, of lane: Lane, now: Moment) -> Bool {
        guard let every = options.plantEvery, state.eventType.isQuestion, lane.plant == nil, !lane.hasTrouble else {
            return false
        }
        questions += 1
        guard questions % every == 0 else { return false }
        let kind = Plant.Kind.allCases[questions / every % Plant.Kind.allCases.count]
        lane.plant = Plant(kind: kind, state: state)
        guard kind == .reordered else { return false }
        lane.heldBack = state
        deadlines.add(.heldBack(lane, state), at: now.now + real(Mischief.patience))
        return true
    }

    /// Changes a push before its first attempt; true where it does not leave at all.
    func spoils(_ push: Push, now: Moment) -> Bool {
        guard case .activity(let lane, let state) = push.target, let plant = lane.plant, plant.state === state else {
            return false
        }
        switch plant.kind {
        case .lost: return forget(push, now: now)
        case .misdirected: push.address = String(push.token.reversed())
        case .altered: push.payload = dialect.update(state.altered, stamp: state.stamp ?? 0)
        case .duplicated, .reordered: break
        }
        return false
    }

    /// Tells of a plant once it is there, and of what may have spoilt it.
    func watchPlant(_ push: Push, _ verdict: PushVerdict, now: Moment) {
        switch push.target {
        case .activity(let lane, let state):
            guard verdict == .accepted else { return noteTrouble(lane) }
            guard let plant = lane.plant, plant.state === state else { return }
            if plant.kind == .duplicated {
                send(stray(for: lane, state, payload: push.payload, isUrgent: push.priority == "10", now: now))
            } else if plant.kind != .reordered || state.sequence < lane.sentSequence {
                tell(plant)
            }
        case .stray(let session):
            guard let lane = session.lanes.first(where: { $0.plant?.kind == .duplicated }) else { return }
            if verdict == .accepted { tell(lane.plant!) } else { noteTrouble(lane) }
        case .alert, .start: break
        }
    }

    private func noteTrouble(_ lane: Lane) {
        if let plant = lane.plant, !lane.hasTrouble { actions.append(.tell("unsure \(plant.marker)")) }
        lane.hasTrouble = true
    }

    private func tell(_ plant: Plant) {
        actions.append(.tell("planted \(plant.kind.rawValue) \(plant.marker)"))
    }
}

extension Plant {
    var marker: Substring { state.content.marker }
}

extension SessionState {
    fileprivate var altered: SessionState {
        SessionState(eventType: eventType, content: content.altered, sequence: sequence)
    }
}
