// The way to the relay: one pool of connections for all sessions, or, where a session keeps to one connection, a pool of
// one connection for each share of the sessions.

import Basics
import EventLoop
import Net
import Scenarios

struct Lanes {
    private let count: Int
    private var pools: [ClientPool]

    /// Throws when the certificate authorities cannot be read. `client.maxConnections` is the limit over all lanes.
    init(loop: EventLoop, target: CheckedOrigin, client: ClientConfiguration, order: Profile.Order) throws {
        var client = client
        count = order == .stream ? client.maxConnections : 1
        client.maxConnections /= count
        pools = [try ClientPool(loop: loop, target: target, configuration: client)]
    }

    /// The pool that carries all events of that session. Pools are made as sessions need them.
    mutating func pool(for session: UInt32) -> ClientPool {
        // By a hash: the numbers of one loop's sessions have a pattern.
        let lane = Int((UInt64(session) &* 0x9E37_79B9_7F4A_7C15) >> 32) % count
        while pools.count <= lane { pools.append(ClientPool(beside: pools[0])) }
        return pools[lane]
    }

    var statistics: ClientStatistics {
        var sum = ClientStatistics()
        for pool in pools {
            let one = pool.statistics
            sum.connectionsOpened += one.connectionsOpened
            sum.sentTwice += one.sentTwice
            sum.sentAgainUnprocessed += one.sentAgainUnprocessed
            sum.strayAnswers += one.strayAnswers
        }
        return sum
    }

    /// Everything that is open or waits ends as closed.
    func close() { for pool in pools { pool.close() } }
}
