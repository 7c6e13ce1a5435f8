// Asks the desktop what it supports, for `kinecast doctor`.
import CSDBus
import KinePlatform

/// The desktop's answers.
public struct DesktopSurvey: Sendable, Equatable {
    /// libsystemd is installed.
    public var hasLibrary = false
    public var hasSession = false
    public var hasSystem = false
    /// The notification server's name and version; nil: there is none, or it does not answer.
    public var notifications: String?
    public var capabilities = NotificationCapabilities()
    /// Whether a panel shows the items of a tray (freedesktop.org, StatusNotifierWatcher).
    public var hasTray = false
    /// Whether the screen is locked; nil: unknown.
    public var isLocked: Bool?
    /// The version of the portal that shares the screen (org.freedesktop.portal.ScreenCast); nil: there is no portal.
    public var screenCastVersion: UInt32?
    /// The sources that the portal shares, and the ways it shows the pointer. Empty if it shares nothing.
    public var screenCastTargets: [ScreenCastRequest.Target] = []
    public var cursorModes: [CursorMode] = []
    /// The desktop-specific portal backends that run or can be started, by the last words of their names
    /// (org.freedesktop.impl.portal.desktop.gnome), and those of them that run and can cast.
    public var portalBackends: [String] = []
    public var screenCastBackends: [String] = []
    /// logind answers. It also keeps the machine awake.
    public var hasLogind = false

    /// The subject of the survey. A question may make the bus start the program that answers it.
    public enum Subject: Sendable {
        case everything
        /// Only `hasLibrary`, `hasSession`, `screenCastVersion`, `screenCastTargets` and `cursorModes`.
        case screenCasts
        /// Only `hasLibrary`, `notifications`, `capabilities` and `hasTray`.
        case waysBack
    }

    public init() {}

    /// Asks, on the calling thread, until all answers are there or CLOCK_MONOTONIC reaches `deadline` (nanoseconds).
    public static func ask(
        _ addresses: BusAddresses, about subject: Subject = .everything, until deadline: Int64
    ) -> DesktopSurvey {
        guard kine_load_sdbus() != 0 else { return DesktopSurvey() }
        let inquiry = DesktopInquiry(addresses, subject)
        inquiry.run(until: deadline)
        return inquiry.survey
    }
}

/// Used on one thread.
private final class DesktopInquiry {
    private(set) var survey = DesktopSurvey()
    private var outstanding = 0
    private let subject: DesktopSurvey.Subject
    private let session: BusConnection?
    private let system: BusConnection?

    init(_ addresses: BusAddresses, _ subject: DesktopSurvey.Subject) {
        self.subject = subject
        session = addresses.session.flatMap { try? BusConnection(address: $0) }
        system = subject == .everything ? addresses.system.flatMap { try? BusConnection(address: $0) } : nil
        survey.hasLibrary = true
        if subject != .waysBack { askScreenCasts() }
        if subject != .screenCasts {
            askNotifications()
            askTray()
        }
        guard subject == .everything else { return }
        for saver in [ScreenSaver.freedesktop, .gnome] {
            ask(session, saver.method("GetActive")) { [weak self] values in
                self?.received(isLocked: values.first?.asBoolean)
            }
        }
        ask(session, BusDaemon.method("ListActivatableNames")) { [weak self] values in self?.received(names: values) }
        askLogind()
    }

    func run(until deadline: Int64) {
        let buses = [session, system].compactMap(\.self)
        while outstanding > 0, MonotonicClock.now() < deadline {
            for bus in buses { bus.process() }
            guard outstanding > 0 else { break }
            PollLoop.wait(for: session, system, until: deadline)
        }
    }

    private func ask(_ bus: BusConnection?, _ call: BusCall, _ completion: @escaping ([BusValue]) -> Void) {
        guard let bus else { return }
        outstanding += 1
        bus.call(call) { [weak self] answer in
            self?.outstanding -= 1
            if case .success(let values) = answer { completion(values) }
        }
    }

    private func askNotifications() {
        ask(session, NotificationServer.method("GetServerInformation")) { [weak self] values in
            let texts = values.compactMap(\.asString)
            self?.survey.notifications = texts.count > 2 ? "\(texts[0]) \(texts[2])" : texts.first ?? ""
        }
        ask(session, NotificationServer.method("GetCapabilities")) { [weak self] values in
            self?.survey.capabilities = NotificationCapabilities(values.first?.asStrings ?? [])
        }
    }

    private func askTray() {
        let watcher = "org.kde.StatusNotifierWatcher"
        var call = BusCall(
            watcher, path: "/StatusNotifierWatcher", interface: "org.freedesktop.DBus.Properties", "Get",
            [.string(watcher), .string("IsStatusNotifierHostRegistered")])
        call.startsService = false
        ask(session, call) { [weak self] values in
            self?.survey.hasTray = values.first?.content?.asBoolean ?? false
        }
    }

    private func askScreenCasts() {
        // An address does not prove that there is a bus, so the bus is asked too.
        ask(session, BusDaemon.method("GetId")) { [weak self] _ in self?.survey.hasSession = true }
        ask(session, ScreenCastPortal.readProperties) { [weak self] values in self?.received(offer: values) }
    }

    private func received(offer values: [BusValue]) {
        guard let offer = try? ScreenCastAnswers.offer(values) else { return }
        survey.screenCastVersion = offer.version
        survey.screenCastTargets = ScreenCastRequest.Target.allCases.filter { offer.sourceTypes & $0.sourceType != 0 }
        survey.cursorModes = CursorMode.allCases.filter { offer.cursorModes & $0.flag != 0 }
        guard subject == .everything else { return }
        // The portal has started the backends that it uses. A survey must not start others.
        ask(session, BusDaemon.method("ListNames")) { [weak self] values in
            guard let self else { return }
            for backend in received(names: values) {
                ask(session, PortalBackend.readScreenCastVersion(of: backend)) { [weak self] values in
                    if values.first?.content?.asUInt32 != nil { self?.survey.screenCastBackends.append(backend) }
                }
            }
        }
    }

    /// Returns the portal backends among the names.
    @discardableResult
    private func received(names values: [BusValue]) -> [String] {
        let backends = PortalBackend.backends(in: values.first?.asStrings ?? [])
        survey.portalBackends = Set(survey.portalBackends + backends).sorted()
        return backends
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
                self?.received(isLocked: values.first?.content?.asBoolean)
            }
        }
    }

    private func received(isLocked: Bool?) {
        if let isLocked { survey.isLocked = isLocked || survey.isLocked == true }
    }
}

/// The desktop-specific backends of the portal. org.freedesktop.impl.portal.ScreenCast.
private enum PortalBackend {
    private static let prefix = "org.freedesktop.impl.portal.desktop."

    static func backends(in names: [String]) -> [String] {
        names.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }.sorted()
    }

    static func readScreenCastVersion(of backend: String) -> BusCall {
        BusCall(
            prefix + backend, path: Portal.path, interface: "org.freedesktop.DBus.Properties", "Get",
            [.string("org.freedesktop.impl.portal.ScreenCast"), .string("version")])
    }
}
