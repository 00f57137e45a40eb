// Virtual phones through the admin API.

import Basics
import Devices
import Net

extension AdminHandler {
    private var phones: PhoneFleet { shared.devices.phones }
    private var writing: PhoneWriting { PhoneWriting(seed: phones.seed, schemas: shared.schemas) }

    func phones(_ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let parameters = try request.parameters(["after", "limit"])
        let limit = try number(parameters["limit"], named: "limit", in: 1...1_000) ?? 100
        guard let cursor = UInt64(parameters["after"] ?? "0") else {
            throw AdminError(400, "bad-parameter", "after is no cursor", hint: "give the 'next' of an earlier answer")
        }
        let found = phones.records(after: cursor, limit: limit, now: shared.clock.wall())
        return AdminAnswer([
            "phones": .array(found.phones.map { writing.json($0) }), "count": .integer(Int64(phones.phoneCount)),
            "next": found.next.map { .string(String($0)) } ?? .null,
        ])
    }

    func phone(_ name: String) throws(AdminError) -> AdminAnswer {
        guard let record = phones.record(of: name, now: shared.clock.wall()) else { throw noPhone(name) }
        return AdminAnswer(writing.json(record))
    }

    /// Makes the phone anew: what was on one of that name is forgotten.
    func putPhone(_ name: String, _ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let members = PhoneReading.phoneMembers + ["apps"]
        let setup = try PhoneReading(object: try request.object(members), place: "", schemas: shared.schemas).phone(name)
        let isNew: Bool
        do throws(PhoneRefusal) { isNew = try phones.make(setup, now: shared.clock.wall()) } catch { throw refusal(error) }
        tellLate()
        guard let made = phones.record(of: name, now: shared.clock.wall()) else { throw noPhone(name) }
        note("set phone", ["phone": .string(name), "apps": .array(setup.apps.map { .string($0.bundle) })])
        return AdminAnswer(writing.json(made), status: isNew ? 201 : 200)
    }

    /// Members that are not given stay as they are. The acts are done in order; the first that is refused ends it.
    func patchPhone(_ name: String, _ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let now = shared.clock.wall()
        guard let record = phones.record(of: name, now: now) else { throw noPhone(name) }
        guard let object = try request.json().object else {
            throw AdminError(400, "bad-json", "the body is not a JSON object", hint: #"such as {"connection": "offline"}"#)
        }
        let reading = PhoneReading(object: object, place: "", schemas: shared.schemas)
        let acts = try reading.acts(
            apps: record.apps.filter { !$0.isGone }.map(\.bundle), gone: record.apps.filter(\.isGone))
        var refused: PhoneRefusal?
        for act in acts where refused == nil {
            do throws(PhoneRefusal) { try phones.act(act, on: name, now: now) } catch { refused = error }
        }
        tellLate()
        note("change phone", ["phone": .string(name), "change": .object(object)])
        if let refused { throw refusal(refused) }
        return try phone(name)
    }

    func removePhone(_ name: String) throws(AdminError) -> AdminAnswer {
        guard phones.remove(name) else { throw noPhone(name) }
        tellLate()
        note("remove phone", ["phone": .string(name)])
        return .done
    }

    func findPhoneEvents(_ request: AdminRequest, _ exchange: ServerExchange) throws(AdminError) {
        let parameters = try request.parameters(["after", "wait", "limit"])
        guard let after = UInt64(parameters["after"] ?? "0") else {
            throw AdminError(
                400, "bad-parameter", "after is '\(parameters["after"] ?? "")'",
                hint: "give the number of an event, or the 'next' of an earlier answer")
        }
        let limit = try number(parameters["limit"], named: "limit", in: 1...10_000) ?? 1_000
        try phoneEvents.find(after: after, wait: try PushFinder.wait(parameters["wait"]), limit: limit, exchange)
    }

    private func noPhone(_ name: String) -> AdminError {
        AdminError(404, "no-such-phone", PhoneRefusal.noPhone(name).words, hint: "PUT /v1/phones/{id} makes one")
    }

    private func refusal(_ refusal: PhoneRefusal) -> AdminError {
        switch refusal {
        case .noPhone(let name): noPhone(name)
        case .full: AdminError(503, "full", refusal.words, hint: "remove some, or POST /v1/reset")
        case .badName, .tooManyApps: AdminError(400, "bad-phone", refusal.words, hint: "change it")
        default: AdminError(409, "not-possible", refusal.words, hint: "GET /v1/phones/{id} shows how the phone stands")
        }
    }
}
