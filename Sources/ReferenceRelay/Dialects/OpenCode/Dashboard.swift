// GET / : what is registered and what was delivered, for a glance. Tokens and secrets by their ends only (G12).

import Basics

enum Dashboard {
    static func page(devices: [DashboardDevice], deliveries: [DashboardDelivery]) -> String {
        let deviceRows = devices.map { device in
            row([
                device.updatedAt.iso8601, short(device.secret), "…" + device.token.suffix(8), device.bundleID,
                device.environment,
            ])
        }
        let deliveryRows = deliveries.map { delivery in
            row([
                delivery.createdAt.iso8601, short(delivery.secret), delivery.eventType, delivery.sessionID,
                delivery.status, delivery.error ?? "",
            ])
        }
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Relay</title>
            <style>body{font:15px system-ui;margin:2rem}table{border-collapse:collapse;margin-bottom:2rem}\
            td,th{border-bottom:1px solid #ccc;padding:.3rem .8rem;text-align:left}</style></head><body>
            <h1>Relay</h1>
            <h2>Newest registrations</h2>
            <table><tr><th>updated</th><th>secret</th><th>token</th><th>bundle</th><th>environment</th></tr>
            \(deviceRows.joined(separator: "\n"))
            </table>
            <h2>Newest deliveries</h2>
            <table><tr><th>at</th><th>secret</th><th>event</th><th>session</th><th>status</th><th>error</th></tr>
            \(deliveryRows.joined(separator: "\n"))
            </table>
            </body></html>
            """
    }

    private static func short(_ secret: String) -> String { secret.prefix(8) + "…" }

    private static func row(_ cells: [String]) -> String {
        "<tr>" + cells.map { "<td>\(escaped($0))</td>" }.joined() + "</tr>"
    }

    private static func escaped(_ text: String) -> String {
        var safe = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": safe += "&amp;"
            case "<": safe += "&lt;"
            case ">": safe += "&gt;"
            case "\"": safe += "&quot;"
            case "'": safe += "&#39;"
            default: safe.unicodeScalars.append(character)
            }
        }
        return safe
    }
}
