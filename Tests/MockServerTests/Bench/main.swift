// A mock that knows any number of Live Activities, for script/bench to send pushes to: registered in its own process, for by
// its admin API a million would take longer than all that is measured.
//
//     crowdbench STATE tokens|phones COUNT FILE
//
// Each activity is on a phone and in an app of its own, or on none. Writes their tokens to FILE, one a line, prints the line
// that tells where it listens, and serves until it is ended.

import APNs
import Basics
import Devices
import Glibc
import MockServer
import Net
import OperatingSystem
import Pushes

let arguments = CommandLine.arguments
guard arguments.count == 5, ["tokens", "phones"].contains(arguments[2]), let count = Int(arguments[3]), count > 0 else {
    fatalError("crowdbench STATE tokens|phones COUNT FILE")
}
var options = MockOptions(stateDirectory: arguments[1])
options.apns = SocketAddress(host: "127.0.0.1", port: 0)
options.admin = SocketAddress(host: "127.0.0.1", port: 0)
options.seed = Seed(3)
// Else a phone puts off all updates but one in 15 s, which costs more, and each of few activities has many in that time.
try options.set("cardDrawingInterval", to: "0s")
let mock = try MockService(options: options)
let topic = mock.coordinates.topics[0]
let now = mock.clock.wall()
var app = AppSetup(topic)
app.state = .foreground
var lines = ""
var chance = Seed(9).generator()
for number in 0..<count {
    let phone = "p\(number)"
    if arguments[2] == "phones" {
        try mock.devices.phones.make(PhoneSetup(phone, apps: [app]), now: now)
        try mock.devices.phones.act(.start(app: topic), on: phone, now: now)
        lines += PhoneToken(.activity, phone: phone, app: topic).text(mock.devices.phones.seed) + "\n"
    } else {
        let bytes = (0..<4).flatMap { _ in withUnsafeBytes(of: chance.next()) { Array($0) } }
        let token = Hex.encode(bytes.span)
        guard mock.devices.set(TokenRecord(token: token, kind: .activity, topic: topic), now: now) else {
            fatalError("no room for \(token)")
        }
        lines += token + "\n"
    }
}
try FileSystem.replace(arguments[4], with: lines)
print(mock.coordinates.readyLine)
fflush(nil)
while true { pause() }
