// What all loops of a mock FCM share.

import Basics
import Devices
import FCM

final class FCMShared: Sendable {
    let settings: FCMSettings
    let access: AccessTokens
    let registrations: RegistrationBook
    let subscriptions = SubscriptionBook()
    let quotas: ProjectQuotas
    let identity: FCMIdentity
    private let accounts: ServiceAccounts

    init(
        settings: FCMSettings, identity: FCMIdentity, store: ServiceAccountStore, access: AccessTokens, takesUnknown: Bool,
        devices: DeviceFleet, seed: Seed
    ) throws(Failure) {
        accounts = try ServiceAccounts(own: identity.account, store: store)
        self.settings = settings
        self.access = access
        self.identity = identity
        registrations = RegistrationBook(takesUnknown: takesUnknown, settings: settings, devices: devices)
        quotas = ProjectQuotas(settings: settings, seed: seed, devices: devices)
    }

    /// `audiences`: addresses under which clients may know the token endpoint.
    func reader(audiences: [String]) -> TokenRequestReader {
        TokenRequestReader(accounts: accounts.current, audiences: audiences)
    }

    func reset() {
        registrations.reset()
        subscriptions.reset()
        quotas.reset()
    }
}
