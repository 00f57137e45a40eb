// The mapping `androids` of a workload.

import Devices
import YAML

struct AndroidsDecoder {
    let topic: String
    let mistakes: Mistakes

    func androids(_ node: YAMLNode) -> AndroidsSpec? {
        guard let fields = Fields(node, .androids, mistakes) else { return nil }
        let makers = fields.items("vendors")
        let vendors: [AndroidVendor] = makers.compactMap { fields.choice($0, named: "vendors") }
        var setup = AndroidSetup()
        setup.packageName = topic
        setup.app = fields.choice("app") ?? setup.app
        setup.isOffline = fields.flag("offline") ?? false
        setup.isDozing = fields.flag("dozing") ?? false
        setup.deniesNotifications = fields.flag("notificationsDenied") ?? false
        return AndroidsSpec(vendors: vendors.isEmpty ? [.stock] : vendors, setup: setup)
    }
}
