// Work on several threads at once, without async.

import Glibc

enum DispatchLanes {
    private final class Job {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// Runs `body` for 0..<count, each on a thread of its own, and waits for all.
    static func run(_ count: Int, _ body: (Int) -> Void) {
        withoutActuallyEscaping(body) { body in
            let threads = (0..<count).map { index in
                var thread = pthread_t()
                let job = Unmanaged.passRetained(Job { body(index) })
                pthread_create(&thread, nil, { Unmanaged<Job>.fromOpaque($0!).takeRetainedValue().run(); return nil }, job.toOpaque())
                return thread
            }
            for thread in threads { pthread_join(thread, nil) }
        }
    }
}
