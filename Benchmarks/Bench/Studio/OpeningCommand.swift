// How long a person waits from the start of a recorder until it can record.
import ArgumentParser
import CXCB
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineX11

struct OpeningCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "opening", abstract: "Measures how soon after its start the window can record, beside OBS.",
        discussion: """
            A private X server of 1366×768 with openbox, and a home directory of the recorder's own, which is new at the first start. \
            Kinecast's window in Chromium counts once its red button is drawn, enabled; OBS's once the lower right corner, where its \
            buttons are, is drawn. The wizard that OBS opens at its first start is not counted.
            """)

    @Option(help: "Rounds; in each, both start twice.")
    var runs = 5

    func validate() throws { try check(runs: runs, seconds: 1) }

    private enum Recorder: String, CaseIterable {
        case kinecast = "Kinecast"
        case obs = "OBS"
    }

    func run() throws {
        var times: [Recorder: (first: [Double], later: [Double])] = [:]
        for round in 0..<runs {
            for recorder in round % 2 == 0 ? Recorder.allCases : Recorder.allCases.reversed() {
                say("opening, round \(round + 1) of \(runs): \(recorder.rawValue)")
                let home = try TemporaryDirectory()
                let first = try open(recorder, home)
                let later = try open(recorder, home)
                times[recorder, default: ([], [])].first.append(first)
                times[recorder, default: ([], [])].later.append(later)
            }
        }
        print(Machine.description(["chromium", "obs-studio", "openbox", "xvfb"]))
        func cell(_ seconds: [Double]) -> String { "\(fixed(median(seconds), 2)) (\(spread(seconds, 2)))" }
        let rows = Recorder.allCases.map { recorder in
            let (first, later) = times[recorder] ?? ([], [])
            return [recorder.rawValue, cell(first), cell(later)]
        }
        print("\n" + Tables.table("recorder | >s, first start, median (range) | >s, later", rows))
    }

    /// Seconds from a recorder's start until it can record.
    private func open(_ recorder: Recorder, _ home: TemporaryDirectory) throws -> Double {
        // The recorder's remaining processes end with the server. Nothing here has its cookie.
        let display = try PrivateDisplay(size: PixelSize(width: 1366, height: 768), options: ["-ac"])
        defer { display.end() }
        let environment = ProcessEnvironment.merging(
            ProcessEnvironment.secluded(in: home), display.environment + ["HOME=\(home.path)", "QT_QPA_PLATFORM=xcb"])
        let manager = try HeldProcess(
            "openbox", at: Tool.path(of: "openbox"), ["--sm-disable"], environment: environment)
        defer { manager.kill() }
        let eye = try ScreenEye(display.name)
        try see("openbox") { eye.hasManager }
        let begin = MonotonicClock.now()
        let program =
            switch recorder {
            case .kinecast:
                try HeldProcess(
                    "kinecast", ["studio"], environment: environment + ["BROWSER=\(try Self.browser(in: home))"])
            case .obs:
                try HeldProcess("obs", at: Tool.path(of: "obs"), ["--multi"], environment: environment)
            }
        try see(recorder.rawValue) {
            switch recorder {
            case .kinecast: eye.window(titled: "Kinecast").map { eye.hasRedButton(in: $0) } ?? false
            case .obs: eye.window(titled: "OBS").map { eye.hasDrawn(cornerOf: $0) } ?? false
            }
        }
        let seconds = Double(MonotonicClock.now() - begin) / 1e9
        program.process.signal(SIGTERM)
        _ = try? program.finish(deadline: deadline(in: 10))
        return seconds
    }

    /// Chromium runs as root only without its sandbox.
    private static func browser(in home: TemporaryDirectory) throws -> String {
        let file = home.file("chromium")
        let script =
            "#!/bin/sh\nexec '\(try Tool.path(of: "chromium"))' --no-sandbox --disable-gpu --no-first-run \"$@\"\n"
        try Tool.write(script.utf8, to: file)
        chmod(file, 0o700)
        return file
    }

    private func see(_ what: String, _ condition: () throws -> Bool) throws {
        let end = deadline(in: 60)
        while try !condition() {
            guard MonotonicClock.now() < end else {
                throw Tool.Error.failed(name: what, ending: .unknown, complaint: "Its window never came.")
            }
            FrameRhythm.sleep(until: deadline(in: 0.02))
        }
    }
}

/// Looks at an X screen as a person does. Used by one thread.
private final class ScreenEye {
    /// The page's --live in light colours, and the corner of a window that has its red button: pixels, and how many of them are red.
    private static let red: UInt32 = 0xc62a2f
    private static let corner = (width: 260, height: 110, pixels: 1500)

    private let display: String
    private let connection: OpaquePointer
    private let root: UInt32

    init(_ display: String) throws {
        self.display = display
        guard let connection = xcb_connect(display, nil), xcb_connection_has_error(connection) == 0,
            let setup = xcb_get_setup(connection), let screen = xcb_setup_roots_iterator(setup).data
        else { throw Tool.Error.failed(name: "Xvfb", ending: .unknown, complaint: "It takes no connection.") }
        self.connection = connection
        root = screen.pointee.root
    }

    deinit { xcb_disconnect(connection) }

    /// Whether a window manager has claimed the screen's events.
    var hasManager: Bool {
        let reply = xcb_get_window_attributes_reply(connection, xcb_get_window_attributes(connection, root), nil)
        defer { free(reply) }
        return reply.map { $0.pointee.all_event_masks & XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT.rawValue != 0 } ?? false
    }

    /// The place of the first shown window whose title begins with `title`; nil: there is none.
    func window(titled title: String) -> PixelRect? {
        (try? X11Inventory(display: display))?.windows.first { $0.title.hasPrefix(title) }?.bounds
    }

    func hasRedButton(in window: PixelRect) -> Bool {
        corner(of: window).count(where: { $0 == Self.red }) > Self.corner.pixels
    }

    /// Whether there is more than a ground and a frame in that corner.
    func hasDrawn(cornerOf window: PixelRect) -> Bool { Set(corner(of: window)).count > 8 }

    /// The pixels of a window's lower right corner, as 0xRRGGBB; empty while they cannot be read.
    private func corner(of window: PixelRect) -> [UInt32] {
        let (width, height) = (min(Self.corner.width, window.width), min(Self.corner.height, window.height))
        let cookie = xcb_get_image(
            connection, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), root, Int16(window.x + window.width - width),
            Int16(window.y + window.height - height), UInt16(width), UInt16(height), .max)
        let reply = xcb_get_image_reply(connection, cookie, nil)
        defer { free(reply) }
        guard let reply, let bytes = xcb_get_image_data(reply) else { return [] }
        return bytes.withMemoryRebound(to: UInt32.self, capacity: width * height) { pixels in
            (0..<width * height).map { pixels[$0] & 0xff_ffff }
        }
    }
}
