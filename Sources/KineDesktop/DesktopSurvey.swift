// Asks the desktop what it has, for `kinecast doctor`.
import CSDBus
import Glibc
import KinePlatform

/// What a desktop answered.
public struct DesktopSurvey: Sendable, Equatable {
    /// libsystemd is installed.
    public var hasLibrary = false
    public var hasSession = false
    public var hasSystem = false
    /// The notification server's name and version; nil: there is none, or it does not answer.
    public var notifications: String?
    public var capabilities = NotificationCapabilities()
    /// Whether the screen is locked; nil: nobody says.
    public var isLocked: Bool?
    /// The version of the portal that shares the screen (org.freedesktop.portal.ScreenCast); nil: there is none.
    public var screenCastVersion: UInt32?
    /// logind answers, which also keeps the machine awake.
    public var hasLogind = false

    public init() {}

    /// Asks, on the calling thread, until everything is answered or `deadline` (nanoseconds of CLOCK_MONOTONIC) is reached.
    public static func ask(_ addresses: BusAddresses, until deadline: Int64) -> DesktopSurvey {
        guard kine_load_sdbus() != 0 else { return DesktopSurvey() }
        let inquiry = DesktopInquiry(addresses)
        inquiry.run(until: deadline)
        return inquiry.survey
    }
}

/// Used on one thread.
private final class DesktopInquiry {
    private(set) var survey = DesktopSurvey()
    private var outstanding = 0
    private let session: BusConnection?
    private let system: BusConnection?

    init(_ addresses: BusAddresses) {
        session = addresses.session.flatMap { try? BusConnection(address: $0) }
        system = addresses.system.flatMap { try? BusConnection(address: $0) }
        survey.hasLibrary = true
        askNotifications()
        for saver in [ScreenSaver.freedesktop, .gnome] {
            ask(session, saver.method("GetActive")) { [weak self] values in
                self?.heard(isLocked: values.first?.asBoolean)
            }
        }
        ask(session, ScreenCastPortal.readProperties) { [weak self] values in
            self?.survey.screenCastVersion = (try? ScreenCastAnswers.offer(values))?.version
        }
        askLogind()
    }

    func run(until deadline: Int64) {
        let buses = [session, system].compactMap(\.self)
        while outstanding > 0, MonotonicClock.now() < deadline {
            for bus in buses { bus.process() }
            guard outstanding > 0 else { break }
            var entries = buses.map(\.pollEntry)
            WakeSignal.poll(&entries, until: min(deadline, buses.compactMap(\.nextDeadline).min() ?? deadline))
        }
    }

    private func ask(_ bus: BusConnection?, _ call: BusCall, _ heard: @escaping ([BusValue]) -> Void) {
        guard let bus else { return }
        outstanding += 1
        bus.call(call) { [weak self] answer in
            self?.outstanding -= 1
            if case .success(let values) = answer { heard(values) }
        }
    }

    private func askNotifications() {
        // That the bus answers is asked too: an address alone is no bus.
        ask(session, BusDaemon.method("GetId")) { [weak self] _ in self?.survey.hasSession = true }
        ask(session, NotificationServer.method("GetServerInformation")) { [weak self] values in
            let texts = values.compactMap(\.asString)
            self?.survey.notifications = texts.count > 2 ? "\(texts[0]) \(texts[2])" : texts.first ?? ""
        }
        ask(session, NotificationServer.method("GetCapabilities")) { [weak self] values in
            self?.survey.capabilities = NotificationCapabilities(values.first?.asStrings ?? [])
        }
    }

    private func askLogind() {
        guard let system else { return }
        ask(system, BusDaemon.method("GetId")) { [weak self] _ in self?.survey.hasSystem = true }
        outstanding += 1
        Logind.findSession(system) { [weak self] path in
            guard let self else { return }
            outstanding -= 1
            guard let path else { return }
            survey.hasLogind = true
            ask(system, Logind.property("LockedHint", of: Logind.sessionInterface, at: path)) { [weak self] values in
                self?.heard(isLocked: values.first?.content?.asBoolean)
            }
        }
    }

    private func heard(isLocked: Bool?) {
        if let isLocked { survey.isLocked = isLocked || survey.isLocked == true }
    }
}
