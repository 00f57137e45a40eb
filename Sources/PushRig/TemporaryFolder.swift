// A folder for one mock, and a thread for the one thing of it that blocks.

import Glibc

/// Made under `TMPDIR`, or `/tmp`, for its owner alone.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws(MockError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        var template = Array(((parent.isEmpty ? "/tmp" : parent) + "/pushrig-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw MockError(
                "cannot make a temporary folder: \(String(cString: strerror(errno)))",
                hint: "set TMPDIR, or name a stateDirectory")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// With all that is in it. What cannot be removed stays.
    func remove() { Self.remove(path) }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        guard let folder = opendir(path) else { return }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { room in
                String(decoding: room.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        closedir(folder)
        for name in names { remove(path + "/" + name) }
        rmdir(path)
    }
}

private final class ThreadWork: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Does work that blocks, without holding up the threads that tasks share.
func onThreadOfItsOwn(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let letter = Unmanaged.passRetained(
            ThreadWork {
                work()
                continuation.resume()
            })
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { pointer in
                Unmanaged<ThreadWork>.fromOpaque(pointer!).takeRetainedValue().run()
                return nil
            }, letter.toOpaque())
        if result == 0 { pthread_detach(thread) } else { letter.takeRetainedValue().run() }
    }
}
