// The seven endpoints of OpenCode's relay. Relays that speak like OpenCode's read their events in their own way.

import Basics
import Net

/// `event` reads the body of `/v1/event`.
func openCodeRoutes(event: @escaping (Span<UInt8>) throws(InvalidBody) -> RelayEvent) -> [Route] {
    [
        .event("/v1/event") { body, _ throws(InvalidBody) in try event(body) },
        .registerDevice("/v1/device/register"),
        .unregisterDevice("/v1/device/unregister"),
        .registerActivity("/v1/activity/register"),
        .unregisterActivity("/v1/activity/unregister"),
        .health,
        Route("GET", "/", serve: dashboard),
    ]
}

private func dashboard(_ relay: RelayService, _ exchange: ServerExchange, _: Bool) throws {
    try relay.storage.flush(force: true)
    let page = Dashboard.page(
        devices: try relay.storage.newestDevices(100), deliveries: try relay.storage.newestDeliveries(20))
    Reply(status: 200, contentType: "text/html; charset=utf-8", body: Array(page.utf8)).send(on: exchange)
}
