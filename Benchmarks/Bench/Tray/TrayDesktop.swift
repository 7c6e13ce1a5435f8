// The servers of a desktop with a tray: a screen, audio, and a bus with a panel.
import Glibc
import KineDesktop
import KineMeasure
import KineMedia
import KinePlatform
import KineTakes

/// Used by the main thread only: the servers die with the thread that started them.
final class TrayDesktop {
    let folder: TemporaryDirectory
    private let display: PrivateDisplay
    private let audio: PrivateAudio
    private let bus: HeldProcess
    private let registration = Monitor(Registration())
    private let environment: [String]

    init() throws {
        folder = try TemporaryDirectory()
        display = try PrivateDisplay(size: PixelSize(width: 1280, height: 720))
        audio = try PrivateAudio()
        let address = "unix:path=\(folder.file("bus"))"
        // It starts no services, so no portal binds keys.
        let rules = #"<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>"#
        let configuration = """
            <busconfig><listen>\(address)</listen><policy context="default">\(rules)</policy></busconfig>
            """
        let file = try folder.write(configuration.utf8, to: "bus.conf")
        bus = try HeldProcess(
            "dbus-daemon", at: Tool.path(of: "dbus-daemon"),
            ["--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=1"])
        environment = ProcessEnvironment.merging(
            ProcessEnvironment.secluded(in: folder),
            display.environment + audio.environment + ["HOME=\(folder.path)", "DBUS_SESSION_BUS_ADDRESS=\(address)"])
        _ = try bus.line(deadline: deadline(in: 10))
        _ = try DedicatedThread(starting: "panel") { [registration = self.registration] in
            guard let panel = try? TrayPanel(address, registration) else { return }
            panel.run()
        }
        guard registration.wait(until: deadline(in: 10), for: { $0.isOpen ? true : nil }) == true else {
            throw Tool.Error.failed(name: "dbus-daemon", ending: .unknown, complaint: "It gave the panel no name.")
        }
    }

    func end() {
        bus.kill()
        audio.end()
        display.end()
    }

    func kinecast(_ arguments: String...) throws -> HeldProcess {
        try HeldProcess("kinecast", arguments, environment: environment)
    }

    /// Starts a program and waits for its item. Returns it and the seconds until the item was registered.
    func start(_ name: String, at path: String, _ arguments: [String]) throws -> (HeldProcess, Double) {
        registration.withLock { $0.instant = nil }
        let begin = MonotonicClock.now()
        let program = try HeldProcess(name, at: path, arguments, environment: environment)
        guard let instant = registration.wait(until: deadline(in: 20), for: { $0.instant }) else {
            throw Tool.Error.failed(
                name: name, ending: program.process.end(signal: SIGKILL, deadline: 0),
                complaint: "It has registered no item.")
        }
        return (program, Double(instant - begin) / 1e9)
    }
}

private struct Registration {
    /// Items can be registered.
    var isOpen = false
    /// CLOCK_MONOTONIC, nanoseconds, of the newest program's first item.
    var instant: Int64?
}

/// A panel that reads an item when it is registered and when it has changed, as desktops do. Used on its own thread.
private final class TrayPanel: BusObject {
    static let path = "/StatusNotifierWatcher"
    static let interface = "org.kde.StatusNotifierWatcher"
    private static let itemInterface = "org.kde.StatusNotifierItem"
    let properties: [String: BusValue] = ["IsStatusNotifierHostRegistered": .boolean(true)]
    private let connection: BusConnection
    private let registration: Monitor<Registration>
    /// The unique names of the connections that came after this one.
    private var clients: Set<String> = []

    init(_ address: String, _ registration: Monitor<Registration>) throws(BusError) {
        connection = try BusConnection(address: address)
        self.registration = registration
        try connection.add(self)
        let daemon = "org.freedesktop.DBus"
        connection.match("type='signal',sender='\(daemon)',member='NameOwnerChanged'") { [unowned self] signal in
            let texts = signal.arguments.compactMap(\.asString)
            guard texts.count == 3, texts[0].hasPrefix(":") else { return }
            if texts[2].isEmpty { clients.remove(texts[0]) } else { clients.insert(texts[0]) }
        }
        connection.match("type='signal',interface='\(Self.itemInterface)'") { [unowned self] in
            read($0.path, of: $0.sender)
        }
        let request = BusCall(
            daemon, path: "/org/freedesktop/DBus", interface: daemon, "RequestName",
            [.string(Self.interface), .uint32(4)])
        connection.call(request) { answer in
            if (try? answer.get())?.first?.asUInt32 == 1 { registration.signal { $0.isOpen = true } }
        }
    }

    func call(_ member: String, _ arguments: [BusValue]) -> BusReply? {
        guard member == "RegisterStatusNotifierItem", let path = arguments.first?.asString else { return nil }
        registration.signal { $0.instant = $0.instant ?? MonotonicClock.now() }
        // The call does not say which client has the item; the others answer with an error.
        for client in clients { read(path, of: client) }
        return .values([])
    }

    private func read(_ item: String, of client: String) {
        let properties = "org.freedesktop.DBus.Properties"
        connection.call(
            BusCall(client, path: item, interface: properties, "GetAll", [.string(Self.itemInterface)])
        ) { _ in }
    }

    func run() {
        while !connection.isClosed {
            connection.process()
            var entries = connection.pollEntries
            WakeSignal.poll(&entries, until: connection.nextDeadline)
        }
    }
}
