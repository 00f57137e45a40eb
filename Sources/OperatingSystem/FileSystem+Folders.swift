// Folders: what is in them, making and removing them, and paths.

import Glibc

extension FileSystem {
    /// The names in a folder, without `.` and `..`, in no order.
    package static func names(in path: String) throws(FileError) -> [String] {
        guard let folder = opendir(path) else { throw FileError(errno, path) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Makes a folder and those above it where they are absent, and keeps those that exist as they are. The error tells the
    /// first that cannot be made, ENOTDIR for one that is something else.
    package static func makeFolder(_ path: String, mode: UInt32 = 0o755) throws(FileError) {
        var end = path.startIndex
        repeat {
            end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
            let part = String(path[..<end])
            if mkdir(part, mode) == 0 { continue }
            let reason = errno
            guard let status = FileStatus(part) else { throw FileError(reason, part) }
            guard status.isFolder else { throw FileError(ENOTDIR, part) }
        } while end != path.endIndex
    }

    /// A file, or a folder with all that is in it. What cannot be removed stays.
    package static func removeAll(_ path: String) {
        if unlink(path) == 0 { return }
        for name in (try? names(in: path)) ?? [] { removeAll(path + "/" + name) }
        rmdir(path)
    }

    /// A new folder for its owner alone, under `TMPDIR` or `/tmp`.
    package static func makeTemporaryFolder() throws(FileError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        var path = Array(((parent.isEmpty ? "/tmp" : parent) + "/pushrig-XXXXXX").utf8CString)
        guard mkdtemp(&path) != nil else { throw FileError(errno, parent) }
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// As it is when it begins with a slash, else after the current folder; nil when that is gone.
    package static func absolute(_ path: String) -> String? {
        if path.hasPrefix("/") { return path }
        guard let current = getcwd(nil, 0) else { return nil }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }

    /// The one name of what is there, without symbolic links and `..`; nil: there is nothing, or it is out of reach.
    package static func realPath(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Where a symbolic link leads; nil when it is none.
    package static func destination(of path: String) -> String? {
        var room = [CChar](repeating: 0, count: 4_096)
        let count = readlink(path, &room, room.count)
        guard count > 0 else { return nil }
        return String(decoding: room[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
