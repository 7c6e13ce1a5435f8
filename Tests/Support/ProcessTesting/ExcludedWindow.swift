// A window that must not be seen, dragged over the screen while others open, close and are raised.
import CoreTesting
import Glibc
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

    /// Records a drag.
    /// - Parameters:
    ///   - isComposited: under picom with fading.
    ///   - steps: moves of the window, a hundred in a second at most.
    package static func record(isComposited: Bool, steps: Int = 240) throws -> Recording {
        var recording = Recording()
        try TestPlace.with { place in
            let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
            let compositor =
                isComposited
                ? try ChildProcess(
                    executable: "/usr/bin/picom",
                    arguments: [
                        "--backend", "xrender", "--config", "/dev/null", "--fading", "--fade-in-step", "0.1",
                    ], environment: ["DISPLAY=\(screen.name)"]) : nil
            defer {
                compositor?.signal(SIGKILL)
                _ = compositor?.wait()
            }
            let painter = try Painter(display: screen.name)
            _ = painter.window(PixelRect(x: 0, y: 0, width: 640, height: 480), colour: 0x20_4060)
            let take = try place.record(
                screen.name, "a.mp4", "--exclude", "title:passwords", "--no-cursor", "--fps", "60")
            // There is no such window yet.
            let isUnmatched = {
                try place.run("status", "--json").output.contains(#""unmatchedExclusions":["title:passwords"]"#)
            }
            _ = try take.event("warning") { $0.message?.contains("title:passwords") == true }
            #expect(try isUnmatched())
            func secret() -> UInt32 {
                let window = painter.window(
                    PixelRect(x: 30, y: 40, width: 150, height: 100), colour: 0xff_00ff, isShown: false)
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
                            PixelRect(x: step % 240, y: step % 240, width: 200, height: 150), colour: 0x30_7030))
                }
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

    /// Whether a pixel is red and blue with hardly any green, faded to a third as well.
    private static func shows(_ frame: ColourFrame) -> Bool {
        frame.bytes.withUnsafeBufferPointer { bytes in
            stride(from: 0, to: bytes.count, by: 3).contains {
                bytes[$0] > 100 && bytes[$0 + 2] > 130 && bytes[$0 + 1] < 55
            }
        }
    }
}
