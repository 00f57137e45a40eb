// Tokens and what APNs knows of them (docs/apns.md §6, §13), and pushes that are no Live Activity's (§5).

import APNs
import Basics
import Devices
import Pushes
import Testing

@Suite struct DeviceFleetTests {
    let phone = Phone()

    private func registered(_ record: (String) -> TokenRecord) -> Phone {
        let phone = Phone { $0.registration = .registered }
        #expect(phone.fleet.set(record(phone.token)))
        return phone
    }

    // MARK: standing

    @Test("any well-formed token is accepted and remembered, in `.registered` only those that are set")
    func registration() {
        #expect(phone.standing() == .active)
        #expect(phone.fleet.tokenCount == 1)
        let strict = Phone { $0.registration = .registered }
        #expect(strict.standing() == .unknown)
        #expect(strict.fleet.tokenCount == 0)
        #expect(registered { TokenRecord(token: $0) }.standing() == .active)
    }

    @Test("the topic of the first accepted push is the token's; asking alone teaches nothing")
    func firstTopic() {
        #expect(phone.standing("com.example.other") == .active)
        #expect(phone.push(.alert) == .shown)
        #expect(phone.standing("com.example.other") == .otherTopic)
        #expect(phone.standing() == .active)
        #expect(phone.standing(Phone.bundle + ".voip") == .otherTopic)
    }

    @Test("a token set for a bundle belongs to it with the suffixes of its kind (§4, observed)")
    func kinds() {
        let suffix = ".push-type.liveactivity"
        for kind in [TokenKind.activity, .start] {
            let phone = registered { TokenRecord(token: $0, kind: kind, topic: Phone.bundle) }
            #expect(phone.standing(Phone.bundle + suffix) == .active)
            #expect(phone.standing() == .otherTopic)
            #expect(phone.standing("com.example.other" + suffix) == .otherTopic)
        }
        for (kind, suffix) in [(TokenKind.widget, ".push-type.widgets"), (.control, ".push-type.controls")] {
            let phone = registered { TokenRecord(token: $0, kind: kind, topic: Phone.bundle) }
            #expect(phone.fleet.record(of: phone.token)?.kind == kind)
            #expect(phone.standing(Phone.bundle + suffix) == .active)
            for other in ["", ".push-type.liveactivity", kind == .widget ? ".push-type.controls" : ".push-type.widgets"] {
                #expect(phone.standing(Phone.bundle + other) == .otherTopic)
            }
        }
        let device = registered { TokenRecord(token: $0, kind: .device, topic: Phone.bundle) }
        #expect(device.standing() == .active)
        #expect(device.standing(Phone.bundle + ".push-type.widgets") == .otherTopic)
        #expect(device.standing(Phone.bundle + suffix) == .otherTopic)
        #expect(device.standing("com.example.other") == .otherTopic)
    }

    @Test("a token of the other environment is unknown (§13)")
    func environments() {
        let open = registered { TokenRecord(token: $0) }
        for phone in [phone, open] {
            #expect(phone.standing(environment: .production) == .active)
            #expect(phone.standing(environment: .sandbox) == .active, "what was not accepted tells nothing")
            _ = phone.deliver(phone.facts(.alert), topic: Phone.bundle, environment: .production)
            #expect(phone.standing(environment: .production) == .active)
            #expect(phone.standing(environment: .sandbox) == .unknown)
        }
    }

