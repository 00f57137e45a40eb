// How long a registration lives, and how much it and its project may be sent (docs/fcm.md §4, §5).

import Basics
import Devices
import FCM
import Testing

@Suite struct RegistrationBookTests {
    private static let token = "dGVzdC1pbnN0YW5jZQ:APA91bOne"
    private static let day: Double = 86_400
    private static let start = WallTime(seconds: 1_700_000_000)

    private static func book(_ settings: (inout FCMSettings) -> Void = { _ in }) -> RegistrationBook {
        var rules = FCMSettings()
        settings(&rules)
        return RegistrationBook(takesUnknown: true, settings: rules, devices: DeviceFleet(settings: DeviceSettings()))
    }

    private static var hash: Hash128 { withBytes(of: token) { Hash128(hashing: $0) } }

    private static func standing(_ book: RegistrationBook, project: String = "p", after seconds: Double) -> RegistrationStanding {
        withBytes(of: token) { token in
            withBytes(of: project) { book.standing(of: token, hash: hash, project: $0, now: start + .seconds(seconds)) }
        }
    }

    private static func note(_ book: RegistrationBook, after seconds: Double, isSeen: Bool = true, isMetered: Bool = true) {
        _ = withBytes(of: "p") {
            book.note(hash, project: $0, now: start + .seconds(seconds), isSeen: isSeen, isMetered: isMetered)
        }
    }

    private static func set(_ book: RegistrationBook, _ platform: RegistrationRecord.Platform, after seconds: Double = 0) {
        let record = RegistrationRecord(token: token, project: "p", state: .active, platform: platform)
        book.set(record, now: start + .seconds(seconds))
    }

    @Test("an Android registration without a sign of life for 270 days is gone, and no other platform's")
    func idle() {
        let book = Self.book()
        Self.set(book, .android)
        #expect(Self.standing(book, after: 270 * Self.day - 1) == .active)
        #expect(Self.standing(book, after: 270 * Self.day) == .unregistered)
        #expect(book.record(of: Self.token, now: Self.start + .seconds(270 * Self.day))?.state == .unregistered)
        #expect(Self.standing(book, project: "q", after: 0) == .ofOtherProject, "another project's is told apart as before")
        for platform in [RegistrationRecord.Platform.ios, .web] {
            Self.set(book, platform)
            #expect(Self.standing(book, after: 4_000 * Self.day) == .active)
        }
        let lasting = Self.book { $0.registrationLife = nil }
        Self.set(lasting, .android)
        #expect(Self.standing(lasting, after: 4_000 * Self.day) == .active)
    }

    @Test("a message that the device took is a sign of life, one that waits is none")
    func signs() {
        let book = Self.book()
        Self.note(book, after: 0)
        Self.note(book, after: 200 * Self.day)
        #expect(Self.standing(book, after: 400 * Self.day) == .active)
        Self.note(book, after: 400 * Self.day, isSeen: false)
        #expect(Self.standing(book, after: 470 * Self.day) == .unregistered)
        Self.set(book, .android, after: 480 * Self.day)
        #expect(Self.standing(book, after: 500 * Self.day) == .active)
    }

    @Test("so many to one Android registration in a minute, and in an hour; those of other platforms are not counted")
    func device() {
        let book = Self.book { ($0.messagesPerMinuteAndDevice, $0.messagesPerHourAndDevice) = (3, 5) }
        func room(_ seconds: Double) -> Bool { book.hasRoom(Self.hash, now: Self.start + .seconds(seconds)) }
        for second in 0..<3 {
            #expect(room(Double(second)))
            Self.note(book, after: Double(second))
        }
        #expect(!room(3) && !room(59) && room(60))
        Self.note(book, after: 60)
        Self.note(book, after: 61)
        #expect(!room(200), "five in an hour")
        #expect(room(3_600))
        Self.note(book, after: 3_600)
        for _ in 0..<9 { Self.note(book, after: 3_700, isMetered: false) }
        #expect(room(3_700), "what has no quota is not counted")
        Self.set(book, .ios, after: 3_601)
        for _ in 0..<9 { Self.note(book, after: 3_602) }
        #expect(room(3_602))
    }

