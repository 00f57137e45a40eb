// What is known of Apple's limits on channels, and what a test may want otherwise (docs/apns.md §11).

package import Basics

package struct ChannelSettings: Sendable {
    /// Channels of one app in one environment (documented).
    package var channelsPerApp = 10_000
    /// Channels of all apps together, deleted ones that still hold a message included: our own bound.
    package var channelLimit = 200_000
    /// Activities that listen to channels, all together: our own bound.
    package var subscriptionLimit = 1_000_000
    /// A stored message lives no longer (documented).
    package var longestStorage = Interval.seconds(8 * 3600)
    /// Broadcasts to one channel within one second, beyond which it is TooManyRequests; nil: no limit. No rate is
    /// published; known is only that a channel which stores nothing has a higher one, which is taken for the double.
    package var broadcastsPerSecondAndChannel: Int?
    /// Whether an app that nobody has said anything about has the broadcast capability. A mock has no portal to enable
    /// it in, so the default is yes.
    package var isEnabledByDefault = true

    package init() {}
}
