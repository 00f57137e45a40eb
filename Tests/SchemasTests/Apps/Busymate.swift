// Busymate (claims R1). No push carries its attributes, and nobody has published them.

import Foundation

enum Busymate {
    struct BusymateActivityAttributes: ActivityAttributes {
        struct ContentState: Codable, Hashable {
            enum Mode: String, Codable {
                case vpn
                case pac
                case off
            }

            var mode: Mode
            var requestsPerSec: Double
            var note: Optional<String>
        }
    }
}
