// A desktop of the test's own that asks before it shows its screen, as people have them: the compositor draws in memory, without a GPU, a
// seat or a login, and its portal shows its real dialog. Only scripts/endurance installs what this needs.
import CoreTesting
import Glibc
import KineDesktop
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage

/// A running compositor with a bus, PipeWire, a session manager and a portal. All of it ends with the last reference.
package final class PortalDesktop {
    package enum Kind: Sendable, CaseIterable {
        /// GNOME's compositor without its shell: monitors can be cast.
        case mutter
        /// All of GNOME's: windows can be cast as well.
        case gnomeShell
        /// KDE's compositor, which casts windows alone where it draws in memory.
        case kwin

        fileprivate var isGNOME: Bool { self != .kwin }
    }

    package let bus: TestBus
    /// The compositor's socket, an absolute path; WAYLAND_DISPLAY.
    package let display: String
    /// Of the monitor.
    package let size: PixelSize

    private let directory: TemporaryDirectory
    private let desktopName: String
    private var processes: [ChildProcess] = []

    /// What the session's programs have in their environment.
    package var environment: [String] {
        [
            "DISPLAY=", "WAYLAND_DISPLAY=\(display)", "XDG_SESSION_TYPE=wayland",
            "DBUS_SESSION_BUS_ADDRESS=\(bus.address)",
        ]
    }

    /// Starts a desktop with one monitor and waits until its portal takes requests.
    package init(_ kind: Kind, size: PixelSize = PixelSize(width: 1280, height: 720)) throws {
        self.size = size
        bus = try TestBus()
        directory = try TemporaryDirectory()
        display = directory.file("wayland-0")
        desktopName = kind.isGNOME ? "GNOME" : "KDE"
        do {
            try start("pipewire")
            try wait("PipeWire") { access(directory.file("pipewire-0"), F_OK) == 0 }
            try start("wireplumber")
            try startCompositor(kind, size)
            try wait("the compositor") { access(display, F_OK) == 0 }
            let client = try BusClient(bus)
            for (program, name) in Self.services(of: kind) {
                try start(program)
                try wait(name) { try client.hasOwner(name) }
            }
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    /// Ends everything as a crash would.
    package func end() {
        for process in processes.reversed() { _ = process.end(signal: SIGKILL, deadline: 0) }
        processes = []
    }

    private func startCompositor(_ kind: Kind, _ size: PixelSize) throws {
        let monitor = ["--virtual-monitor", "\(size.width)x\(size.height)"]
        let gnome = ["--headless", "--wayland", "--no-x11", "--wayland-display", "wayland-0"] + monitor
        switch kind {
        case .mutter: try start("mutter", gnome)
        case .gnomeShell: try start("gnome-shell", gnome)
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
                    "--no-global-shortcuts", "--socket", "wayland-0",
                ])
        }
    }

    /// Programs in the order in which they need each other, and the names they take.
    private static func services(of kind: Kind) -> [(program: String, name: String)] {
        let backend =
            kind.isGNOME
            ? ("/usr/libexec/xdg-desktop-portal-gnome", "org.freedesktop.impl.portal.desktop.gnome")
            : (
                "/usr/lib/\(machine)-linux-gnu/libexec/xdg-desktop-portal-kde",
                "org.freedesktop.impl.portal.desktop.kde"
            )
        return [
            ("/usr/libexec/xdg-permission-store", "org.freedesktop.impl.portal.PermissionStore"), backend,
            ("/usr/libexec/xdg-desktop-portal", "org.freedesktop.portal.Desktop"),
        ]
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

    private func start(_ program: String, _ arguments: [String] = []) throws {
        let log = try FileDescriptor.open(
            directory.file("log"), .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
        defer { try? log.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, log, log]
        options.parentDeathSignal = SIGTERM
        options.newSession = true
        let path = directory.path
        processes.append(
            try ChildProcess(
                executable: try Tool.path(of: program), arguments: arguments,
                environment: ProcessEnvironment.current(
                    changing: [
                        "XDG_RUNTIME_DIR": path, "XDG_CONFIG_HOME": path, "XDG_DATA_HOME": path,
                        "XDG_STATE_HOME": path, "XDG_CACHE_HOME": path, "HOME": path, "WAYLAND_DISPLAY": "wayland-0",
                        "DBUS_SESSION_BUS_ADDRESS": bus.address, "DBUS_SYSTEM_BUS_ADDRESS": bus.address,
                        "XDG_CURRENT_DESKTOP": desktopName,
                        "XDG_SESSION_TYPE": "wayland", "GSETTINGS_BACKEND": "memory", "GTK_A11Y": "none",
                        "LIBGL_ALWAYS_SOFTWARE": "1", "LIBSEAT_BACKEND": "noop", "KDE_FULL_SESSION": "true",
                        "QT_QPA_PLATFORM": "wayland", "KWIN_COMPOSE": "O2",
                        "KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1", "LC_ALL": "C.UTF-8",
                    ], removing: ["DISPLAY", "PULSE_SERVER", "PIPEWIRE_RUNTIME_DIR"]),
                options: options))
    }

    private func wait(_ what: String, until condition: () throws -> Bool) throws {
        try CoreTesting.wait(what) {
            for process in processes {
                if let ending = process.poll() {
                    throw Tool.Error.failed(
                        name: "a program of the desktop", ending: ending,
                        complaint: ProcFiles.read(directory.file("log")))
                }
            }
            return try condition()
        }
    }
}
