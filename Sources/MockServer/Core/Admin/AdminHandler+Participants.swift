// Who takes part in a clock that stands (docs/time.md).

import Basics
import Net

extension AdminHandler {
    private static let statementMembers = ["elapsed", "until", "calls", "pushes"]
    /// Half an hour short of 285 years.
    private static let microseconds: ClosedRange<Int64> = 0...9_000_000_000_000_000
    private static let mostName = 64

    func joinClock(_ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let object = try request.object(["name"])
        guard let name = object["name"]?.string, 1...Self.mostName ~= name.utf8.count else {
            throw AdminError(
                400, "bad-member", "name is not a text of 1 to \(Self.mostName) bytes",
                hint: "say who you are: {\"name\":\"relay\"}")
        }
        guard let answer = keeper.join(name: name) else {
            throw AdminError(
                409, "too-many-participants", "\(ClockKeeper.mostParticipants) take part already",
                hint: "let one of them leave: DELETE /v1/clock/participants/ID")
        }
        return AdminAnswer(answer, status: 201)
    }

    func stateClock(_ id: String, _ request: AdminRequest, _ exchange: ServerExchange) throws(AdminError) {
        let object = try request.object(Self.statementMembers)
        let statement = ClockStatement(
            elapsed: try number(object["elapsed"], "elapsed"),
            until: try (object["until"] ?? .null) == .null ? nil : number(object["until"], "until"),
            calls: try traffic(object["calls"], "calls"), pushes: try traffic(object["pushes"], "pushes"))
        guard keeper.state(id, statement, exchange) else { throw unknown(id) }
    }

    func leaveClock(_ id: String) throws(AdminError) -> AdminAnswer {
        guard keeper.leave(id) else { throw unknown(id) }
        return .done
    }

    private func unknown(_ id: String) -> AdminError {
        AdminError(404, "no-participant", "no participant \(id)", hint: "join first: POST /v1/clock/participants")
    }

    private func number(_ value: JSONValue?, _ name: String) throws(AdminError) -> Int64 {
        guard let number = value?.int, Self.microseconds.contains(number) else {
            throw AdminError(
                400, "bad-member", "\(name) is not a number of microseconds", hint: "count them from the clock's beginning")
        }
        return number
    }

    private func traffic(_ value: JSONValue?, _ name: String) throws(AdminError) -> ClockTraffic {
        guard let pair = value?.array, pair.count == 2, let begun = pair[0].int, let ended = pair[1].int,
            Self.microseconds.contains(begun), 0...begun ~= ended
        else {
            throw AdminError(
                400, "bad-member", "\(name) is not a pair of counts", hint: "write [begun, ended], such as [12, 11]")
        }
        return ClockTraffic(begun: begun, ended: ended)
    }
}
