import Glibc
import OperatingSystem
import Testing

/// Runs `body` in a folder that is gone afterwards.
private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = try FileSystem.makeTemporaryFolder()
    defer { FileSystem.removeAll(folder) }
    try body(folder)
}

private func cause(_ body: () throws(FileError) -> Void) -> FileError.Cause? {
    do { try body() } catch { return error.cause }
    return nil
}

@Suite("Files")
struct FileSystemTests {
    @Test func `are read as a whole, up to a limit`() throws {
        try withFolder { folder in
            let path = folder + "/file"
            for size in [0, 1, 65_535, 65_536, 65_537, 200_000] {
                let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                try FileSystem.replace(path, with: content.span)
                #expect(try FileSystem.read(path, limit: size) == content)
                #expect(try FileSystem.start(of: path, count: 10) == Array(content.prefix(10)))
                guard size > 0 else { continue }
                #expect(cause { () throws(FileError) in _ = try FileSystem.read(path, limit: size - 1) } == .larger(than: size - 1))
            }
        }
    }

    @Test func `give their last lines, from the beginning of one`() throws {
        try withFolder { folder in
            try FileSystem.replace(folder + "/log", with: "one\ntwo\nthree\n")
            #expect(FileSystem.lastLines(of: folder + "/log", count: 100) == "one\ntwo\nthree\n")
            #expect(FileSystem.lastLines(of: folder + "/log", count: 14) == "one\ntwo\nthree\n")
            #expect(FileSystem.lastLines(of: folder + "/log", count: 10) == "three\n")
            #expect(FileSystem.lastLines(of: folder + "/none", count: 11) == nil)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `are not waited for when they are none, whatever they are`() throws {
        try withFolder { folder in
            let (pipe, path) = (folder + "/pipe", folder + "/socket")
            #expect(mkfifo(pipe, 0o600) == 0)
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
            #expect(bound == 0)
            for name in [pipe, path, "/dev/zero", "/dev/tty"] {
                #expect(cause { () throws(FileError) in _ = try FileSystem.read(name, limit: 10) } == .notPlain, "\(name)")
                #expect(cause { () throws(FileError) in try FileSystem.mustBePlain(name) } == .notPlain, "\(name)")
            }
            // Also with somebody at the other end.
            let writer = open(pipe, O_RDWR | O_CLOEXEC)
            defer { close(writer) }
            #expect(write(writer, "word", 4) == 4)
            #expect(cause { () throws(FileError) in _ = try FileSystem.start(of: pipe, count: 4) } == .notPlain)
            #expect(cause { () throws(FileError) in _ = try FileSystem.read(folder, limit: 10) } == .system(EISDIR))
            #expect(FileSystem.text(of: folder) == nil)
        }
    }

    @Test func `are not put in the place of a device or a pipe`() throws {
        try withFolder { folder in
            let pipe = folder + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            // Nobody reads: that fails, and the pipe is still there.
            #expect(cause { () throws(FileError) in try FileSystem.replace(pipe, with: "word") } != nil)
            let reader = open(pipe, O_RDWR | O_CLOEXEC)
            defer { close(reader) }
            try FileSystem.replace(pipe, with: "word")
            var room = [UInt8](repeating: 0, count: 8)
            #expect(read(reader, &room, 8) == 4)
            #expect(FileSystem.text(of: pipe) == nil, "still a pipe")
        }
    }

    @Test func `of the kernel are read although it tells no size`() throws {
        #expect(FileSystem.text(of: "/proc/self/status")?.hasPrefix("Name:") == true)
    }

    @Test func `appear whole, with the permissions that were asked for`() throws {
        try withFolder { folder in
            let path = folder + "/file"
            try FileSystem.replace(path, with: "old")
            try FileSystem.replace(path, with: "new", mode: 0o600, isSynced: true)
            #expect(FileSystem.text(of: path) == "new")
            #expect(FileStatus(path)?.permissions == 0o600)
            try FileSystem.replace(path, with: "newer", mode: 0o666)
            #expect(FileStatus(path)?.permissions == 0o666)
            #expect(try FileSystem.names(in: folder) == ["file"])
        }
    }

    @Test func `that cannot be replaced stay as they were, and leave nothing beside them`() throws {
        try withFolder { folder in
            // A folder with something in it takes no file's place.
            try FileSystem.makeFolder(folder + "/place/inner")
            #expect(cause { () throws(FileError) in try FileSystem.replace(folder + "/place", with: "x") } == .system(EISDIR))
            #expect(try FileSystem.names(in: folder) == ["place"])
            #expect(cause { () throws(FileError) in try FileSystem.replace(folder + "/none/file", with: "x") } == .system(ENOENT))
        }
    }

    @Test func `are never written through a link that stands where the new file is made`() throws {
        try withFolder { folder in
            try FileSystem.replace(folder + "/victim", with: "safe")
            FileSystem.link("\(folder)/file.\(getpid()).new", to: "victim")
            try FileSystem.replace(folder + "/file", with: "x")
            #expect(FileSystem.text(of: folder + "/victim") == "safe")
            #expect(FileSystem.text(of: folder + "/file") == "x")
        }
    }

    @Test func `that changed are told from those that did not`() throws {
        try withFolder { folder in
            let path = folder + "/file"
            #expect(FileStatus(path) == nil)
            try FileSystem.replace(path, with: "one")
            let first = FileStatus(path)
            #expect(first != nil && first == FileStatus(path) && first?.isPlainFile == true && first?.size == 3)
            try FileSystem.replace(path, with: "two")
            #expect(first != FileStatus(path))
            #expect(FileStatus(folder)?.isFolder == true)
        }
    }
}

@Suite("Folders")
struct FolderTests {
    @Test func `are made with those above them, and kept where they exist`() throws {
        try withFolder { folder in
            try FileSystem.makeFolder(folder + "/a/b/", mode: 0o700)
            #expect(FileStatus(folder + "/a")?.permissions == 0o700)
            try FileSystem.makeFolder(folder + "/a/b/c")
            #expect(FileStatus(folder + "/a")?.permissions == 0o700)
            try FileSystem.replace(folder + "/file", with: "")
            do throws(FileError) {
                try FileSystem.makeFolder(folder + "/file/a")
                Issue.record("made a folder in a file")
            } catch {
                #expect(error.path == folder + "/file" && error.number == ENOTDIR)
            }
        }
    }

