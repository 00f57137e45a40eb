// The mapping `phones`, of a workload and of a session script.

import Basics
import Devices
import Pushes
import YAML

struct PhonesDecoder {
    /// Of what happens to a token, as the admin API has it.
    private static let longest = Interval.seconds(24 * 3600)

    let files: FileFinder
    let mistakes: Mistakes

    func phones(_ node: YAMLNode) -> PhonesSpec? {
        guard let fields = Fields(node, .phones, mistakes) else { return nil }
        return PhonesSpec(
            wake: fields.distribution("wake", of: .duration, atMost: Self.longest, files), never: fields.number("never"),
            rotate: fields.distribution("rotate", of: .duration, atMost: Self.longest, files), system: system(fields),
            environment: fields.choice("environment"), secondEnvironment: fields.choice("secondEnvironment"))
    }

    private func system(_ fields: Fields) -> SystemVersion? {
        guard let node = fields.value("ios"), let text = fields.text("ios") else { return nil }
        guard let version = SystemVersion(text: text) else {
            fields.wrong("ios", node, "a version of one or two numbers")
            return nil
        }
        return version
    }
}
