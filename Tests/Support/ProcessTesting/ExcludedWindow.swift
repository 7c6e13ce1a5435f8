// A window that must not be seen, dragged over the screen while others open, close and are raised.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

package enum ExcludedWindow {
    package struct Recording {
        /// The number of frames.
        package var count = 0
        /// The numbers of those in which it is seen all the same.
        package var showing: [Int] = []
    }

    /// What manages the windows of a screen.
    package enum Manager: String, CaseIterable, Sendable {
        case none, picom, openbox, openboxAndPicom, xfwm4

        /// Each with the selection that it owns once it is ready.
        fileprivate var programs: [(selection: String, command: [String])] {
            let picom: (selection: String, command: [String]) = (
                "_NET_WM_CM_S0",
                [
                    "picom", "--backend", "xrender", "--config", "/dev/null", "--fading", "--fade-in-step", "0.1",
                    "--shadow",
                ]
            )
            let openbox: (selection: String, command: [String]) = ("WM_S0", ["openbox", "--sm-disable"])
            return switch self {
            case .none: []
            case .picom: [picom]
            case .openbox: [openbox]
            case .openboxAndPicom: [openbox, picom]
            // It reads its settings over the bus, and has a compositing manager of its own.
            case .xfwm4:
                [("_NET_WM_CM_S0", ["dbus-run-session", "--", "xfwm4", "--compositor=on", "--vblank=off"])]
            }
        }

        /// It puts windows into frames of its own.
        fileprivate var hasFrames: Bool { self != .none && self != .picom }
    }

    /// Records a drag.
    /// - Parameters:
    ///   - how: as for `--exclude-how`. With "beneath", a clock runs below, and stands still now and then.
    ///   - steps: moves of the window, a hundred in a second at most.
    package static func record(
        under manager: Manager = .none, how: String = "cover", steps: Int = 240
    ) throws -> Recording {
        var recording = Recording()
        try TestPlace.with { place in
            let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
            let environment = ["DISPLAY=\(screen.name)", "XDG_CONFIG_HOME=\(place.path("settings"))"]
            let painter = try Painter(display: screen.name)
            var programs: [ChildProcess] = []
            defer { for program in programs { _ = program.endGroup(deadline: 0) } }
            for (selection, command) in manager.programs {
                var options = ChildProcess.Options()
                (options.descriptors, options.newSession) = ([nil, nil, nil], true)
                options.parentDeathSignal = SIGKILL
                programs.append(
                    try ChildProcess(
                        executable: try Tool.path(of: command[0]), arguments: Array(command.dropFirst()),
                        environment: ProcessEnvironment.merging(ProcessEnvironment.current, environment),
                        options: options))
                try wait(command.joined(separator: " ")) { painter.hasOwner(selection) }
            }
            let isManaged = manager.hasFrames
            if isManaged {
                // A window without a frame would be above all others.
                painter.setBackground(painter.root, 0x20_4060)
            } else {
                _ = painter.window(PixelRect(x: 0, y: 0, width: 640, height: 480), colour: 0x20_4060)
            }
            let clock = try how == "cover" ? nil : startClock(environment, isManaged: isManaged)
            defer { _ = clock?.process.end(signal: SIGKILL, deadline: 0) }
            let take = try place.record(
                screen.name, "a.mp4", "--exclude", "title:passwords", "--exclude-how", how, "--no-cursor", "--fps",
                "60")
            // There is no such window yet.
            let isUnmatched = {
                try place.run("status", "--json").output.contains(#""unmatchedExclusions":["title:passwords"]"#)
            }
            _ = try take.event("warning") { $0.message?.contains("title:passwords") == true }
            #expect(try isUnmatched())
            func secret() -> UInt32 {
                let window = painter.window(
                    PixelRect(x: 30, y: 40, width: 150, height: 100), colour: 0xff_00ff, isShown: false,
                    isManaged: isManaged)
                painter.setTitle(window, "Passwords")
                painter.map(window)
                return window
            }
            var window = secret()
            try wait("the window to be hidden") { try !isUnmatched() }
            var others: [UInt32] = []
            for step in 0..<steps {
                painter.move(window, x: 30 + step % 240 * 2, y: 40 + abs(step % 120 - 60) * 4)
                if step % 20 == 7 {
                    others.append(
                        painter.window(
                            PixelRect(x: step % 240, y: step % 240, width: 200, height: 150), colour: 0x30_7030,
                            isManaged: isManaged))
                }
                if step % 20 == 9, let other = others.last {
                    painter.resize(other, to: PixelSize(width: 150 + step % 100, height: 120 + step % 70))
                }
                if step % 60 == 20 { clock?.process.signal(SIGSTOP) }
                if step % 60 == 50 { clock?.process.signal(SIGCONT) }
                if step % 20 == 13 { painter.raise(window) }
                if step % 20 == 17, let other = others.popLast() { painter.destroy(other) }
                if step % 60 == 59 {
                    painter.destroy(window)
                    window = secret()
                }
                usleep(10000)
            }
            painter.destroy(window)
            let frames = try take.event("progress").framesDrawn ?? 0
            _ = try take.event("progress") { $0.framesDrawn ?? 0 > frames }
            take.signal(SIGINT)
            let ended = try take.wait()
            try #require(ended.status == 0, "\(ended)")

            try ColourFrame.forEach(in: place.path("a.mp4")) { frame in
                if shows(frame) { recording.showing.append(recording.count) }
                recording.count += 1
            }
            #expect(recording.count > 1)
        }
        return recording
    }

    private static func startClock(_ environment: [String], isManaged: Bool) throws -> SceneProcess {
        try SceneProcess(
            .clock, arguments: ["--size", "320x200", "--at", "120,100"] + (isManaged ? ["--managed"] : []),
            environment: environment)
    }

    /// Whether a pixel is red and blue with hardly any green, faded to a third as well.
    private static func shows(_ frame: ColourFrame) -> Bool {
        frame.bytes.withUnsafeBufferPointer { bytes in
            stride(from: 0, to: bytes.count, by: 3).contains {
                bytes[$0] > 100 && bytes[$0 + 2] > 130 && bytes[$0 + 1] < 55
            }
        }
    }
}
