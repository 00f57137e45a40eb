// The other half of `pushrig exec`: a process of one thread that goes into a mount namespace, lays the files over the
// system's there, and becomes the program. It has to be a program of its own: a process with threads may not do the first,
// and one that was forked from one with threads may do next to nothing.

import Basics
import Glibc
import OperatingSystem

package enum ExecWithin {
    /// As no user would call it.
    package static let word = "exec-within"
    /// What a shell says of a program that is not there, or may not be run.
    private static let notFound: Int32 = 127
    private static let notAllowed: Int32 = 126

    /// What is given behind the word: the parent, then file and place of each layer, then the command.
    static func words(parent: pid_t, layers: [(file: String, place: String)], command: [String]) -> [String] {
        [String(parent)] + layers.flatMap { [$0.file, $0.place] } + ["--"] + command
    }

    /// Becomes the program. Returns the exit code when it could not, having said why.
    package static func run(_ words: [String]) -> Int32 {
        guard let parent = words.first.flatMap({ pid_t($0) }), let end = words.firstIndex(of: "--"), end % 2 == 1,
            end + 1 < words.count
        else {
            Console.error("pushrig: \(word) is no verb for people (write pushrig exec -- COMMAND)\n")
            return ExitCode.badUsage.rawValue
        }
        do throws(MountNamespace.Refusal) {
            try MountNamespace.enter()
            for index in stride(from: 1, to: end, by: 2) { try MountNamespace.lay(words[index], over: words[index + 1]) }
        } catch {
            Console.error("pushrig: \(failure(error))\n")
            return ExitCode.couldNotRun.rawValue
        }
        // After the namespace: a change of rights takes this back.
        guard ChildProcess.dies(with: parent) else { return ExitCode.couldNotRun.rawValue }
        let command = Array(words[(end + 1)...])
        let reason = ChildProcess.become(command)
        Console.error("pushrig: cannot run \(command[0]): \(SystemCall.describe(reason))\n")
        return reason == ENOENT ? notFound : notAllowed
    }

    private static func failure(_ refusal: MountNamespace.Refusal) -> Failure {
        let rights = "run it as root, or let users make namespaces: sysctl user.max_user_namespaces and "
            + "kernel.apparmor_restrict_unprivileged_userns; in a container --cap-add SYS_ADMIN"
        return switch refusal.step {
        case .making: Failure(.run, unmade(refusal.number, refusal.words), hint: rights)
        case .keeping: Failure(.run, "cannot keep mounts to this namespace: \(refusal.words)", hint: rights)
        case .laying(let place): Failure(.run, "cannot lay a file over \(place): \(refusal.words)", hint: rights)
        }
    }

    /// What ENOSPC says of a disk is said of namespaces where none may be made any more (unshare(2)).
    static func unmade(_ number: Int32, _ words: String) -> String {
        number == ENOSPC
            ? "cannot make a mount namespace: user namespaces are off here, or as many are in use "
                + "as user.max_user_namespaces allows"
            : "cannot make a mount namespace: \(words)"
    }
}
