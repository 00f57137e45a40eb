// Text to the user: results on stdout, everything else on stderr.

import Glibc
import OperatingSystem

package enum Console {
    package static func out(_ text: String) { write(text, to: STDOUT_FILENO) }
    package static func error(_ text: String) { write(text, to: STDERR_FILENO) }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Columns of the terminal, 80 when unknown.
    package static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Colours are wanted: a terminal, and NO_COLOR is not set.
    package static func wantsColor(_ descriptor: Int32) -> Bool {
        guard isTerminal(descriptor), let term = getenv("TERM"), String(cString: term) != "dumb" else { return false }
        guard let noColor = getenv("NO_COLOR") else { return true }
        return String(cString: noColor).isEmpty
    }

    private static func write(_ text: String, to descriptor: Int32) {
        // A parent may have started us without it.
        guard fcntl(descriptor, F_GETFD) >= 0 else { return }
        Descriptor.write(text.utf8.span, to: descriptor)
    }
}
