// A mock that another process runs, as its state directory tells of it.

import Basics
import MockServer
import OperatingSystem

enum RunningMock {
    /// Where the mock is that runs on this state directory. Throws a usage failure when none does.
    static func coordinates(in directory: String) throws(Failure) -> MockCoordinates {
        let hint = "start it: pushrig mock --state \(directory)"
        guard isUp(directory) else {
            throw Failure(.usage, "no mock is up on \(directory)", hint: hint)
        }
        let path = directory + "/mock.json"
        guard let text = FileSystem.text(of: path), let json = try? JSONValue(parsing: text),
            let coordinates = MockCoordinates(json)
        else {
            throw Failure(.run, "\(path) does not tell where the mock is", hint: "it may still be starting: try again")
        }
        return coordinates
    }

    /// Whether a mock holds the directory now. One that was killed does not, whatever it left there.
    static func isUp(_ directory: String) -> Bool {
        let path = directory + "/lock"
        guard FileSystem.exists(path) else { return false }
        do throws(FileError) {
            _ = try FileLock(path, waits: false)
            return false
        } catch {
            return error.cause == .locked
        }
    }
}
