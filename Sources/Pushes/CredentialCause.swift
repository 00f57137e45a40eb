// Why a provider token was refused. Apple's answer is one word for all of it; a mock knows more, and puts it on record.

import Basics

/// What is wrong with a credential. The raw values are part of the journal's format and never change.
package enum CredentialCause: UInt8, CaseIterable, Error, Sendable {
    case noField = 1
    case bareToken = 2
    case otherScheme = 3
    case noToken = 4
    case tooLong = 5
    case otherParts = 6
    case padded = 7
    case plainBase64 = 8
    case notBase64URL = 9
    case headerNotJSON = 10
    case algorithmMissing = 11
    case algorithmOther = 12
    case keyMissing = 13
    case keyUnknown = 14
    case keyWithLineEnd = 15
    case keyWithSpace = 16
    case keyInOtherLetters = 17
    case keyIsTeam = 18
    case keyWithMore = 19
    case claimsNotJSON = 20
    case teamMissing = 21
    case teamUnknown = 22
    case teamWithLineEnd = 23
    case teamWithSpace = 24
    case teamInOtherLetters = 25
    case teamIsKey = 26
    case teamOther = 27
    case issuedMissing = 28
    case issuedNotNumber = 29
    case issuedInMilliseconds = 30
    case issuedAhead = 31
    case expired = 32
    case signatureLength = 33
    case signatureOfOtherKey = 34
    case signatureOther = 35
    case connectionOfOtherTeam = 36
    case keyOfOtherEnvironment = 37
    case keyUnrelated = 38
    case keyOfOtherTopics = 39
    case connectionSpoiled = 40
    case tooManyTokens = 41

    /// Its word, in kebab-case, and what it means. `{kid}` and its like become the member's name with what the token says.
    private var row: (word: StaticString, meaning: StaticString) {
        switch self {
        case .noField: ("no-authorization", "there is no field authorization")
        case .bareToken:
            ("bearer-missing", "authorization begins with the token itself; the word bearer and a space have to precede it")
        case .otherScheme: ("not-bearer", "{scheme} is not the scheme bearer")
        case .noToken: ("token-missing", "nothing follows the word bearer")
        case .tooLong: ("token-too-long", "the token has more than 4,096 bytes; a real one has about 200")
        case .otherParts: ("not-three-parts", "the token has {parts}; it has to have three, with dots between them")
        case .padded: ("base64-padded", "{part} ends with =; base64url as tokens have it is not padded")
        case .plainBase64: ("base64-plain", "{part} is base64 with + or /; it has to be base64url, with - and _")
        case .notBase64URL: ("not-base64url", "{part} is not base64url")
        case .headerNotJSON: ("header-not-json", "the token's header is not a JSON object")
        case .algorithmMissing: ("alg-missing", "the token's header has no text alg; it has to be ES256")
        case .algorithmOther: ("alg-not-es256", "{alg} is not ES256, the one algorithm that APNs takes")
        case .keyMissing: ("kid-missing", "the token's header has no text kid; the key's ID belongs there")
        case .keyUnknown: ("kid-unknown", "{kid} is unknown: no key has that ID")
        case .keyWithLineEnd: ("kid-with-line-end", "{kid} is unknown; it would be known without its line's end")
        case .keyWithSpace: ("kid-with-space", "{kid} is unknown; it would be known without the space around it")
        case .keyInOtherLetters: ("kid-in-other-letters", "{kid} is unknown; it would be known in capital letters")
        case .keyIsTeam: ("kid-is-team-id", "{kid} is a team's ID where the key's ID belongs; {iss}")
        case .keyWithMore: ("kid-with-more", "{kid} is unknown; it holds the ID of a known key, with more around it")
        case .claimsNotJSON: ("claims-not-json", "the token's claims are not a JSON object")
        case .teamMissing: ("iss-missing", "the token's claims have no text iss; the team's ID belongs there")
        case .teamUnknown: ("iss-unknown", "{iss} is unknown: no team has that ID")
        case .teamWithLineEnd: ("iss-with-line-end", "{iss} is unknown; it would be known without its line's end")
        case .teamWithSpace: ("iss-with-space", "{iss} is unknown; it would be known without the space around it")
        case .teamInOtherLetters: ("iss-in-other-letters", "{iss} is unknown; it would be known in capital letters")
        case .teamIsKey: ("iss-is-key-id", "{iss} is a key's ID where the team's ID belongs")
        case .teamOther: ("iss-of-other-team", "{iss} is not the team of {kid}, though it is known")
        case .issuedMissing: ("iat-missing", "the token's claims have no iat; the Unix seconds of its signing belong there")
        case .issuedNotNumber: ("iat-not-a-number", "{iat} is not a number of Unix seconds")
        case .issuedInMilliseconds: ("iat-in-milliseconds", "{iat} counts milliseconds; it has to count seconds")
        case .issuedAhead: ("iat-ahead", "{iat} lies ahead of the mock's clock")
        case .expired: ("expired", "{iat} is longer ago than a provider token lives")
        case .signatureLength:
            ("signature-length", "the signature has {length}; it has 64 bytes, r and s, or is DER")
        case .signatureOfOtherKey:
            ("signature-of-other-key", "the signature is that of another known key than {kid}")
        case .signatureOther:
            ("signature-wrong", "the signature is not made of this header and these claims with the key of {kid}")
        case .connectionOfOtherTeam: ("connection-of-other-team", "{iss} is another team than the connection's first")
        case .keyOfOtherEnvironment: ("kid-of-other-environment", "{kid} is a key of the other environment")
        case .keyUnrelated: ("kid-unrelated", "{kid} is not related to the key that the connection began with")
        case .keyOfOtherTopics: ("kid-of-other-topics", "{kid} is a key for other topics than this one")
        case .connectionSpoiled:
            ("connection-spoiled", "an expired token was seen on this connection before; only a new connection helps")
        case .tooManyTokens: ("too-many-tokens", "provider tokens were changed more often than once in 20 minutes")
        }
    }

    package var word: StaticString { row.word }

    /// In plain words, for anybody's token.
    package var explanation: String { words(authorization: nil) }

    /// In plain words, with what that value of the field `authorization` says.
    package func words(authorization: String?) -> String {
        let reading = CredentialReading(authorization ?? "")
        var text = "\(row.meaning)"
        for name in CredentialReading.names where text.contains("{\(name)}") {
            text = text.replacing("{\(name)}", with: reading[name])
        }
        return text
    }
}
