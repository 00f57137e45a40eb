// In which order somebody's sessions made their calls.

import Basics

enum WatchedSessions {
    /// Numbers of requests, by session: its own, and those of its user that name no session. Where nobody names one: by user.
    static func scripts(
        _ calls: [ObservedCall], _ names: SeenNames, _ told: [String: [SeenNames.Telling]]
    ) -> [[Int]] {
        var (users, sessions) = ([String: [Int]](), [String: [Int]]())
        for (number, call) in calls.enumerated() {
            for (_, text) in call.parts {
                switch names.names[text]?.kind {
                case .user: users[text, default: []].append(number)
                case .session, .captured: sessions[text, default: []].append(number)
                case .event, nil: break
                }
            }
        }
        // Whoever is told an id speaks of it.
        for (text, own) in sessions {
            guard case .captured(_, let pointer)? = names.names[text]?.kind else { continue }
            sessions[text] = own + (told[text] ?? []).filter { $0.pointer == pointer }.map(\.call)
        }
        for text in wider(sessions) { sessions[text] = nil }
        let people = groups(names.order.compactMap { users[$0] })
        let session = groups(names.order.compactMap { sessions[$0] })
        guard !session.isEmpty else {
            let known = Set(people.values)
            if known.isEmpty { return [Array(calls.indices)] }
            return known.sorted().map { one in calls.indices.filter { people[$0] ?? one == one } }
        }
        let own = Dictionary(grouping: session.keys, by: { session[$0]! }).values.map { $0.sorted() }
            .sorted { $0[0] < $1[0] }
        return own.enumerated().map { place, requests in
            let person = requests.lazy.compactMap { people[$0] }.first
            let isLast = !own[(place + 1)...].contains { later in later.contains { people[$0] == person } }
            return calls.indices.filter { number in
                if let other = session[number] { return other == session[requests[0]] }
                guard person == nil || people[number] == nil || people[number] == person else { return false }
                return number < requests.last! || isLast
            }
        }
    }

    /// Names that stand beside several others which have nothing to do with each other: they are of all of these. `names`: of
    /// each, the requests that say it.
    static func wider(_ names: [String: [Int]]) -> [String] {
        let sets = names.mapValues(Set.init)
        return sets.keys.filter { name in
            let inner = sets.filter { $0.key != name && !$0.value.isDisjoint(with: sets[name]!) }.map(\.value)
            return inner.contains { one in inner.contains { one.isDisjoint(with: $0) } }
        }
    }

    /// By request, a number of whom it is of: names that stand in one request are one's. `names`: of each, the requests that
    /// say it.
    static func groups(_ names: [[Int]]) -> [Int: Int] {
        var groups: [Int: Int] = [:]
        for (number, calls) in names.enumerated() {
            let known = Set(calls.compactMap { groups[$0] })
            for (call, group) in groups where known.contains(group) { groups[call] = number }
            for call in calls { groups[call] = number }
        }
        return groups
    }
}
