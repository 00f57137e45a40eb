// The version and commit of this program, and the machine it runs on.

import Basics
import CLinux
import Glibc
import OperatingSystem
import Reports

package enum Build {
    /// PushRig's version; CHANGELOG.md tells what changed.
    package static let version = "0.1.0"

    /// The commit of the checkout that the program runs in, or the empty string.
    static var commit: String {
        var folder = FileSystem.absolute(".") ?? ""
        while !folder.isEmpty {
            if let head = FileSystem.text(of: folder + "/.git/HEAD") {
                let text = head.filter { !$0.isNewline }
                guard text.hasPrefix("ref: ") else { return text }
                let reference = FileSystem.text(of: folder + "/.git/" + text.dropFirst(5)) ?? ""
                return reference.filter { !$0.isNewline }
            }
            folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
        }
        return ""
    }
}

extension Machine {
    static var current: Machine {
        var name = utsname()
        uname(&name)
        func text<T>(_ tuple: T) -> String {
            withUnsafeBytes(of: tuple) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let processor = FileSystem.text(of: "/proc/cpuinfo").flatMap(Self.processor(in:))
        return Machine(
            host: text(name.nodename), system: "\(text(name.sysname)) \(text(name.release))",
            processor: processor ?? text(name.machine), cores: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))),
            memoryBytes: Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE))))
    }

    /// The name of the first one in the text of /proc/cpuinfo.
    static func processor(in text: String) -> String? {
        text
            .split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":", maxSplits: 1).last.map { String($0.drop { $0 == " " }) }
    }
}
