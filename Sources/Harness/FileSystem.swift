// The few things the harness does with files and folders, with errors that a user can act on.

import Basics
import Glibc

enum FileSystem {
    static func makeDirectory(_ path: String) throws(Failure) {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/" + part
            guard mkdir(made, 0o755) != 0, errno != EEXIST else { continue }
            throw Failure(
                .run, "cannot make the folder \(path): \(String(cString: strerror(errno)))",
                hint: "choose another with --out DIR")
        }
    }

    static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&room, 1, room.count, file), count > 0 {
            bytes += room[..<count]
            if bytes.count > 64 << 20 { return nil }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The last bytes of a file, from the beginning of a line unless it is shorter.
    static func readEnd(of path: String, bytes limit: Int) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        let isCut = fseek(file, -limit, SEEK_END) == 0 && ftell(file) > 0
        if !isCut { rewind(file) }
        var room = [UInt8](repeating: 0, count: limit)
        let text = String(decoding: room[..<fread(&room, 1, limit, file)], as: UTF8.self)
        return isCut ? String(text.drop { $0 != "\n" }.dropFirst()) : text
    }

    /// The names in a folder, without `.` and `..`, in no order; none when it cannot be read.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    static func write(_ text: String, to path: String) throws(Failure) {
        guard let file = fopen(path, "w") else { throw failure(path) }
        let written = fputs(text, file)
        guard fclose(file) == 0, written >= 0 else { throw failure(path) }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }

    /// The program that is running.
    static var executable: String { link("/proc/self/exe") ?? "pushrig" }

    static func link(_ path: String) -> String? {
        var room = [CChar](repeating: 0, count: 4_096)
        let count = readlink(path, &room, room.count)
        guard count > 0 else { return nil }
        return String(decoding: room[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func failure(_ path: String) -> Failure {
        Failure(
            .run, "cannot write \(path): \(String(cString: strerror(errno)))",
            hint: "choose another place with --out DIR")
    }
}
