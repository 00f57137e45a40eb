// How many descriptors the process may open. A server that fills them up could not even open its own files.

import Glibc

package enum DescriptorLimit {
    /// Kept free of pushers' connections: for the admin API (256), channel management (200), journals, loops and whoever
    /// embeds the mock.
    package static let reserve = 512

    package static var current: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the soft limit to the hard one: shells start programs with 1,024.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
            return
        }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
