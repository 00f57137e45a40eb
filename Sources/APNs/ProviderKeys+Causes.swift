// Why no key fits what a token says. Asked for refused tokens only.

import Basics
import Pushes

extension ProviderKeys {
    /// Why there is no key of that ID: what of it would have to be otherwise.
    func cause(ofKeyID given: String) -> CredentialCause {
        let records = records
        let keys = Set(records.map(\.keyID))
        let bare = given.trimmed
        if keys.contains(bare) { return given.hasLineEnd ? .keyWithLineEnd : .keyWithSpace }
        if keys.contains(given.uppercased()) { return .keyInOtherLetters }
        if keys.contains(bare.uppercased()) { return .keyWithMore }
        if records.contains(where: { $0.teamID == bare }) { return .keyIsTeam }
        return given.holdsOne(of: keys) ? .keyWithMore : .keyUnknown
    }

    /// Why the team is not that of the key.
    func cause(ofTeamID given: String, _ key: ProviderKey) -> CredentialCause {
        let (bare, team) = (given.trimmed, key.record.teamID)
        if bare == team { return given.hasLineEnd ? .teamWithLineEnd : .teamWithSpace }
        if given.uppercased() == team { return .teamInOtherLetters }
        if self.key(id: bare) != nil { return .teamIsKey }
        return records.contains { $0.teamID == bare } ? .teamOther : .teamUnknown
    }

    /// How many other keys are tried: each costs a verification, and whoever sends may do so all day. Our choice.
    private static let mostTried = 8

    /// Whether another key made that signature.
    func isSigned(_ message: Span<UInt8>, _ signature: Span<UInt8>, butBy key: ProviderKey) -> Bool {
        for record in records.filter({ $0.keyID != key.record.keyID }).prefix(Self.mostTried) {
            if let other = self.key(id: record.keyID), other.verifier.verify(message, signature: signature) { return true }
        }
        return false
    }
}

extension String {
    fileprivate var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    fileprivate var hasLineEnd: Bool { contains(where: \.isNewline) }

    /// Whether ten letters and digits in a row are one of those.
    fileprivate func holdsOne(of words: Set<String>) -> Bool {
        split { !$0.isLetter && !$0.isNumber }.contains { words.contains(String($0)) }
    }
}
