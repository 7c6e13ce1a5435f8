// A desktop of the test's own with the portal that people have there: the compositor draws in memory, without a GPU, a seat or a login.
// GNOME's and KDE's portals show their real dialogs, and only scripts/endurance installs them.
import CoreTesting
import Glibc
import KineCapture
import KineDesktop
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import SystemPackage

/// A running compositor with a bus, PipeWire, a session manager and a portal. All of it ends with the last reference.
package final class PortalDesktop {
    package enum Kind: Sendable, CaseIterable {
        /// GNOME's compositor without its shell: monitors can be cast.
        case mutter
        /// All of GNOME's: windows can be cast as well.
        case gnomeShell
        /// KDE's compositor. Where it draws in memory it casts windows alone (KWin 5), or nothing (6), and the rest with what the tests
        /// preload.
        case kwin
        /// Its portal, xdg-desktop-portal-wlr, shows no dialog: it gives out the only monitor. Of a still screen it may send nothing until
        /// something changes.
        case sway

        fileprivate var desktopName: String {
            switch self {
            case .mutter, .gnomeShell: "GNOME"
            case .kwin: "KDE"
            case .sway: "sway"
            }
        }
    }

    package let bus: TestBus
    /// The compositor's socket, an absolute path; WAYLAND_DISPLAY.
    package let display: String
    /// Of the monitor.
    package let size: PixelSize

    /// The programs are those of Debian 12: GNOME 43, KDE Plasma 5.27. Otherwise they are those of Debian 13: GNOME 48, KDE Plasma 6.3.
    package static let isOfDebian12 = ProcFiles.read("/etc/os-release").contains("VERSION_CODENAME=bookworm")

    package let kind: Kind
    private let application: String?
    private let directory: TemporaryDirectory
    /// Where it is the compositor.
    private let sway: SwayDesktop?
    private var processes: [ChildProcess] = []
    private var backend: ChildProcess?

    /// What the session's programs have in their environment.
    package var environment: [String] {
        [
            "DISPLAY=", "WAYLAND_DISPLAY=\(display)", "XDG_SESSION_TYPE=wayland",
            "DBUS_SESSION_BUS_ADDRESS=\(bus.address)",
        ]
    }

    /// Starts a desktop with one monitor and waits until its portal takes requests.
    ///
    /// - Parameter application: the text of Kinecast's desktop file. With one, the desktop binds keys for it.
    package init(
        _ kind: Kind, size: PixelSize = PixelSize(width: 1280, height: 720), application: String? = nil
    ) throws {
        (self.kind, self.size, self.application) = (kind, size, application)
        bus = try TestBus()
        directory = try TemporaryDirectory()
        sway = kind == .sway ? try SwayDesktop(size: size) : nil
        display = sway?.display ?? directory.file("wayland-0")
        do {
            try configure()
            try start("pipewire")
            try wait("PipeWire") { access(directory.file("pipewire-0"), F_OK) == 0 }
            try start("wireplumber")
            try startCompositor()
            try wait("the compositor") { access(display, F_OK) == 0 }
            try start("/usr/libexec/xdg-permission-store", name: "org.freedesktop.impl.portal.PermissionStore")
            try startBackend()
            try start("/usr/libexec/xdg-desktop-portal", name: "org.freedesktop.portal.Desktop")
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    /// Its mouse and keyboard. Not for sway.
    package func input() throws -> any DesktopInput {
        kind == .kwin ? try KDEInput(self) : try MutterInput(self)
    }

    /// Ends everything as a crash would.
    package func end() {
        endBackend()
        for process in processes.reversed() { _ = process.end(signal: SIGKILL, deadline: 0) }
        processes = []
        endCompositor()
    }

    /// Ends sway as a crash would.
    package func endCompositor() { sway?.end() }

    /// What its programs have said.
    package var log: String { ProcFiles.read(directory.file("log")) }

    /// Has sway carry out a command.
    package func perform(_ command: String) throws { try sway?.perform(command) }

    // MARK: The desktop's part of the portal

    /// Ends it as a crash would.
    package func endBackend() {
        _ = backend?.end(signal: SIGKILL, deadline: 0)
        backend = nil
    }

    /// Starts another in its place, as the bus of a login session does where it has crashed. xdg-desktop-portal-wlr 0.7.0 crashes where a
    /// session is closed while its stream still runs, which happens when the end of the stream reaches it later than the session's.
    package func restartBackend() throws {
        endBackend()
        let client = try BusClient(bus)
        try wait("the backend to leave the bus") { try !client.hasOwner(backendService.name) }
        try startBackend()
    }

    /// It has ended, though nothing here has ended it.
    package var backendHasCrashed: Bool { backend?.poll() != nil }

    private func startBackend() throws {
        let service = backendService
        backend = try launch(
            service.program, kind == .sway ? ["--loglevel=INFO"] : [],
            environment: kind == .sway ? try preload("screencopy.c") : [:])
        let client = try BusClient(bus)
        try wait(service.name) { try client.hasOwner(service.name) }
    }

    private var backendService: (program: String, name: String) {
        let service =
            switch kind {
            case .mutter, .gnomeShell: ("/usr/libexec/xdg-desktop-portal-gnome", "gnome")
            case .kwin: ("/usr/lib/\(Self.machine)-linux-gnu/libexec/xdg-desktop-portal-kde", "kde")
            case .sway: ("/usr/libexec/xdg-desktop-portal-wlr", "wlr")
            }
        return (service.0, "org.freedesktop.impl.portal.desktop." + service.1)
    }

    /// What xdg-desktop-portal-wlr and KWin need in their environment where there is no graphics card: a library of that source.
    private func preload(_ name: String) throws -> [String: String] {
        let library = directory.file(name + ".so")
        let source = FilePath(#filePath).removingLastComponent().removingLastComponent()
            .appending("PortalPreload").appending(name)
        // Swift comes with it.
        _ = try Tool.output("clang", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source.string])
        return ["LD_PRELOAD": library]
    }

    // MARK: Starting

    private func configure() throws {
        func write(_ text: String, to name: String) throws {
            for end in name.indices where name[end] == "/" { mkdir(directory.file(String(name[..<end])), 0o700) }
            try directory.write(text.utf8, to: name)
        }
        // A desktop of the test's own has none of the machine's devices.
        for (folder, name, text) in SessionManagerSettings.withoutDevices {
            try write(text, to: "wireplumber/\(folder)/\(name)")
        }
        if let application { try write(application, to: "applications/org.kinecast.Kinecast.desktop") }
        try write(
            "[screencast]\nchooser_type=none\noutput_name=HEADLESS-1\n", to: "xdg-desktop-portal-wlr/config")
    }

    private func startCompositor() throws {
        let monitor = ["--virtual-monitor", "\(size.width)x\(size.height)"]
        let gnome = ["--headless", "--wayland", "--no-x11", "--wayland-display", "wayland-0"] + monitor
        switch kind {
        case .sway: break  // it runs
        case .mutter: try start("mutter", gnome)
        case .gnomeShell:
            try start("gnome-shell", gnome)
            guard application != nil else { return }
            try wait("GNOME's shell") { access(display, F_OK) == 0 }
            try start(
                "/usr/libexec/gnome-control-center-global-shortcuts-provider",
                name: "org.gnome.Settings.GlobalShortcutsProvider")
        case .kwin:
            // The file's capability is not granted in a container, and without it nothing is executed; a copy has none.
            let copy = directory.file("kwin_wayland")
            try Tool.write(
                try Tool.contents(of: try Tool.path(of: "kwin_wayland")), to: copy,
                permissions: [.ownerReadWriteExecute])
            try start(
                copy,
                [
                    "--virtual", "--width", "\(size.width)", "--height", "\(size.height)", "--no-lockscreen",
                    "--socket", "wayland-0",
                ] + (application == nil ? ["--no-global-shortcuts"] : []),
                environment: try preload(Self.isOfDebian12 ? "monitor.cpp" : "card.c"))
        }
    }

    private static var machine: String {
        var name = utsname()
        uname(&name)
        return withUnsafeBytes(of: &name.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Has GNOME's shell show its windows as they are: it begins with small pictures of them, and does so at an instant that nothing tells.
    package func leaveOverview() throws {
        let client = try BusClient(bus)
        guard try client.hasOwner("org.gnome.Shell") else { return }
        try client.call(
            "org.gnome.Shell", "/org/gnome/Shell", "org.freedesktop.DBus.Properties", "Set",
            [.string("org.gnome.Shell"), .string("OverviewActive"), .variant(.boolean(false))])
    }

    /// Starts KDE's panel with its tray, and waits until it takes items.
    package func startPanel() throws {
        try start(
            "/usr/lib/\(Self.machine)-linux-gnu/libexec/kactivitymanagerd", name: "org.kde.ActivityManager")
        try start("kded6", name: "org.kde.StatusNotifierWatcher")
        try start("plasmashell", name: "org.kde.plasmashell")
    }

    /// The item in KDE's tray that has this id.
    package func trayItem(_ id: String) throws -> TrayPanel? {
        let watcher = "org.kde.StatusNotifierWatcher"
        let items = try BusClient(bus).call(
            watcher, "/StatusNotifierWatcher", "org.freedesktop.DBus.Properties", "Get",
            [.string(watcher), .string("RegisteredStatusNotifierItems")])
        // Each is the unique name of a connection and a path.
        return try (items.first?.content?.elements ?? []).lazy.compactMap(\.asString)
            .map { try TrayPanel(bus, itemOf: String($0.prefix { $0 != "/" })) }
            .first { try $0.properties()["Id"] == .string(id) }
    }

    /// Starts GNOME's file manager, whose dialog its portal shows from GNOME 47 on.
    package func startFileManager() throws {
        try start("nautilus", ["--gapplication-service"], name: "org.gnome.Nautilus")
    }

    /// Starts waybar at the upper edge, with a tray and nothing else, and waits until it takes items. For sway.
    package func startBar() throws {
        let settings = #"{"position": "top", "height": 30, "modules-left": ["tray"], "tray": {"icon-size": 20}}"#
        let file = try directory.write(settings.utf8, to: "waybar.json")
        // Menus appear at once, and an entry is as high as its text.
        let style = try directory.write("* { font-size: 14px; }\nmenu { animation: none; }".utf8, to: "waybar.css")
        try start("waybar", ["--config", file, "--style", style], name: "org.kde.StatusNotifierWatcher")
    }

    /// Starts a service of the bus and waits for its name.
    private func start(_ program: String, _ arguments: [String] = [], name: String) throws {
        try start(program, arguments)
        let client = try BusClient(bus)
        try wait(name) { try client.hasOwner(name) }
    }

    private func start(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws {
        processes.append(try launch(program, arguments, environment: environment))
    }

    private func launch(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let log = try FileDescriptor.open(
            directory.file("log"), .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
        defer { try? log.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, log, log]
        options.parentDeathSignal = SIGTERM
        options.newSession = true
        let path = directory.path
        let executable = try Tool.path(of: program)
        guard access(executable, X_OK) == 0 else {
            throw Tool.Error.missing(name: executable, package: Self.package(of: executable))
        }
        return try ChildProcess(
            executable: executable, arguments: arguments,
            environment: ProcessEnvironment.current(
                changing: [
                    "XDG_RUNTIME_DIR": path, "XDG_CONFIG_HOME": path, "XDG_DATA_HOME": path,
                    "XDG_STATE_HOME": path, "XDG_CACHE_HOME": path, "HOME": path,
                    "WAYLAND_DISPLAY": sway?.display ?? "wayland-0",
                    "DBUS_SESSION_BUS_ADDRESS": bus.address, "DBUS_SYSTEM_BUS_ADDRESS": bus.address,
                    "XDG_CURRENT_DESKTOP": kind.desktopName,
                    "XDG_SESSION_TYPE": "wayland", "GSETTINGS_BACKEND": "memory", "GTK_A11Y": "none",
                    "LIBGL_ALWAYS_SOFTWARE": "1", "LIBSEAT_BACKEND": "noop", "KDE_FULL_SESSION": "true",
                    "KDE_SESSION_VERSION": Self.isOfDebian12 ? "5" : "6",
                    "QT_QPA_PLATFORM": "wayland", "KWIN_COMPOSE": "O2",
                    // Without it, KDE's crash handler keeps a program that has crashed from ending.
                    "KDE_DEBUG": "1",
                    "KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1", "LC_ALL": "C.UTF-8",
                ].merging(environment) { $1 }, removing: ["DISPLAY", "PULSE_SERVER", "PIPEWIRE_RUNTIME_DIR"]),
            options: options)
    }

    /// Debian's package of a program that is not on the search path.
    private static func package(of executable: String) -> String {
        let name = FilePath(executable).lastComponent?.string ?? executable
        return name == "xdg-permission-store" ? "xdg-desktop-portal" : name
    }

    private func wait(_ what: String, until condition: () throws -> Bool) throws {
        try CoreTesting.wait(what) {
            for process in processes + (backend.map { [$0] } ?? []) {
                if let ending = process.poll() {
                    throw Tool.Error.failed(
                        name: "a program of the desktop", ending: ending,
                        complaint: log)
                }
            }
            return try condition()
        }
    }
}
