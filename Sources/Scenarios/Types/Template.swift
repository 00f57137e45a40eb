// Text with holes, compiled once: literal bytes and variables, rendered without a String or a Dictionary.

package import Basics

/// Compiled text of a request.
package struct Template: Hashable, Sendable {
    package var segments: [TemplateSegment]

    package init(segments: [TemplateSegment]) { self.segments = segments }

    /// Appends the text to `buffer`, asking `values` for each variable.
    package func render(into buffer: ByteBuffer, _ values: some TemplateValues) {
        for segment in segments { segment.render(into: buffer, values) }
    }
}

package enum TemplateSegment: Hashable, Sendable {
    case literal([UInt8])
    case variable(TemplateVariable, TemplateEncoding)
    case filtered(TemplateVariable, TemplateFilters, TemplateEncoding)
    /// Text made of all that is inside, as one value: a JSON text within a JSON string.
    case quoted([TemplateSegment], TemplateEncoding)
    /// Left out as a whole when the variable is null: a member of a JSON object with its comma.
    case optional(TemplateVariable, [TemplateSegment])
    /// Items that may each be left out: `opening` stands in front of the first that is there, `separator` between two.
    case list(opening: [UInt8], separator: [UInt8], [TemplateItem])

    fileprivate func render(into buffer: ByteBuffer, _ values: some TemplateValues) {
        switch self {
        case .literal(let bytes): buffer.append(bytes.span)
        case .variable(let variable, let encoding): values.append(variable, encoding, into: buffer)
        case .filtered(let variable, let filters, let encoding):
            filters.append(variable, encoding, into: buffer, values)
        case .quoted(let segments, let encoding):
            let inner = ByteBuffer(capacity: 256)
            for segment in segments { segment.render(into: inner, values) }
            encoding.append(inner.bytes, into: buffer)
        case .optional(let variable, let segments):
            guard !values.isNull(variable) else { return }
            for segment in segments { segment.render(into: buffer, values) }
        case .list(let opening, let separator, let items):
            var isFirst = true
            for item in items where item.isThere(values) {
                buffer.append((isFirst ? opening : separator).span)
                isFirst = false
                for segment in item.segments { segment.render(into: buffer, values) }
            }
        }
    }
}

/// A field of a form, of a query or of a multipart body.
package struct TemplateItem: Hashable, Sendable {
    /// Left out as a whole when this is null.
    package var condition: TemplateVariable?
    package var segments: [TemplateSegment]

    package init(condition: TemplateVariable? = nil, segments: [TemplateSegment]) {
        self.condition = condition
        self.segments = segments
    }

    package func isThere(_ values: some TemplateValues) -> Bool { condition.map { !values.isNull($0) } ?? true }
}

/// Who knows the variables of one event.
package protocol TemplateValues {
    func isNull(_ variable: TemplateVariable) -> Bool
    /// Appends the value in that encoding; see `TemplateEncoding.append` and `VariableValue.append`.
    func append(_ variable: TemplateVariable, _ encoding: TemplateEncoding, into buffer: ByteBuffer)
}

package enum TemplateVariable: Hashable, Sendable {
    case session(SessionVariable)
    case event(EventVariable)
    /// Index into `ProfileCall.variables` and `ScriptStep.values`.
    case own(Int)
    /// Index into `Profile.captures`: what an earlier answer held. Null until it is there.
    case captured(Int)
    /// Index into `Profile.feeds`: what the session's row of a feeder holds. Null where the workload has no such column.
    case fed(Int)
    /// When the request is made. The judge does not know it: what it makes again says 1970.
    case now(TemplateTime)
}

