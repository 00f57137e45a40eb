// Sendora's sample type (claims R3).

import Foundation

enum Sendora {
    struct OrderAttributes: ActivityAttributes {
        struct ContentState: Codable, Hashable {
            var status: String
            var minutesAway: Int
            var driverName: String?
        }

        let orderId: String
    }
}
