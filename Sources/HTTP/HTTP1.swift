// What the HTTP/1.1 parsers have in common for their callers: limits and progress.

/// How much of a message is accepted. Beyond it a request fails with 413, 414 or 431.
package struct HTTP1Limits: Sendable {
    /// Request line or status line and all fields, line ends included; trailers have the same allowance again.
    package var maxHeadBytes: Int
    package var maxFields: Int
    package var maxBodyBytes: Int

    package init(maxHeadBytes: Int = 16_384, maxFields: Int = 128, maxBodyBytes: Int = 1 << 20) {
        self.maxHeadBytes = maxHeadBytes
        self.maxFields = maxFields
        self.maxBodyBytes = maxBodyBytes
    }
}

/// Where a parser stands.
package enum HTTP1Progress: Sendable {
    case needsMore
    case complete
    /// The peer broke the protocol or a limit. `status` is what a server answers before it closes; for responses
    /// it is 502. The connection is of no further use.
    case failed(status: Int, message: StaticString)
}
