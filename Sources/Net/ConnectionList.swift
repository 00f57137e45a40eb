// Connections in the order in which they were accepted, linked through themselves: each stands in at most one list, and
// taking one out costs nothing.

/// Does not keep its connections alive: the server does, and takes them out before it lets them go.
struct ConnectionList {
    private(set) var count = 0
    private var first: Unmanaged<ServerConnection>?
    private var last: Unmanaged<ServerConnection>?

    var oldest: ServerConnection? { first?.takeUnretainedValue() }

    mutating func append(_ connection: ServerConnection) {
        let link = Unmanaged.passUnretained(connection)
        connection.older = last
        connection.younger = nil
        if let last { last.takeUnretainedValue().younger = link } else { first = link }
        last = link
        count += 1
    }

    mutating func remove(_ connection: ServerConnection) {
        let (older, younger) = (connection.older, connection.younger)
        if let older { older.takeUnretainedValue().younger = younger } else { first = younger }
        if let younger { younger.takeUnretainedValue().older = older } else { last = older }
        connection.older = nil
        connection.younger = nil
        count -= 1
    }
}
