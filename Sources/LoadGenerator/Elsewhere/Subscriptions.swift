// How observers ask, all of one run. Confined to its loop.

import Basics
import HTTP
import Net
import Planning
import Scenarios
import WebSocket

final class Subscriptions {
    let observers: [ObserverSpec]
    let client: AnswerClient
    private let plan: Plan
    private let driver: RelayDriver
    /// By observer: where the driver has its messages, the beat behind those that are said first.
    private let messages: [Range<Int>]
    private let request = OutgoingRequest()

    init(_ plan: Plan, _ client: AnswerClient) {
        self.plan = plan
        self.client = client
        observers = plan.scenario.relay.profile.observers
        var requests = observers.map(\.request)
        messages = observers.map { observer in
            let first = requests.count
            let templates = (observer.webSocket?.says ?? []) + (observer.webSocket?.beat.map { [$0.message] } ?? [])
            for template in templates {
                requests.append(
                    ProfileCall(name: observer.name, method: "GET", path: Template(segments: []), body: template))
            }
            return first..<requests.count
        }
        driver = RelayDriver(plan.workload, requests: requests)
    }

    /// Throws why it cannot be asked for, in words that hold nothing of the request.
    func open(
        _ place: Listener.Place, to listener: any AnswerListener
    ) throws(Failure) -> (stream: AnswerStream, socket: SocketVoice?) {
        var said: [[UInt8]] = []
        for number in messages[place.observer] {
            try render(number, of: place, into: request)
            said.append(request.body.array())
        }
        let request = OutgoingRequest()
        try render(place.observer, of: place, into: request)
        guard let spec = observers[place.observer].webSocket else { return (try client.open(request, to: listener), nil) }
        let socket = SocketVoice(spec, said)
        for (name, value) in socket.handshake { request.head.append(name: name, value: value) }
        return (try client.open(request, to: listener, switches: true), socket)
    }

    private func render(_ number: Int, of place: Listener.Place, into request: OutgoingRequest) throws(Failure) {
        let event = PlannedEvent(session: place.session, step: 0, at: .zero, call: number, scriptStep: 0)
        let script = SessionCursor(session: place.session, start: .zero, workload: plan.workload).script
        if let misfit = driver.render(event, script: script, into: request, at: client.recordTime.wall()) {
            throw Failure(.run, misfit)
        }
    }
}