    @Test("a dead token is 410 with the time of its death in milliseconds (§6)")
    func dead() {
        let since = WallTime(milliseconds: 1_759_999_999_123)
        #expect(
            registered { TokenRecord(token: $0, state: .unregistered, since: since) }.standing()
                == .unregistered(sinceMilliseconds: 1_759_999_999_123))
        #expect(
            registered { TokenRecord(token: $0, state: .expired, since: since) }.standing()
                == .expired(sinceMilliseconds: 1_759_999_999_123))
    }

    @Test("a death without a date is dated by the first push that meets it")
    func undatedDeath() {
        let phone = registered { TokenRecord(token: $0, state: .unregistered) }
        let first = phone.time.wall().milliseconds
        #expect(phone.standing() == .unregistered(sinceMilliseconds: first))
        phone.time.advance(by: .seconds(60))
        #expect(phone.standing() == .unregistered(sinceMilliseconds: first))
        #expect(phone.fleet.record(of: phone.token)?.since == WallTime(milliseconds: first))
    }

    @Test("an uninstall may show late: 200 and not delivered until then (§13, §15.12)")
    func lateDeath() {
        let phone = Phone { $0.unregisteredDelay = .seconds(300) }
        let since = phone.time.wall()
        phone.fleet.set(TokenRecord(token: phone.token, state: .unregistered, since: since))
        #expect(phone.push(.alert) == .notDelivered)
        phone.time.advance(by: .seconds(300))
        #expect(phone.standing() == .unregistered(sinceMilliseconds: since.milliseconds + 300_000))
    }

    @Test("topic before death: a foreign push to a dead token is DeviceTokenNotForTopic (§7)")
    func topicBeforeDeath() {
        let phone = registered {
            TokenRecord(token: $0, kind: .device, topic: Phone.bundle, state: .unregistered)
        }
        #expect(phone.standing("com.example.other") == .otherTopic)
    }

    @Test("more pushes to a token in a second than allowed are too many (§6, §15.4)")
    func rate() {
        let phone = Phone { $0.pushesPerSecondAndToken = 2 }
        #expect([phone.standing(), phone.standing(), phone.standing()] == [.active, .active, .tooMany])
        phone.time.advance(by: .seconds(1))
        #expect(phone.standing() == .active)
    }

    @Test("pushes are counted per token, refused ones too")
    func counts() {
        #expect(phone.fleet.pushCount(of: phone.hash) == 0)
        _ = phone.push(.alert)
        _ = phone.standing("com.example.other")
        #expect(phone.fleet.pushCount(of: phone.hash) == 2)
    }

    @Test("beyond the limit tokens are accepted and not remembered")
    func limit() {
        let phone = Phone { $0.tokenLimit = 64 }
        for number in 0..<2000 {
            phone.token = String(repeating: "0", count: 60) + String(number + 1000)
            #expect(phone.push(.alert) == .shown)
        }
        #expect(phone.fleet.tokenCount <= 64)
    }

    // MARK: reactions

    @Test("an alert is shown, a background push is silent, others go to the app (§4, §5)")
    func reactions() {
        #expect(phone.push(.alert) == .shown)
        #expect(phone.push(.background) == .silent)
        #expect(phone.push(nil) == .shown)
        #expect(phone.push(.alert) { $0.hasAlert = false } == .nothingShown)
        #expect(
            phone.push(nil) {
                $0.hasAlert = false
                $0.isContentAvailable = true
            } == .silent)
        #expect(
            phone.push(.alert) {
                $0.hasAlert = false
                $0.hasBadge = true
            } == .shown)
        #expect(phone.push(.alert) { $0.isObject = false } == .undecodable)
        phone.token = String(repeating: "ef", count: 32)
        #expect(phone.push(.voip) == .handedOver)
    }

    // MARK: records

    @Test("a record is read back as set, in lower case, and found in either case")
    func records() {
        let token = String(repeating: "AB", count: 54)
        var record = TokenRecord(
            token: token.lowercased(), kind: .activity, topic: Phone.bundle, environment: .production,
            state: .expired, since: WallTime(seconds: 1_760_000_000))
        record.device = "phone-1"
        record.connection = .restricted
        record.hasFrequentUpdates = true
        var given = record
        given.token = token
        #expect(phone.fleet.set(given))
        #expect(phone.fleet.record(of: token) == record)
        #expect(phone.fleet.record(of: record.token) == record)
        #expect(phone.fleet.record(of: "abcd") == nil)
    }

    @Test("what is no token is not set", arguments: ["", "abc", "xyz0", String(repeating: "a", count: 1026)])
    func noToken(text: String) {
        #expect(!phone.fleet.set(TokenRecord(token: text)))
        #expect(phone.fleet.tokenCount == 0)
    }

    @Test("a token that lives again starts anew")
    func revived() {
        #expect(phone.activity(.update) == .updated)
        #expect(phone.activity(.end) == .ended)
        let kind = TokenKind.activity
        phone.fleet.set(TokenRecord(token: phone.token, kind: kind, state: .unregistered))
        phone.fleet.set(TokenRecord(token: phone.token, kind: kind))
        #expect(phone.activity(.update) == .updated)
    }

    @Test("removed tokens are forgotten, the others stay, reset forgets all")
    func removal() {
        let tokens = (0..<3000).map { String(repeating: "0", count: 60) + String($0 + 1000) }
        for token in tokens { phone.fleet.set(TokenRecord(token: token, topic: "t\(token.suffix(1))")) }
        for (index, token) in tokens.enumerated() where index % 3 == 0 { #expect(phone.fleet.remove(token: token)) }
        #expect(!phone.fleet.remove(token: tokens[0]))
        for (index, token) in tokens.enumerated() {
            let topic = index % 3 == 0 ? nil : "t\(token.suffix(1))"
            #expect(phone.fleet.record(of: token)?.topic == topic)
            #expect(phone.fleet.record(of: token)?.token == (topic == nil ? nil : token))
        }
        #expect(phone.fleet.tokenCount == 2000)
        phone.fleet.reset()
        #expect(phone.fleet.tokenCount == 0)
        #expect(phone.fleet.record(of: tokens[1]) == nil)
    }

    @Test("coming and going does not grow the shards without end")
    func churn() {
        for round in 0..<200 {
            for number in 0..<100 {
                let token = String(repeating: "f", count: 500) + String(round * 100 + number + 100_000)
                phone.fleet.set(TokenRecord(token: token))
                #expect(phone.fleet.record(of: token)?.token == token)
                #expect(phone.fleet.remove(token: token))
            }
        }
        #expect(phone.fleet.tokenCount == 0)
    }

    @Test("many threads at once leave every token right")
    func threads() async {
        let fleet = phone.fleet
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for number in 0..<2000 {
                        let token = String(repeating: "0", count: 59) + "\(worker)" + String(number + 1000)
                        fleet.set(TokenRecord(token: token, topic: "t\(worker)"))
                    }
                }
            }
        }
        #expect(fleet.tokenCount == 8000)
        #expect(fleet.record(of: String(repeating: "0", count: 59) + "31999")?.topic == "t3")
    }
}
