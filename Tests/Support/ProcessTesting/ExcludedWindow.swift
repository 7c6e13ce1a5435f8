// A window that must not be seen, dragged over the screen while others open, close and are raised.
import Glibc
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

package enum ExcludedWindow {
    /// The numbers of the frames in which it is seen all the same.
    /// - Parameter isComposited: under picom with fading. It may paint a window that has gone for as long as the machine keeps it from
    ///   working, so this is for machines that do nothing else.
    package static func framesThatShowIt(isComposited: Bool) throws -> [Int] {
        var shown: [Int] = []
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
            func secret() -> UInt32 {
                let window = painter.window(
                    PixelRect(x: 30, y: 40, width: 150, height: 100), colour: 0xff_00ff, isShown: false)
                painter.setTitle(window, "Passwords")
                painter.map(window)
                return window
            }
            var window = secret()
            var others: [UInt32] = []
            for step in 0..<240 {
                painter.move(window, x: 30 + step * 2, y: 40 + abs(step % 120 - 60) * 4)
                if step % 20 == 7 {
                    others.append(
                        painter.window(PixelRect(x: step, y: step, width: 200, height: 150), colour: 0x30_7030))
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

            let whole = try ColourFrame.all(in: place.path("a.mp4"))
            #expect(whole.count > 1)
            shown = whole.indices.filter { number in
                let frame = whole[number]
                // Red and blue, and hardly any green; faded to a third as well.
                return stride(from: 0, to: frame.bytes.count, by: 3).contains {
                    frame.bytes[$0] > 100 && frame.bytes[$0 + 2] > 130 && frame.bytes[$0 + 1] < 55
                }
            }
        }
        return shown
    }
}
