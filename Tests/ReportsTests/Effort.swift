import Foundation

enum Effort {
    /// `script/test --all` asks for all that a test can draw; without it a share of that is drawn.
    static let isWhole = ProcessInfo.processInfo.environment["PUSHRIG_TEST_ALL"] != nil
}
