// The accessibility bus of a test's own session, as a desktop starts it: at-spi2-core's launcher, its bus and its registry.
import Glibc
import KineDesktop
import KineMeasure
import KinePlatform
import SystemPackage

/// A running launcher. It ends when the last reference goes, and with the thread that made it.
package final class AccessibilityBus {
    /// Of programs that are to be on it.
    package let environment: [String: String]

    private let process: ChildProcess
    private let directory: TemporaryDirectory
    private static let launcher = "/usr/libexec/at-spi-bus-launcher"

    /// Starts the bus and waits until programs can find it on `session`.
    package init(session: TestBus, display: String) throws {
        directory = try TemporaryDirectory()
        environment = [
            "DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": session.address, "XDG_RUNTIME_DIR": directory.path,
            "HOME": directory.path, "GSETTINGS_BACKEND": "memory", "GDK_BACKEND": "x11",
        ]
        var options = ChildProcess.Options()
        options.parentDeathSignal = SIGTERM
        process = try ChildProcess(
            executable: Self.launcher, arguments: ["--launch-immediately"],
            environment: ProcessEnvironment.current(changing: environment, removing: Self.unwanted), options: options)
        let deadline = MonotonicClock.now() + Tool.timeout
        while true {
            do {
                _ = try Tool.output(
                    "dbus-send",
                    [
                        "--bus=\(session.address)", "--print-reply", "--dest=org.a11y.Bus", "/org/a11y/bus",
                        "org.a11y.Bus.GetAddress",
                    ])
                return
            } catch {
                guard process.poll() == nil, MonotonicClock.now() < deadline else { throw error }
                usleep(20_000)
            }
        }
    }

    deinit { _ = process.end(signal: SIGTERM, deadline: MonotonicClock.now() + 5_000_000_000) }

    /// Starts a program that is on the bus. It ends with the thread that starts it.
    package func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        var options = ChildProcess.Options()
        options.parentDeathSignal = SIGKILL
        return try ChildProcess(
            executable: try Tool.path(of: program), arguments: arguments,
            environment: ProcessEnvironment.current(changing: environment, removing: Self.unwanted), options: options)
    }

    private static let unwanted: Set = ["NO_AT_BRIDGE", "GTK_MODULES", "AT_SPI_BUS_ADDRESS", "WAYLAND_DISPLAY"]
}
