// The one gate through which system calls pass: EINTR is retried, would-block is a value, errnos that can only mean
// a mistake of ours stop the process, the rest is an errno to act on.

package import Basics
import Glibc

/// What a system call gave.
package enum SystemResult: Sendable {
    case done(Int)
    case wouldBlock
    case failed(Int32)
}

package enum SystemCall {
    /// Runs a call that answers -1 and sets errno when it fails.
    package static func run(_ call: () -> Int) -> SystemResult {
        while true {
            let result = call()
            if result >= 0 { return .done(result) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            case EBADF, EFAULT, ENOTSOCK: preconditionFailure("system call on a wrong descriptor: errno \(errno)")
            case let number: return .failed(number)
            }
        }
    }

    /// Like `run`, for calls that must succeed while the process is sane.
    package static func must(_ name: StaticString, _ call: () -> Int32) -> Int32 {
        switch run({ Int(call()) }) {
        case .done(let value): return Int32(value)
        case .wouldBlock: fatalError("\(name): would block")
        case .failed(let number): fatalError("\(name): \(describe(number))")
        }
    }

    /// For calls that make a descriptor of ours: where the system has none left, a failure that tells which limit to raise.
    package static func make(_ name: StaticString, _ call: () -> Int32) throws(Failure) -> Descriptor {
        switch run({ Int(call()) }) {
        case .done(let number): return Descriptor(owning: Int32(number))
        case .wouldBlock: fatalError("\(name): would block")
        case .failed(let number):
            let hint = number == EMFILE ? "let this process have more files open: ulimit -n 1024" : nil
            throw Failure(.run, "\(name): \(describe(number))", hint: hint)
        }
    }

    /// The system's words for an errno.
    package static func describe(_ number: Int32) -> String { String(cString: strerror(number)) }
}
