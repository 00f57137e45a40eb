// What the Android devices of a run's users are like.

package import Devices

/// Each user's registration has a device behind it.
package struct AndroidsSpec: Hashable, Sendable {
    /// Who makes them, in turn by user; at least one.
    package var vendors: [AndroidVendor]
    /// As they are when the run begins, but for who made them.
    package var setup: AndroidSetup

    package init(vendors: [AndroidVendor] = [.stock], setup: AndroidSetup = AndroidSetup()) {
        precondition(!vendors.isEmpty, "somebody makes devices")
        self.vendors = vendors
        self.setup = setup
    }

    /// `user`: from 0.
    package func setup(ofUser user: UInt32) -> AndroidSetup {
        var setup = setup
        setup.vendor = vendors[Int(user) % vendors.count]
        return setup
    }
}
