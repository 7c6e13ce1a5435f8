// Regions that are drawn with slurp on a real compositor, by a mouse that the compositor has.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineWayland

@Suite(.serialized, .tags(.real)) struct WaylandRegionOpeningTests {
    private static let size = PixelSize(width: 320, height: 240)
    private let desktop: SwayDesktop
    private let mouse: WaylandMouse
    /// Black, and below what is shown to draw on.
    private let ground: WaylandPainter

    init() throws {
        desktop = try SwayDesktop(size: Self.size)
        mouse = try WaylandMouse(on: desktop.display, desktop: Self.size)
        ground = try WaylandPainter(PixelRect(size: Self.size), colour: 0, isGround: true, display: desktop.display)
    }

    private func opening(timeout: Int64 = WaitLimit.nanoseconds) throws -> WaylandRegionOpening {
        let display = desktop.display
        return try WaylandRegionOpening(display: display, timeout: timeout) { region throws(VideoSourceError) in
            try WaylandScreenOpening(.region(region), display: display, showsCursor: false)
        }
    }

    /// Waits until the person sees that a region can be drawn: the screen is not black any more.
    private func waitForOverlay() throws {
        try Watcher(opening: screen()).follow { $0.colour($0.size.width / 2, $0.size.height / 2) != 0 }
    }

    @Test func `the region that the mouse draws is captured, and nothing of what was shown meanwhile`() throws {
        let opening = try opening()
        #expect(opening.coversScreen)
        try waitForOverlay()
        try mouse.drag(from: (100, 50), to: (199, 129))
        let watcher = try Watcher(opening: opening)
        #expect(watcher.size == PixelSize(width: 100, height: 80))
        #expect(!opening.coversScreen)
        #expect(watcher.isAll(0, in: PixelRect(size: watcher.size)))
        try ground.fill(PixelRect(x: 100, y: 50, width: 10, height: 10), colour: 0x20_4060)
        try watcher.follow { $0.isAll(0x20_4060, in: PixelRect(x: 0, y: 0, width: 10, height: 10)) }
    }

    @Test func `on a dense and turned output, what was drawn has the output's own pixels`() throws {
        try desktop.perform("output HEADLESS-1 scale 2 transform 90")
        // 120×160 logical pixels.
        let turned = try WaylandMouse(on: desktop.display, desktop: PixelSize(width: 120, height: 160))
        let opening = try opening()
        try waitForOverlay()
        try turned.drag(from: (20, 40), to: (59, 119))
        let watcher = try Watcher(opening: opening)
        #expect(watcher.source.orientation.turned(watcher.size) == PixelSize(width: 80, height: 160))
        #expect(watcher.isAll(0, in: PixelRect(size: watcher.size)))
    }

    @Test func `less than can be recorded is drawn again`() throws {
        let opening = try opening()
        try waitForOverlay()
        let first = children()
        try mouse.drag(from: (100, 50), to: (104, 129))
        try wait("another slurp") {
            _ = try opening.processEvents()
            return !children().isEmpty && children() != first
        }
        try waitForOverlay()
        try mouse.drag(from: (100, 50), to: (199, 129))
        #expect(try Watcher(opening: opening).size == PixelSize(width: 100, height: 80))
    }

    @Test func `who draws nothing is not waited for`() throws {
        #expect(throws: VideoSourceError.regionNotDrawn) { try Watcher(opening: opening(timeout: 1_000_000)) }
        #expect(children().isEmpty)
    }

    @Test func `giving up takes everything away that was shown`() throws {
        let opening = try opening()
        try waitForOverlay()
        opening.giveUp()
        #expect(children().isEmpty)
        #expect(opening.coversScreen, "the screen repaints")
        #expect(throws: VideoSourceError.regionCancelled) { try Watcher(opening: opening) }
        #expect(try Watcher(opening: screen()).colour(160, 120) == 0)
    }

    @Test func `an opening that is released leaves no process`() throws {
        var opening: WaylandRegionOpening? = try opening()
        #expect(children().count == 1)
        opening = nil
        #expect(opening == nil && children().isEmpty)
    }

    @Test func `a compositor that goes away is not taken for the person's answer`() throws {
        let opening = try opening()
        try waitForOverlay()
        desktop.end()
        #expect(throws: VideoSourceError.noCompositor(display: desktop.display)) { try Watcher(opening: opening) }
    }

    @Test(
        arguments: [
            (.exited(status: 0), "10 20 64 48", nil, .drawn(PixelRect(x: 10, y: 20, width: 64, height: 48))),
            (.exited(status: 0), "-10 20 64 48", nil, .drawn(PixelRect(x: -10, y: 20, width: 64, height: 48))),
            (.exited(status: 0), "10 20 64 15", nil, .tooSmall),
            (.exited(status: 0), "10 20 64", nil, .failed("10 20 64")),
            (.exited(status: 0), "10 20 64 99999999999", nil, .failed("10 20 64 99999999999")),
            (.exited(status: 1), nil, "selection cancelled", .cancelled),
            (.exited(status: 1), nil, "no layer shell", .failed("no layer shell")),
            (.killed(signal: SIGSEGV), "10 20 64 48", nil, .failed("")),
        ] as [(ChildProcess.Ending, String?, String?, RegionProgram.Outcome)])
    func `what slurp says is read strictly`(
        ending: ChildProcess.Ending, output: String?, complaint: String?, outcome: RegionProgram.Outcome
    ) {
        #expect(RegionProgram.outcome(ending, output: output, complaint: complaint) == outcome)
    }

    private func screen() throws -> WaylandScreenOpening {
        try WaylandScreenOpening(.desktop, display: desktop.display, showsCursor: false)
    }

    /// The slurps that this process has started and not waited for.
    private func children() -> [Int32] {
        ProcFiles.children(of: getpid()).filter { ProcFiles.name(of: $0) == "slurp" }
    }
}
