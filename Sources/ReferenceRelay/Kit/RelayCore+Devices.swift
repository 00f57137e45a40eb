// /v1/device/register and /v1/device/unregister.

import Basics
import Pushes

struct DeviceRegistration {
    var secret: SecretHash
    var token: String
    var bundleID: String?
    var environment = PushEnvironment.production
    /// Nil leaves a known one alone (R0.44), whether the body has a null or nothing.
    var startToken: String?
    var hasNullStartToken = false
}

extension RelayCore {
    /// Nil when it was taken.
    func register(_ registration: DeviceRegistration, now: Moment) -> Refusal? {
        let account = registry.accounts[registration.secret]
        if let device = account?.devices.first(where: { $0.token == registration.token }) {
            device.revision += 1
            device.registeredAt = now.wall
            device.bundleID = registration.bundleID ?? options.topic
            // A phone that repeats its claim does not undo what APNs has taught us about it (R0.26).
            if registration.environment != device.claimedEnvironment {
                device.claimedEnvironment = registration.environment
                device.environment = registration.environment
            }
            if let startToken = registration.startToken {
                let isNew = device.startToken != startToken
                take(startToken, for: device)
                if isNew { startTokenCame(to: device, now: now) }
            } else if has(.forgetsStartToken) || registration.hasNullStartToken && has(.nullErasesStartToken) {
                device.startToken = nil
            }
            writes.append(.saveDevice(DeviceRow(device)))
            return nil
        }
        guard (account?.devices.count ?? 0) < RelayLimits.devicesPerSecret else { return .tooManyForSecret }
        guard registry.deviceCount < RelayLimits.devices else { return .full }
        registry.lastDeviceID += 1
        let device = Device(
            id: registry.lastDeviceID, account: registry.account(registration.secret), token: registration.token,
            bundleID: registration.bundleID ?? options.topic, environment: registration.environment, startToken: nil,
            createdAt: now.wall, registeredAt: now.wall)
        device.account.devices.append(device)
        if has(.movesDevices) { takeFromOthers(device.token, for: device.account) }
        device.account.lostPhones = max(0, device.account.lostPhones - 1)
        registry.deviceCount += 1
        if let startToken = registration.startToken { take(startToken, for: device) }
        writes.append(.saveDevice(DeviceRow(device)))
        return nil
    }

    func unregisterDevice(_ token: String, of secret: SecretHash, now: Moment) {
        guard let device = registry.accounts[secret]?.devices.first(where: { $0.token == token }),
            !has(.ignoresUnregister)
        else { return }
        if has(.dropsActivitiesWithPhone) { dropActivities(of: device.account, now: now) }
        if has(.keepsStartOfSignedOut) { device.account.signedOut.append(device) }
        remove(device)
    }

    /// A start token belongs to an app on a phone, not to a device token: while a phone changes its device token it
    /// is registered twice with the same start token, and must not be started twice.
    private func take(_ startToken: String, for device: Device) {
        device.startToken = startToken
        if device.firstStartToken == nil { device.firstStartToken = startToken }
        for other in device.account.devices where other !== device && other.startToken == startToken {
            other.startToken = nil
            writes.append(.saveDevice(DeviceRow(other)))
        }
    }

    /// APNs calls its token dead. What says nothing of its activities (R0.24): a phone, unless it is here under another
    /// token.
    func lose(_ device: Device) {
        guard device.isRegistered else { return }
        let start = device.firstStartToken
        let isHere = device.account.devices.contains { $0 !== device && start != nil && $0.startToken == start }
        if !isHere { device.account.lostPhones += 1 }
        remove(device)
    }

    func remove(_ device: Device) {
        guard device.isRegistered else { return }
        device.isRegistered = false
        device.account.devices.removeAll { $0 === device }
        registry.deviceCount -= 1
        writes.append(.deleteDevice(device.id))
        registry.dropIfEmpty(device.account)
    }
}
