// A question to another thread by one who never waits for the answer.

import Synchronization

/// At most one is open at a time. Thread-safe.
final class Question<Answer: Sendable>: Sendable {
    private enum State {
        case idle
        case asked
        case answered(Answer)
    }

    private let state = Mutex(State.idle)

    /// The answer, once; nil while there is none. When nothing is open, `ask` is called to open a question; its
    /// argument takes the answer.
    func poll(_ ask: (@escaping @Sendable (Answer) -> Void) -> Void) -> Answer? {
        let (answer, mayAsk) = state.withLock { state -> (Answer?, Bool) in
            switch state {
            case .asked: return (nil, false)
            case .idle:
                state = .asked
                return (nil, true)
            case .answered(let answer):
                state = .idle
                return (answer, false)
            }
        }
        if mayAsk { ask { [self] answer in state.withLock { $0 = .answered(answer) } } }
        return answer
    }

    /// Forgets an answer that nobody took: it is old news.
    func forget() {
        state.withLock { state in
            if case .answered = state { state = .idle }
        }
    }
}
