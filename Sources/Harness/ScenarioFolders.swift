// Where scenarios, profiles and sessions are looked for that are named without their folder.

import OperatingSystem

enum ScenarioFolders {
    /// Behind the current folder: its own `Scenarios`, then those that were installed with the program, in `share/pushrig`
    /// beside its `bin`. So `pushrig run quickstart` works in any folder, and
    /// `pushrig run Scenarios/smoke.yaml` as docs have it.
    static let all = ["Scenarios"] + installed

    private static var installed: [String] {
        let program = FileSystem.executable
        guard let bin = program.lastIndex(of: "/"), bin != program.startIndex,
            let root = program[..<bin].lastIndex(of: "/")
        else { return [] }
        let share = program[..<root] + "/share/pushrig"
        return FileSystem.exists(share + "/Scenarios") ? [share + "/Scenarios", String(share)] : []
    }
}
