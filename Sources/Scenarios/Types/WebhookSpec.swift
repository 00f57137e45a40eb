// What a relay calls back: where, how it signs, what we answer, and what it owes.

package import Basics

package struct WebhookSpec: Sendable {
    /// What is answered to the first deliveries of each webhook, before it is 200.
    package struct Answer: Hashable, Sendable {
        /// 0: none ever comes.
        package var status: Int
        /// So many deliveries in a row. 1 to 100.
        package var times: Int
        package var delay: Interval

        package init(status: Int, times: Int = 1, delay: Interval = .zero) {
            self.status = status
            self.times = times
            self.delay = delay
        }
    }

    package enum Form: String, CaseIterable, Hashable, Sendable {
        /// The code alone stands in the signature's header.
        case plain
        /// `t=TIME,v1=CODE`, in the one header.
        case dated
        /// `v1,CODE v1,CODE`, as Standard Webhooks has it; the time stands elsewhere.
        case listed
    }

    /// Where a webhook says something of itself.
    package enum Place: Hashable, Sendable {
        case body(JSONPointerPath)
        /// By its name in lower case.
        case header(String)
        /// Of the query.
        case parameter(String)
        /// Nowhere: it is the same of each.
        case word(String)
    }

    package enum Method: String, CaseIterable, Sendable {
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
        case get = "GET"
    }

    /// What owes a webhook: a call that the relay took, or a push that APNs refused.
    package enum Cause: Hashable, Sendable {
        /// Index into `Profile.calls`.
        case call(Int)
        /// One of these reasons of APNs; the webhook names the token.
        case refusal(Set<String>)
    }

    package struct Owed: Hashable, Sendable {
        package var cause: Cause
        /// As the webhook names it.
        package var event: String
        /// After the call's answer, or APNs' refusal. At most 20 s.
        package var within: Interval
        /// What was accepted does not come again.
        package var isOnce: Bool
        /// Of a refusal: the activity ends with its token.
        package var endsActivity: Bool

        package init(
            _ cause: Cause, event: String, within: Interval = .seconds(5), isOnce: Bool = false, endsActivity: Bool = false
        ) {
            self.cause = cause
            self.event = event
            self.within = within
            self.isOnce = isOnce
            self.endsActivity = endsActivity
        }
    }

    /// Begins with a slash.
    package var path: String
    /// Where a webhook says what it is about, its own id, and a token.
    package var event: Place
    package var id: Place?
    package var token: Place?
    package var method = Method.post
    /// A header with a secret, or a keyed digest; nil: nothing is asked for. A secret may be one that an answer gave.
    package var signature: AuthSpec?
    /// So long an earlier secret is right beside the one that has followed.
    package var overlap: Interval
    package var form: Form
    /// What the code is called in a dated or listed signature.
    package var label = "v1"
    /// So old a signed timestamp may be, or so far ahead.
    package var tolerance: Interval
    package var answers: [Answer]
    /// After an answer of 5xx, 408 or 429, or none, it is to come again within this time; nil: that is not declared.
    package var retries: Interval?
    package var owes: [Owed]

    /// What an answer gives and it is signed with.
    package var captured: CapturedNames { (signature?.templates ?? []).reduce(into: []) { $0.formUnion($1.captured) } }

    package static let longest = Interval.seconds(20)

    package init(
        path: String = "/webhooks", event: Place, id: Place? = nil, token: Place? = nil,
        signature: AuthSpec? = nil, overlap: Interval = .zero, form: Form = .plain,
        tolerance: Interval = .seconds(300), answers: [Answer] = [], retries: Interval? = nil, owes: [Owed] = []
    ) {
        self.path = path
        self.event = event
        self.id = id
        self.token = token
        self.signature = signature
        self.overlap = overlap
        self.form = form
        self.tolerance = tolerance
        self.answers = answers
        self.retries = retries
        self.owes = owes
    }
}
