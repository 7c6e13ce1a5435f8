// The program kinecast-capture-compositor: a Wayland compositor that lets its outputs be captured by ext-image-copy-capture.
import KineMeasure
import KineMedia
import KinePlatform

/// A running compositor. It ends when the last reference goes, and with the thread that made it.
package final class CaptureCompositor {
    /// What clients have done with an output.
    package struct Counts: Equatable {
        package var sessions = 0
        package var captures = 0
        package var ready = 0
        /// What the client of the last capture has said that its buffer misses.
        package var missing: [PixelRect] = []
    }

    /// The compositor's socket, an absolute path; WAYLAND_DISPLAY.
    package var display: String { directory.file("kinecast") }
    /// What the session's programs have in their environment.
    package var environment: [String] { ["DISPLAY=", "WAYLAND_DISPLAY=\(display)", "XDG_SESSION_TYPE=wayland"] }

    private let process: CommandedProcess
    private let directory: TemporaryDirectory

    /// Starts a compositor and waits until it takes connections. Its output DP-1 has that size and is black.
    package init(size: PixelSize) throws {
        directory = try TemporaryDirectory()
        process = try CommandedProcess(
            "kinecast-capture-compositor", ["kinecast"],
            environment: ProcessEnvironment.current(changing: ["XDG_RUNTIME_DIR": directory.path]))
        try process.lines(until: "ready")
        try send("output DP-1 \(size.width) \(size.height) 0 0")
    }

    /// Ends the compositor as a crash would, and waits for it.
    package func end() { process.end() }

    /// Sends a command and waits for its end; Tests/Support/CaptureCompositor/main.c has them all. Returns what it says.
    @discardableResult
    package func send(_ command: String) throws -> [String] {
        try process.begin(command)
        return Array(try process.lines(until: "done").dropLast())
    }

    package func paint(_ rect: PixelRect, _ colour: UInt32, on output: String = "DP-1") throws {
        try send("paint \(output) \(rect.x) \(rect.y) \(rect.width) \(rect.height) \(String(colour, radix: 16))")
    }

    package func counts(of output: String = "DP-1") throws -> Counts {
        let words = try send("count \(output)").first?.split(separator: " ") ?? []
        func number(after name: Substring) -> Int { words.firstIndex(of: name).flatMap { Int(words[$0 + 1]) } ?? -1 }
        var counts = Counts(
            sessions: number(after: "sessions"), captures: number(after: "captures"), ready: number(after: "ready"))
        if words.last != "missing" {
            counts.missing = (words.last ?? "").split(separator: ";").map { text in
                let numbers = text.split(separator: ",").compactMap { Int($0) }
                return PixelRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
            }
        }
        return counts
    }
}
