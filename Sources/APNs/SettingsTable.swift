// The settings of the rules by name.

package import Basics

extension APNsSettings: NamedSettings {
    package static let table: [SettingRow<APNsSettings>] = [
        .flag("enforceTokenUpdateRate", \.enforceTokenUpdateRate, "429 for a third provider token within the interval"),
        .interval("tokenUpdateInterval", \.tokenUpdateInterval, "how long two provider tokens must last"),
        .word("tokenUpdateScope", \.tokenUpdateScope, "whose provider tokens are counted together"),
        .flag(
            "updateRateBlocksConnection", \.updateRateBlocksConnection,
            "after that 429 the connection is of no use until the interval is over"),
        .flag(
            "wedgesAfterExpiredToken", \.wedgesAfterExpiredToken,
            "after ExpiredProviderToken only a new connection helps"),
        .interval("providerTokenLifetime", \.providerTokenLifetime, "the greatest distance of a token's iat from now"),
        .word("futureIssuedAt", \.futureIssuedAt, "what a token issued further in the future is"),
        .word("topicBinding", \.topicBinding, "which topics a connection's first push binds it to"),
        .flag("judgesCertificates", \.judgesCertificates, "whether client certificates are judged or overlooked"),
        .number(
            "internalErrorAfter", \.internalErrorAfter, from: 0, none: "never",
            "requests on a token connection until each one is answered 500"),
        .word(
            "streamLimit", \.streamLimit,
            "whether streams beyond the announced limit are refused once it was acknowledged, at once, or never"),
        .flag(
            "rejectionDropsStreamLimit", \.rejectionDropsStreamLimit,
            "a rejection drops the limit of streams to 1, the next accepted push restores it"),
        .word("backgroundPriority", \.backgroundPriority, "what a background push with priority 10 is"),
        .word("malformedPayload", \.malformedPayload, "what a body that is no JSON is"),
        .flag("refusesEmptyCollapseID", \.refusesEmptyCollapseID, "an empty apns-collapse-id is BadCollapseId"),
        .flag("echoesMessageIDVerbatim", \.echoesMessageIDVerbatim, "an upper-case apns-id comes back as it was sent"),
        .flag("resumesTLS", \.resumesTLS, "a client that comes again may resume its TLS session, by a ticket, at FCM as well"),
        SettingRow(
            "attributesTypes", "names with commas between them, or any", "the attributes types that the app has",
            read: { $0.attributesTypes?.joined(separator: ",") ?? "any" },
            write: { settings, text in
                let names = text.split(separator: ",").map(String.init)
                let isName = { (name: String) in
                    name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
                }
                guard !names.isEmpty, names.allSatisfy(isName) else { return false }
                settings.attributesTypes = text == "any" ? nil : names
                return true
            }),
    ]
}