    @Test func `are removed with what is in them, and not with what a link leads to`() throws {
        try withFolder { folder in
            try FileSystem.makeFolder(folder + "/kept")
            try FileSystem.replace(folder + "/kept/file", with: "")
            try FileSystem.makeFolder(folder + "/gone/deep")
            FileSystem.link(folder + "/gone/deep/link", to: folder + "/kept")
            #expect(FileSystem.destination(of: folder + "/gone/deep/link") == folder + "/kept")
            FileSystem.removeAll(folder + "/gone")
            #expect(try FileSystem.names(in: folder) == ["kept"])
            #expect(FileSystem.exists(folder + "/kept/file"))
        }
    }

    @Test func `that are absent have no names`() {
        #expect(cause { () throws(FileError) in _ = try FileSystem.names(in: "/none/of/it") } == .system(ENOENT))
    }
}

@Suite("Locks of files")
struct FileLockTests {
    @Test func `exclude each other until they are released`() throws {
        try withFolder { folder in
            let path = folder + "/lock"
            let first = try FileLock(path, waits: false)
            #expect(cause { () throws(FileError) in _ = try FileLock(path, waits: false) } == .locked)
            first.release()
            #expect(cause { () throws(FileError) in _ = try FileLock(path, waits: false) } == nil)
            #expect(cause { () throws(FileError) in _ = try FileLock(path, waits: true) } == nil)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `are plain files, and no links to others`() throws {
        try withFolder { folder in
            try FileSystem.replace(folder + "/file", with: "")
            FileSystem.link(folder + "/link", to: "file")
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            try FileSystem.makeFolder(folder + "/folder")
            for name in ["link", "pipe", "folder"] {
                #expect(cause { () throws(FileError) in _ = try FileLock(folder + "/" + name, waits: true) } == .notPlain)
            }
        }
    }
}
