// What a call says and owes, as far as cases ask.

import Basics
package import Pushes
package import Scenarios

extension ProfileCall {
    /// Variables that stand in the text which also has the marker, behind it: free words, which a phone shows.
    package var freeTexts: [String] {
        var isInText = false
        var names: [String] = []
        for segment in (saying ?? body)?.segments ?? [] {
            switch segment {
            case .literal(let bytes): if bytes.contains(UInt8(ascii: "\"")) { isInText = false }
            case .variable(.event(.marker), _): isInText = true
            // A body that is plain text has its variables raw.
            case .variable(.own(let number), .jsonString), .variable(.own(let number), .raw):
                if isInText { names.append(variables[number]) }
            default: break
            }
        }
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// Its credential is made wrong on purpose, and it is to be refused.
    package var isForged: Bool {
        (auth?.isSpoilt ?? false) && expectedStatus.allSatisfy { 400..<500 ~= $0 }
    }

    /// A message of FCM, of whatever event.
    package var owesMessage: Bool { pushes.contains { $0.provider == .fcm } }

    package func owesMessage(_ event: ActivityEvent) -> Bool { pushes.contains { $0.provider == .fcm && $0.event == event } }

    /// `event` nil: of any.
    package func owes(_ type: PushType, _ event: ActivityEvent? = nil) -> Bool {
        pushes.contains { $0.channel == type && (event == nil || $0.event == event) }
    }
}
