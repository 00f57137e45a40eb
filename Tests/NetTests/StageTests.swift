// How far a server's connection has come.

import Testing

@testable import Net

@Suite struct StageTests {
    @Test("stages lead forward, one at a time, and each to the end")
    func forward() {
        let steps = ServerConnection.Stage.allCases.flatMap { stage in
            ServerConnection.Stage.allCases.filter { stage.leads(to: $0) }.map { "\(stage) \($0)" }
        }
        #expect(
            steps == [
                "handshaking unproven", "handshaking gone", "unproven proven", "unproven gone", "proven gone", "gone gone",
            ])
    }
}
