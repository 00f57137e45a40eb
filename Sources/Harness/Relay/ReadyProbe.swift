// Asks a relay whether it is up.

import Basics
import EventLoop
import Net
import Scenarios

/// Confined to the thread that runs the harness, which never waits for the relay.
final class ReadyProbe {
    private let thread: LoopThread<ClientPool>
    private let spec: ReadySpec
    private let question = Question<Int>()
    /// The status that it answered last, where it is not the one that was asked for.
    private(set) var wrongStatus: Int?

    init(
        target: CheckedOrigin, tls: TLSClientSettings = TLSClientSettings(), _ spec: ReadySpec,
        version: ClientConfiguration.Version = .http1
    ) throws(Failure) {
        var configuration = ClientConfiguration(version: version, tls: tls)
        configuration.requestTimeout = .seconds(2)
        configuration.connectTimeout = .seconds(2)
        let settings = configuration
        do {
            thread = try LoopThread(name: "ready") { loop in
                try ClientPool(loop: loop, target: target, configuration: settings)
            }
        } catch { throw error as? Failure ?? Failure(.run, "cannot ask the relay: \(error)") }
        self.spec = spec
    }

    deinit {
        thread.post { $0.close() }
        thread.stop()
    }

    /// What the relay last said, once; nil while no answer has come. Asks again when no question is open.
    func poll() -> Bool? {
        guard let status = ask() else { return nil }
        let isUp = status != 0 && spec.statuses?.contains(status) ?? true
        if status != 0, !isUp { wrongStatus = status }
        return isUp
    }

    /// 0: it did not answer.
    private func ask() -> Int? {
        question.poll { answer in
            let spec = spec
            thread.post { pool in
                pool.send(OutgoingRequest(method: spec.method, path: spec.path)) { outcome in
                    if case .response(let response) = outcome { answer(response.status) } else { answer(0) }
                }
            }
        }
    }

    /// Forgets what the relay said before it was started anew.
    func forget() { question.forget() }
}
