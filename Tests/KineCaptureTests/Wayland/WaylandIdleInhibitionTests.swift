// A compositor's idle time, as swayidle follows it.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineWayland

@Suite(.tags(.real)) struct WaylandIdleInhibitionTests {
    @Test func `swayidle counts no session as idle that is kept from it`() throws {
        let desktop = try SwayDesktop(size: PixelSize(width: 64, height: 64))
        let directory = try TemporaryDirectory()
        let log = directory.file("log")
        let display = desktop.display
        var inhibition: WaylandIdleInhibition? = WaylandIdleInhibition { display }
        try wait("the request") { inhibition?.isAsked.withLock { $0 } == true }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil]
        let swayidle = try ChildProcess(
            executable: try Tool.path(of: "swayidle"),
            arguments: ["-w", "timeout", "1", "echo idle >>'\(log)'"],
            environment: ProcessEnvironment.merging(
                ProcessEnvironment.current, ["WAYLAND_DISPLAY=\(desktop.display)", "XDG_RUNTIME_DIR=\(directory.path)"]),
            options: options)
        defer { _ = swayidle.end(deadline: MonotonicClock.now() + 5_000_000_000) }
        // Twice swayidle's time.
        _ = WakeSignal.poll([], until: MonotonicClock.now() + 2_000_000_000)
        #expect(ProcFiles.read(log).isEmpty && swayidle.poll() == nil)
        withExtendedLifetime(inhibition) {}
        inhibition = nil
        try wait("an idle session") { ProcFiles.read(log) == "idle\n" }
    }
}
