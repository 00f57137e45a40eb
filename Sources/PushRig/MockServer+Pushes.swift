// The pushes that arrived, read from the mock's journal: a push is there before its answer leaves.

import Basics
import Journal
import MockServer
import Synchronization

extension MockServer {
    /// A point between two pushes, in order of arrival.
    public struct Position: Hashable, Sendable {
        let cursor: JournalCursor
    }

    /// The point after all pushes so far. Throws where the journal cannot be read.
    public func position() throws(MockError) -> Position {
        let cursor = try read(since: readTo.withLock { $0 }) { _ in true }
        readTo.withLock { $0 = cursor }
        return Position(cursor: cursor)
    }

    /// The pushes after `position` in order of arrival, refused ones too; nil: since the start or the last reset. The
    /// oldest `limit` of them. Throws where the journal cannot be read.
    public func pushes(since position: Position? = nil, limit: Int = 10_000) throws(MockError) -> [Push] {
        var found: [Push] = []
        guard limit > 0 else { return found }
        try read(since: position?.cursor ?? service.pushesBegin) { entry in
            if case .push(let push) = entry { found.append(Push(push, service)) }
            return found.count < limit
        }
        return found
    }

    /// The first push after `position` (nil: since the start or the last reset) to that token (nil: any) for which `matches`
    /// holds. Waits up to `timeout` for it. Throws a `MockError` that says what came instead, or a `CancellationError`.
    public func waitForPush(
        token: String? = nil, since position: Position? = nil, timeout: Duration = .seconds(5),
        where matches: (Push) -> Bool = { _ in true }
    ) async throws -> Push {
        let wanted = token?.lowercased()
        let deadline = clock.now() + Interval(timeout)
        var cursor = position?.cursor ?? service.pushesBegin
        var others = Others()
        while true {
            let isLast = clock.now() >= deadline
            var found: Push?
            var visited = 0
            cursor = try read(since: cursor) { entry in
                visited += 1
                if case .push(let entry) = entry {
                    let push = Push(entry, service)
                    if wanted == nil || push.token == wanted, matches(push) {
                        found = push
                    } else {
                        others.add(push)
                    }
                }
                return found == nil && visited < Self.entriesPerTurn
            }
            if let found { return found }
            if visited == Self.entriesPerTurn {
                try Task.checkCancellation()
                await Task.yield()
                continue
            }
            if let failure = service.failure { throw MockError(failure) }
            if isLast { throw others.failure(wanted: wanted, timeout: timeout) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The number of entries that are read before other tasks have their turn.
    private static var entriesPerTurn: Int { 1_000 }

    @discardableResult
    private func read(
        since cursor: JournalCursor?, _ visit: (JournalEntry) -> Bool
    ) throws(MockError) -> JournalCursor {
        do throws(Failure) {
            return try JournalReader(directory: service.journalDirectory).forEach(since: cursor, visit)
        } catch {
            throw MockError(error)
        }
    }
}

/// The pushes that came while another was waited for.
private struct Others {
    private var count = 0
    private var last: Push?

    mutating func add(_ push: Push) {
        count += 1
        last = push
    }

    func failure(wanted: String?, timeout: Duration) -> MockError {
        let object = wanted.map { "push to \($0.prefix(8))…" } ?? "push"
        var hint = "no push came at all; does the relay use this mock's address, authority and key?"
        if let last {
            let answer = [last.status.map(String.init) ?? "not answered", last.reason].compactMap { $0 }
            hint =
                "\(count) \(count == 1 ? "push" : "pushes") came that did not fit, the last to \(last.token.prefix(8))… "
                + "(\(last.pushType ?? "no type"), \(answer.joined(separator: " ")))"
        }
        return MockError("no \(object) that fits came within \(Interval(timeout))", hint: hint)
    }
}
