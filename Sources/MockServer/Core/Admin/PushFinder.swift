// GET /v1/pushes: reads the journal for those who ask, and lets them wait for what is not there yet. A long journal is
// read in slices, one a turn, so that a large question does not keep the others waiting.

import Basics
import EventLoop
import Faults
import Journal
import Net
import Pushes
import Synchronization

/// Confined to the admin loop.
final class PushFinder {
    static let maxWaiting = 64
    static let longestWait = Interval.seconds(60)
    static let entriesPerSlice = 10_000
    static let foundPerSlice = 500
    /// Questions that are read for in one turn, the oldest first: so few hold a part of an answer at the same time.
    static let slicesPerTurn = 4
    /// How often waiting questions look for new entries.
    static let lookInterval = Interval.milliseconds(10)

    private let loop: EventLoop
    private let shared: MockShared
    private let reader: JournalReader
    private let scanner = JSONScanner(maxDepth: 64, maxNodes: 16_384)
    private var questions: [Question] = []
    private var timer: LoopTimer?
    private var looksSoon = false
    private var seenCommits: UInt64 = 0

    private final class Question {
        let exchange: ServerExchange
        private let token: String?
        private let tokenInLowerCase: String?
        let limit: Int
        let deadline: Instant
        var cursor: JournalCursor?
        /// The pushes found so far as JSON, with commas between them.
        var found: [UInt8] = []
        var count = 0
        var hasReachedEnd = false

        init(
            exchange: ServerExchange, token: String?, limit: Int, deadline: Instant, cursor: JournalCursor?
        ) {
            self.exchange = exchange
            self.token = token
            self.limit = limit
            self.deadline = deadline
            self.cursor = cursor
            tokenInLowerCase = token?.lowercased()
        }

        /// The case of letters tells tokens of FCM apart; those of APNs are hex digits.
        func isAbout(_ push: PushEntry) -> Bool {
            guard let token else { return true }
            return push.provider == .fcm ? push.token == token : push.token.lowercased() == tokenInLowerCase
        }
    }

    init(loop: EventLoop, shared: MockShared) throws(Failure) {
        self.loop = loop
        self.shared = shared
        reader = try JournalReader(directory: shared.journalDirectory)
    }

    /// Answers the exchange now or later.
    func find(_ request: AdminRequest, _ exchange: ServerExchange) throws(AdminError) {
        let parameters = try request.parameters(["token", "since", "wait", "limit"])
        guard questions.count < Self.maxWaiting else {
            throw AdminError(
                503, "too-many-waiting", "\(Self.maxWaiting) questions wait already", hint: "ask again in a moment")
        }
        let cursor = try shared.cursor(parameters["since"] ?? "", named: "since")
        let wait = try Self.wait(parameters["wait"])
        let limit = try self.limit(parameters["limit"])
        questions.append(
            Question(
                exchange: exchange, token: parameters["token"], limit: limit,
                deadline: loop.now + wait, cursor: cursor))
        // One that is alone is answered at once; many have their turns.
        if questions.count == 1 { look() } else { lookSoon() }
    }

    func abandon(_ exchange: ServerExchange) { questions.removeAll { $0.exchange === exchange } }

    /// Answers everyone who waits, with what there is.
    func answerAll() {
        for question in questions { answer(question) }
        questions = []
        timer?.cancel()
        timer = nil
        looksSoon = false
    }

    // MARK: Reading

    private func look() {
        timer?.cancel()
        timer = nil
        looksSoon = false
        let commits = shared.commits.load(ordering: .acquiring)
        let hasNews = commits != seenCommits
        seenCommits = commits
        var needsAnotherSlice = false
        var slices = 0
        questions.removeAll { question in
            if hasNews { question.hasReachedEnd = false }
            if !question.hasReachedEnd {
                guard slices < Self.slicesPerTurn else {
                    needsAnotherSlice = true
                    return false
                }
                slices += 1
                do throws(Failure) { try readSlice(question) } catch {
                    AdminError(500, "journal", error.message, hint: error.hint).send(to: question.exchange)
                    return true
                }
            }
            let isFull = question.count == question.limit
            if isFull || (question.hasReachedEnd && (question.count > 0 || loop.now >= question.deadline)) {
                answer(question)
                return true
            }
            needsAnotherSlice = needsAnotherSlice || !question.hasReachedEnd
            return false
        }
        guard !questions.isEmpty else { return }
        if needsAnotherSlice { lookSoon() } else { timer = loop.after(Self.lookInterval) { [self] in look() } }
    }

    private func lookSoon() {
        guard !looksSoon else { return }
        looksSoon = true
        timer?.cancel()
        timer = loop.after(.zero) { [self] in look() }
    }

    private func readSlice(_ question: Question) throws(Failure) {
        var visited = 0
        var foundNow = 0
        var isCut = false
        question.cursor = try reader.forEach(since: question.cursor) { entry in
            visited += 1
            if let push = entry.request, question.isAbout(push) {
                if question.count > 0 { question.found.append(UInt8(ascii: ",")) }
                push.write(
                    to: &question.found, faults: shared.faults, late: shared.late, reasons: shared.reasons, scanner: scanner)
                question.count += 1
                foundNow += 1
            }
            isCut =
                question.count == question.limit || foundNow == Self.foundPerSlice || visited == Self.entriesPerSlice
            return !isCut
        }
        question.hasReachedEnd = !isCut
    }

    private func answer(_ question: Question) {
        let next = question.cursor.map { JSONValue.string($0.text) } ?? .null
        var body = Array(#"{"pushes":["#.utf8)
        body += question.found
        body += #"],"next":"#.utf8
        body += next.encoded()
        body += "}\n".utf8
        AdminAnswer(json: body).send(to: question.exchange)
    }

    // MARK: Parameters

    /// How long a question may wait for news.
    static func wait(_ text: String?) throws(AdminError) -> Interval {
        guard let text else { return .zero }
        guard let wait = Interval(parsing: text), wait >= .zero, wait <= longestWait else {
            throw AdminError(
                400, "bad-parameter", "wait is '\(text)'",
                hint: "give a duration such as 5s, at most \(longestWait)")
        }
        return wait
    }

    private func limit(_ text: String?) throws(AdminError) -> Int {
        guard let text else { return 1_000 }
        guard let limit = Int(text), 1...10_000 ~= limit else {
            throw AdminError(400, "bad-parameter", "limit is '\(text)'", hint: "give a whole number from 1 to 10000")
        }
        return limit
    }
}
