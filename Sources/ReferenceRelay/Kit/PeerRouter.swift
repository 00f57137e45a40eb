// Which process of several works for which secret. What a session needs to be served honestly lives in one process:
// its registrations, its throttle window, its start, its order and its stamps. So a secret belongs to one process at a
// time; the others, which share its port, hand its requests on.
//
// Shared through the storage: the rows, who the processes are, who owns which secret, the provider token. Not shared:
// connections to APNs.
//
// A secret's first registration makes the process that took it the owner. An owner that has gone is found out by its
// closed door, and whoever needs it takes its secrets over one by one, with the rows as they stand. As after a restart,
// what only the memory of the gone process knew is lost: dedupe windows, and states that it had not delivered when it
// was killed.

import Basics
import EventLoop
import HTTP
import Net

/// Confined to its loop.
final class PeerRouter {
    enum Place {
        /// This process works for the secret; rows that it has not read yet.
        case here(StoredRows?)
        case peer(Storage.Owner)
        /// Nobody has registered anything under it.
        case nowhere
    }

    /// Its number among the processes that this storage has seen, from 1.
    let process: Int64
    private let loop: EventLoop
    private let storage: Storage
    /// What is answered where a peer does not.
    private let refusal: (Refusal) -> Reply
    private var owned: Set<SecretHash> = []
    private var foreign: [SecretHash: Storage.Owner] = [:]
    private var pools: [Int64: ClientPool] = [:]

    /// `address` is where peers reach this process.
    init(
        loop: EventLoop, storage: Storage, address: SocketAddress, refusal: @escaping (Refusal) -> Reply
    ) throws(Failure) {
        self.loop = loop
        self.refusal = refusal
        self.storage = storage
        process = try storage.enlist(address.description)
    }

    /// `claims`: the request registers something, and whoever takes it becomes the owner where there is none.
    func place(of secret: SecretHash, claims: Bool) throws(Failure) -> Place {
        if owned.contains(secret) { return .here(nil) }
        if let owner = foreign[secret] { return .peer(owner) }
        if let owner = try storage.owner(of: secret) { return try settle(secret, owner) }
        guard claims, let owner = try storage.claim(secret, for: process, from: nil) else { return .nowhere }
        return try settle(secret, owner)
    }

    /// The owner's door is closed.
    func takeOver(_ secret: SecretHash, from gone: Storage.Owner) throws(Failure) -> Place {
        foreign[secret] = nil
        guard let owner = try storage.claim(secret, for: process, from: gone.process) else { return .nowhere }
        return try settle(secret, owner)
    }

    private func settle(_ secret: SecretHash, _ owner: Storage.Owner) throws(Failure) -> Place {
        guard owner.process == process else {
            if owner.address.isEmpty { return try takeOver(secret, from: owner) }
            foreign[secret] = owner
            return .peer(owner)
        }
        owned.insert(secret)
        return .here(try storage.load(secret))
    }

    /// Hands a request on; nil where the owner is not there to take it.
    func forward(_ exchange: ServerExchange, to owner: Storage.Owner, _ completion: @escaping (Reply?) -> Void) {
        guard let pool = pool(of: owner) else { return completion(nil) }
        let request = OutgoingRequest(
            method: exchange.head.text(":method") ?? "POST", path: exchange.head.text(":path") ?? "/")
        let body = exchange.body
        request.body.append(body.bytes)
        pool.send(request) { [refusal] outcome in
            switch outcome {
            case .response(let response): completion(Reply(status: response.status, body: Array(response.body.text.utf8)))
            case .failed(let failure):
                let isGone = failure.kind == .connect || failure.isSafeToResend
                completion(isGone ? nil : refusal(.internalError("the process in charge did not answer")))
            }
        }
    }

    private func pool(of owner: Storage.Owner) -> ClientPool? {
        if let pool = pools[owner.process] { return pool }
        guard let address = try? SocketAddress(parsing: owner.address) else { return nil }
        var configuration = ClientConfiguration(version: .http1)
        configuration.maxConnections = 64
        configuration.requestTimeout = .seconds(15)
        let origin = Origin(isTLS: false, host: address.host, port: address.port)
        let pool = try? ClientPool(loop: loop, origin: origin, configuration: configuration)
        pools[owner.process] = pool
        return pool
    }

    /// Nobody is to send us anything any more; what we own is taken over when it is needed.
    func close() throws(Failure) {
        for pool in pools.values { pool.close() }
        pools = [:]
        try storage.dismiss(process)
    }
}

/// Answers peers: the same requests, never handed on again.
final class PeerHandler: ServerHandler {
    private unowned let service: RelayService

    init(_ service: RelayService) { self.service = service }

    func handle(_ exchange: ServerExchange) { service.handle(exchange, isForwarded: true) }
    func willSend() -> Bool { service.willSend() }
}