/// The same throughout a session.
package enum SessionVariable: String, CaseIterable, Hashable, Sendable {
    case run, session, sessionID, secret, deviceToken, startToken, activityToken, topic, serverID
    /// Those of a second phone of the same user.
    case deviceToken2, startToken2, activityToken2
    /// What the first phone's activity token is after a rotation.
    case rotatedToken
    /// What the first phone's push-to-start token is after it changed.
    case newStartToken
    /// The phone's for FCM, and what that is after it changed.
    case registrationToken, newRegistrationToken
    /// The token of all the app's widgets, on both phones, and what the first one's is after it changed.
    case widgetToken, widgetToken2, newWidgetToken
    /// Those of two of its controls.
    case controlToken, otherControlToken
    /// No token, and said by no call: the broadcast channel that the relay has for the session, whatever its ID.
    case broadcastChannel

    /// Those that a call may say.
    static let ofCalls = allCases.filter { $0 != .broadcastChannel }

    package static let tokens: [SessionVariable] = [
        .deviceToken, .startToken, .activityToken, .deviceToken2, .startToken2, .activityToken2, .rotatedToken,
        .newStartToken, .registrationToken, .newRegistrationToken, .widgetToken, .widgetToken2, .newWidgetToken, .controlToken,
        .otherControlToken,
    ]

    /// What a token is for: itself for the first phone's first one, and for what is no token.
    package var role: SessionVariable {
        switch self {
        case .deviceToken2: .deviceToken
        case .startToken2, .newStartToken: .startToken
        case .activityToken2, .rotatedToken: .activityToken
        case .newRegistrationToken: .registrationToken
        case .widgetToken2, .newWidgetToken: .widgetToken
        default: self
        }
    }

    /// From 0.
    package var phone: Int {
        switch self {
        case .deviceToken2, .startToken2, .activityToken2, .widgetToken2: 1
        default: 0
        }
    }

    /// Every token of the role, itself among them.
    package var ofSameRole: [SessionVariable] { Self.sameRole[place] }

    private static let sameRole = allCases.map { one in allCases.filter { $0.role == one.role } }

    /// Several of them, without a heap.
    package struct Few: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
    }

    /// This one alone.
    package var few: Few { Few(rawValue: 1 << UInt32(place)) }

    /// Its place among all cases.
    package var place: Int {
        switch self {
        case .run: 0
        case .session: 1
        case .sessionID: 2
        case .secret: 3
        case .deviceToken: 4
        case .startToken: 5
        case .activityToken: 6
        case .topic: 7
        case .serverID: 8
        case .deviceToken2: 9
        case .startToken2: 10
        case .activityToken2: 11
        case .rotatedToken: 12
        case .newStartToken: 13
        case .registrationToken: 14
        case .newRegistrationToken: 15
        case .widgetToken: 16
        case .widgetToken2: 17
        case .newWidgetToken: 18
        case .controlToken: 19
        case .otherControlToken: 20
        case .broadcastChannel: 21
        }
    }
}

/// Of one event.
package enum EventVariable: String, CaseIterable, Hashable, Sendable {
    /// What the correlator finds again in the push (`Marker` in Metrics).
    case marker
    /// The event's number within its session.
    case step
    /// The name of the phone whose event it reacts to; of the user's first phone where it reacts to none.
    case phone
    /// The update token of the activity whose event it reacts to. Null where it reacts to none.
    case phoneToken
    /// Where the relay calls back. The judge does not know it: what it makes again has nothing there.
    case webhook
    /// A UUID of the event, drawn from the run's seed.
    case uuid
}

/// A value a file gives to a variable; its forms are made once, when the file is read.
package struct VariableValue: Hashable, Sendable {
    /// Not empty: it is text made of these, of the session's row, and none of the forms below count.
    package var fed: [FedPart] = []
    package var isNull: Bool
    /// As in a header or a plain text; empty for null.
    package var raw: [UInt8]
    /// Inside a JSON string: escaped, without quotes.
    package var jsonString: [UInt8]
    /// As a whole JSON value: `null`, `3`, `"text"`.
    package var jsonValue: [UInt8]
    /// Percent-encoded for a path segment or a query value.
    package var url: [UInt8]

    package func append(_ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        switch encoding {
        case .raw: buffer.append(raw.span)
        case .jsonString: buffer.append(jsonString.span)
        case .jsonValue: buffer.append(jsonValue.span)
        case .url: buffer.append(url.span)
        case .urlJSONString: TemplateEncoding.url.append(jsonString.span, into: buffer)
        case .urlJSONValue: TemplateEncoding.url.append(jsonValue.span, into: buffer)
        }
    }
}

/// A piece of a value that a step gives to a variable of its call.
package enum FedPart: Hashable, Sendable {
    case text([UInt8])
    /// Index into `WorkloadSpec.feedColumns`. Alone it is the column's value itself: a number stays one, null is null.
    case column(Int)
}