    @Test("whoever keeps a limit in every minute is never refused")
    func honest() {
        let book = Self.book { ($0.messagesPerMinuteAndDevice, $0.messagesPerHourAndDevice) = (10, nil) }
        var generator = Seed(7).generator()
        var sent: [Double] = []
        var time = 0.0
        for _ in 0..<5_000 {
            time += generator.unit() * 8
            if sent.count(where: { time - $0 < 60 }) >= 10 { continue }
            #expect(book.hasRoom(Self.hash, now: Self.start + .seconds(time)), "at \(time)")
            Self.note(book, after: time)
            sent.append(time)
            sent.removeAll { time - $0 >= 60 }
        }
    }

    @Test("beyond so many projects the others are one: none is forgotten, and no more are kept")
    func manyProjects() {
        let book = Self.book()
        func note(_ number: Int) {
            let token = withBytes(of: "t\(number)") { Hash128(hashing: $0) }
            _ = withBytes(of: "p\(number)") { book.note(token, project: $0, now: Self.start) }
        }
        func standing(_ number: Int, _ project: Int) -> RegistrationStanding {
            withBytes(of: "t\(number)") { token in
                withBytes(of: "p\(project)") {
                    book.standing(of: token, hash: Hash128(hashing: token), project: $0, now: Self.start)
                }
            }
        }
        let last = RegistrationBook.projectLimit - 1
        for number in 0..<last + 3 { note(number) }
        #expect(standing(0, 0) == .active && standing(0, 1) == .ofOtherProject && standing(0, last + 7) == .ofOtherProject)
        #expect([last, last + 1, last + 2].allSatisfy { standing($0, $0) == .active && standing($0, last + 9) == .active })
        #expect(book.record(of: "t\(last - 1)", now: Self.start)?.project == "p\(last - 1)")
        #expect(book.record(of: "t\(last + 2)", now: Self.start)?.project == "", "of the rest nobody knows which")
        let first = withBytes(of: "t0") { Hash128(hashing: $0) }
        #expect(withBytes(of: "p0") { book.isActive(first, project: $0, now: Self.start) })
        #expect(!withBytes(of: "p1") { book.isActive(first, project: $0, now: Self.start) })
    }

    @Test("a project's minute is filled again whole, at an instant of its own; other projects have theirs")
    func project() {
        var rules = FCMSettings()
        (rules.messagesPerMinuteAndProject, rules.topicSubscriptionsPerSecond) = (2, 1)
        let quotas = ProjectQuotas(settings: rules, seed: Seed(3), devices: DeviceFleet(settings: DeviceSettings()))
        func take(_ project: String, _ seconds: Double) -> Bool {
            withBytes(of: project) { quotas.takeMessage(of: $0, now: Self.start + .seconds(seconds)) }
        }
        // Each second one of two minutes: two pass in each window.
        let passed = (0..<120).filter { take("p", Double($0)) }
        #expect((4...6).contains(passed.count) && passed.prefix(2) == [0, 1])
        #expect(take("q", 119), "its own")
        let edges = passed.dropFirst(2).filter { !passed.contains($0 - 1) }
        #expect(edges.count >= 1 && edges.allSatisfy { ($0 - edges[edges.startIndex]) % 60 == 0 })
        // The second at which a project's next minute begins, once it has used one up.
        func minute(_ project: String) -> Int? {
            for _ in 0..<2 { _ = take(project, 200) }
            return (200..<260).first { take(project, Double($0)) }
        }
        #expect(Set((0..<8).map { minute("m\($0)") }).count > 4, "each begins at an instant of its own")
        func subscribe(_ seconds: Double) -> Bool {
            withBytes(of: "p") { quotas.takeSubscription(of: $0, now: Self.start + .seconds(seconds)) }
        }
        #expect(subscribe(0) && !subscribe(0) && subscribe(1))
    }

    @Test("beyond so many projects the others share a quota")
    func projects() {
        var rules = FCMSettings()
        rules.messagesPerMinuteAndProject = 1
        let quotas = ProjectQuotas(settings: rules, seed: Seed(3), devices: DeviceFleet(settings: DeviceSettings()))
        let passed = (0..<3_000).count { number in
            withBytes(of: "p\(number)") { quotas.takeMessage(of: $0, now: Self.start) }
        }
        #expect(passed == 1_025)
    }
}
