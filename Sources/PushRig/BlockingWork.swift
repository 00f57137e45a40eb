// A thread for the one thing of a mock that blocks.

import Glibc

private final class ThreadWork: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Does `work`, which blocks, on a new thread, so that it holds up none of the threads that tasks share.
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
