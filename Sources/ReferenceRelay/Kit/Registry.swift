// Who is registered, in memory: an event is answered without a query. The rows behind it are in Storage.

import Basics
import Pushes

/// SHA-256 of a shared secret. The secret itself is kept nowhere.
struct SecretHash: Hashable, Sendable {
    private let a: UInt64, b: UInt64, c: UInt64, d: UInt64

    /// `digest` is 32 bytes.
    init(digest: [UInt8]) {
        precondition(digest.count == 32)
        func word(_ start: Int) -> UInt64 { (0..<8).reduce(0) { $0 << 8 | UInt64(digest[start + $1]) } }
        (a, b, c, d) = (word(0), word(8), word(16), word(24))
    }

    /// 64 lower-case hex digits, as the tables hold it.
    var hex: String {
        var bytes: [UInt8] = []
        for word in [a, b, c, d] {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(word >> shift & 255)) }
        }
        return Hex.encode(bytes.span)
    }
}

/// A row of `device_registration`: one phone of one secret.
final class Device {
    let id: Int64
    let account: Account
    let token: String
    var bundleID: String
    /// What the phone says, which is `production` always, and what APNs has taught us (R0.26, R0.27).
    var claimedEnvironment: PushEnvironment
    var environment: PushEnvironment
    var startToken: String?
    /// Also what the defects `restarts-by-old-token` and `starts-by-first-token` start by.
    var firstStartToken: String?
    let createdAt: WallTime
    var registeredAt: WallTime
    /// Counts registrations: a reply about an older one says nothing of this one (G4).
    var revision = 0
    var isRegistered = true
    /// APNs answered 429 for this token: no push before then.
    var restsUntil = Instant.longAgo

    init(
        id: Int64, account: Account, token: String, bundleID: String, environment: PushEnvironment, startToken: String?,
        createdAt: WallTime, registeredAt: WallTime
    ) {
        self.id = id
        self.account = account
        self.token = token
        self.bundleID = bundleID
        claimedEnvironment = environment
        self.environment = environment
        self.startToken = startToken
        self.createdAt = createdAt
        self.registeredAt = registeredAt
    }
}

/// Everything of one secret. Accounts never see each other (R0.30, R0.39).
final class Account {
    let secret: SecretHash
    var devices: [Device] = []
    /// Phones that were signed out: what the defect `keeps-start-of-signed-out` starts on as well.
    var signedOut: [Device] = []
    /// Phones whose device token died and of which nothing was heard since: their activities may live and register still.
    var lostPhones = 0
    var sessions: [String: Session] = [:]
    /// Used by the defect `shares-throttle` only.
    let sharedWindow = ThrottleWindow()

    init(secret: SecretHash) { self.secret = secret }

    var isEmpty: Bool { devices.isEmpty && sessions.isEmpty }

    /// Lets go of what knows the account, and of what knows that in its turn.
    func close() {
        devices = []
        signedOut = []
        for session in sessions.values {
            session.lanes = []
            session.finishing = []
            session.followups = []
        }
        sessions = [:]
    }

    /// The environment of an activity that does not name one: that of the phones, where they agree.
    var usualEnvironment: PushEnvironment {
        guard let first = devices.first?.environment, devices.allSatisfy({ $0.environment == first }) else {
            return .production
        }
        return first
    }
}

struct Registry {
    var accounts: [SecretHash: Account] = [:]
    var deviceCount = 0
    var sessionCount = 0
    var lastDeviceID: Int64 = 0
    var lastActivityID: Int64 = 0

    /// The account of a secret, made where there is none.
    mutating func account(_ secret: SecretHash) -> Account {
        if let known = accounts[secret] { return known }
        let account = Account(secret: secret)
        accounts[secret] = account
        return account
    }

    mutating func dropIfEmpty(_ account: Account) {
        if account.isEmpty { accounts[account.secret] = nil }
    }
}
