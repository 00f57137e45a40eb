// A place of a process's own in which some files are others than everybody else sees.

import CLinux
import Glibc

package enum MountNamespace {
    /// What could not be done, with its errno.
    package struct Refusal: Error {
        package enum Step: Sendable { case making, keeping, laying(place: String) }
        package let step: Step
        package let number: Int32
        package var words: String { SystemCall.describe(number) }
    }

    /// Moves this process, which must have one thread only, into a mount namespace of its own; where it may not make one,
    /// into a user namespace as well, in which it is who it was.
    package static func enter() throws(Refusal) {
        let (user, group) = (geteuid(), getegid())
        var reason = pushrig_unshare(Int32(pushrig_new_mounts))
        if reason == EPERM {
            reason = pushrig_unshare(Int32(pushrig_new_mounts | pushrig_new_users))
            if reason == 0 { reason = map(user, group) }
        }
        guard reason == 0 else { throw Refusal(step: .making, number: reason) }
        let kept = pushrig_keep_mounts()
        guard kept == 0 else { throw Refusal(step: .keeping, number: kept) }
    }

    /// Who this process is in its new user namespace (user_namespaces(7)): the same as outside. 0, or an errno.
    private static func map(_ user: uid_t, _ group: gid_t) -> Int32 {
        for (name, text) in [("setgroups", "deny"), ("uid_map", "\(user) \(user) 1"), ("gid_map", "\(group) \(group) 1")] {
            do throws(FileError) {
                let file = try Descriptor(opening: "/proc/self/" + name, O_WRONLY)
                if case .failed(let reason) = file.write(text.utf8.span) { return reason }
            } catch {
                return error.number
            }
        }
        return 0
    }

    /// In this namespace `place` reads as `file` from now on. Both have to be there; links are followed.
    package static func lay(_ file: String, over place: String) throws(Refusal) {
        let reason = pushrig_lay_over(file, place)
        guard reason == 0 else { throw Refusal(step: .laying(place: place), number: reason) }
    }
}
