// The table `webhooks`: where an organisation wants to be called back, and by which secret that is signed. After a rotation
// the secret before it is signed with as well, for 24 hours (R3.25).

import Basics
import Net
import SQLite

struct SendoraHook {
    var id: String
    var url: String
    var secret: String
    var former: String?
    var rotatedAt: WallTime
}

/// Confined to the relay's thread.
final class SendoraHooks {
    private static let hooksMax = 10_000
    private static let overlap = Interval.seconds(86_400)

    private var hooks: [String: SendoraHook] = [:]
    private let save: Statement

    init(_ database: Database) throws(Failure) {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS webhooks (
              organisation TEXT PRIMARY KEY, id TEXT NOT NULL, url TEXT NOT NULL, secret TEXT NOT NULL, former TEXT,
              rotated_at INTEGER NOT NULL) WITHOUT ROWID;
            """)
        save = try database.prepare("INSERT OR REPLACE INTO webhooks VALUES (?, ?, ?, ?, ?, ?)")
        let select = try database.prepare("SELECT * FROM webhooks")
        while try select.step() {
            hooks[select.text(0) ?? ""] = SendoraHook(
                id: select.text(1) ?? "", url: select.text(2) ?? "", secret: select.text(3) ?? "", former: select.text(4),
                rotatedAt: WallTime(nanoseconds: select.integer(5)))
        }
    }

    func hasRoom(for organisation: String) -> Bool { hooks[organisation] != nil || hooks.count < Self.hooksMax }
    func isRegistered(_ organisation: String) -> Bool { hooks[organisation] != nil }

    /// In the place of one that it had.
    func register(_ url: String, of organisation: String, id: String, secret: String) throws(Failure) -> SendoraHook {
        let hook = SendoraHook(id: id, url: url, secret: secret, rotatedAt: WallTime(nanoseconds: 0))
        try keep(hook, of: organisation)
        return hook
    }

    func rotate(_ id: String, of organisation: String, to secret: String, at now: WallTime) throws(Failure) -> SendoraHook? {
        guard var hook = hooks[organisation], hook.id == id else { return nil }
        (hook.secret, hook.former, hook.rotatedAt) = (secret, hook.secret, now)
        try keep(hook, of: organisation)
        return hook
    }

    private func keep(_ hook: SendoraHook, of organisation: String) throws(Failure) {
        let texts = [organisation, hook.id, hook.url, hook.secret]
        for (index, text) in texts.enumerated() { save.bind(text, at: Int32(index + 1)) }
        save.bind(hook.former, at: 5)
        save.bind(hook.rotatedAt.nanoseconds, at: 6)
        try save.run()
        hooks[organisation] = hook
    }

    func target(of organisation: String, at now: WallTime) -> WebhookTarget? {
        guard let hook = hooks[organisation], let (origin, path) = Self.place(of: hook.url) else { return nil }
        var target = WebhookTarget(origin: origin, path: path, key: Array(hook.secret.utf8))
        if let former = hook.former, now - hook.rotatedAt <= Self.overlap { target.former = Array(former.utf8) }
        return target
    }

    /// A receiver on this machine: a reference relay calls no other one that a caller names.
    static func place(of url: String) -> (CheckedOrigin, path: String)? {
        let head = url.hasPrefix("https://") ? 8 : 7
        let path = url.dropFirst(head).drop { $0 != "/" }
        guard let origin = try? Origin(parsing: String(url.dropLast(path.count))),
            let checked = try? TargetPolicy.loopback(origin)
        else { return nil }
        return (checked, path.isEmpty ? "/" : String(path))
    }
}
