// Ends of sessions of which a relay may know nothing.

package import Basics
import Pushes

extension JoinedAccount {
    /// A call that was to end its session before that one never reached the relay.
    package func lacksEnd(before call: SeenCall, _ circumstances: Circumstances) -> Bool {
        account.calls(of: call.session, through: call.step).contains { made in
            circumstances.finalKinds.contains(made.kind) && (made.state != .sent || !made.wasTaken)
        }
    }

    /// The relay was told another token of the session's card in that time: there is a card again.
    package func wasToldToken(session: UInt32, after first: Instant, until last: Instant) -> Bool {
        account.tokenCalls.contains { new in
            guard new.isRegistration, [.activity, .registration].contains(new.lane.role), UInt32(new.place >> 32) == session,
                let call = account.call(at: new.place)
            else { return false }
            return call.wasTaken && first < call.sentAt && call.sentAt <= last
        }
    }

    /// We ended the relay before it had answered the call that this push is for: what it did may not be on its disk.
    package func wasCutOff(_ push: SeenPush, _ circumstances: Circumstances) -> Bool {
        guard push.isMarked, let call = account.call(at: push.place), call.state == .sent, !call.wasAnswered
        else { return false }
        return Self.isMissing(push.place, account, circumstances)
    }

    /// A start of a session whose life before may not be over for all that the relay knows: the call that ended it is
    /// missing. It then goes to the card that it takes to be there (R0.15).
    func followsMissingEnd(_ row: Expectation, _ circumstances: Circumstances) -> Bool {
        guard row.event == .start, row.step > 0 else { return false }
        let last = account.calls(of: row.session, through: row.step - 1).last { circumstances.finalKinds.contains($0.kind) }
        return last.map { Self.isMissing($0.place, account, circumstances) } ?? false
    }
}
