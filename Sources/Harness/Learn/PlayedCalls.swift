// A play of a draft's calls, as its journal tells: what was asked, and what came of it.

import Basics
import Journal
import LoadGenerator
import Planning
import Pushes
import Verdicts

struct PlayedCalls {
    struct Call {
        var event: EventEntry
        /// What it said; nil: no JSON.
        var body: JSONValue?
    }

    /// In the order in which they were to be made.
    let calls: [Call]
    /// In the order in which they came.
    let pushes: [PushEntry]

    /// Calls of that session, in their order.
    func calls(of session: UInt32) -> [Call] { calls.filter { $0.event.session == session } }

    /// Pushes that bear that call's marker.
    func pushes(of call: Call) -> [PushEntry] {
        pushes.filter { $0.marker?.session == call.event.session && $0.marker?.step == call.event.step }
    }
}

extension PlayedCalls {
    init(of directory: String) throws(Failure) {
        let reader = try JournalReader(directory: try JournalPlace.journal(of: directory))
        guard let plan = try Verdicts.planNote(reader)?.note else { throw Failure(.run, "\(directory) holds no run") }
        let renderer = CallRenderer(plan.plan(of: try plan.scenario()))
        var events: [EventEntry] = []
        var pushes: [PushEntry] = []
        _ = try reader.forEach(since: nil) { entry in
            switch entry {
            case .event(let event): events.append(event)
            case .push(let push) where push.kind == .push: pushes.append(push)
            case .note(let note): if let capture = note.capture { renderer.learn(capture) }
            default: break
            }
            return true
        }
        let requests = RequestRenderer(renderer)
        calls = events.sorted { $0.plannedAt < $1.plannedAt }.map { event in
            let body = requests.request(session: event.session, step: event.step)?.body
            return Call(event: event, body: body.flatMap { try? JSONValue(parsing: $0) })
        }
        self.pushes = pushes
    }
}
