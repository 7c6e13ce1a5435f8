// The whole screen, regions and monitors of a real X server.
import CoreTesting
import Glibc
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineX11

@Suite(.serialized, .tags(.real)) struct X11ScreenSourceTests {
    static let size = PixelSize(width: 320, height: 240)

    /// A screen with a window over all of it, and a painter for it.
    private func fixture(_ size: PixelSize = size) throws -> (screen: PrivateScreen, painter: Painter, window: UInt32) {
        let screen = try PrivateScreen(size: size)
        let painter = try Painter(display: screen.name)
        return (screen, painter, painter.window(PixelRect(size: size), colour: 0x20_4060))
    }

    @Test func `the whole screen is read once, then only the tiles that were painted`() throws {
        let (screen, painter, window) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name)
        #expect(watcher.isAll(0x20_4060, in: PixelRect(size: Self.size)))
        try watcher.settle()
        let painted = PixelRect(x: 37, y: 100, width: 20, height: 3)
        painter.fill(window, painted, 0xff_0000)
        let damage = try watcher.follow { $0.colour(40, 101) == 0xff_0000 }
        #expect(damage == DamageRegion.tiles([painted]))
        #expect(watcher.isAll(0xff_0000, in: painted))
        #expect(watcher.isAll(0x20_4060, in: PixelRect(x: 0, y: 0, width: 320, height: 100)))
    }

    @Test func `a screen on which nothing happens is not read`() throws {
        let (screen, painter, _) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, cursor: true)
        try watcher.settle()
        let reads = watcher.reads
        painter.finish()
        #expect(
            try watcher.wait(until: MonotonicClock.now() + 300_000_000) == .deadline)
        #expect(try watcher.look().isEmpty)
        #expect(watcher.reads == reads)
    }

    @Test func `an event that came with the answer to another question is not slept over`() throws {
        let (screen, painter, window) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name)
        try watcher.settle()
        painter.fill(window, PixelRect(x: 37, y: 100, width: 20, height: 3), 0xff_0000)
        painter.finish()
        // The event is before the pixels in the socket, so it is read with them, and the socket has nothing more to tell.
        _ = try watcher.source.read(.tiles([PixelRect(x: 0, y: 0, width: 1, height: 1)])) { _ in }
        let timeout = WaitLimit.deadline()
        #expect(try watcher.wait(until: timeout) == .changed)
    }

    @Test func `a region has the pixels of its place, and is not woken for paint beside it`() throws {
        let (screen, painter, window) = try fixture()
        painter.fill(window, PixelRect(x: 51, y: 33, width: 1, height: 1), 0x00_ff00)
        painter.fill(window, PixelRect(x: 51 + 100, y: 33 + 76, width: 1, height: 1), 0x00_00ff)
        let region = PixelRect(x: 51, y: 33, width: 101, height: 77)
        let watcher = try Watcher(.region(region), on: screen.name)
        #expect(watcher.size == region.size)
        #expect(watcher.colour(0, 0) == 0x00_ff00)
        #expect(watcher.colour(100, 76) == 0x00_00ff)
        try watcher.settle()
        painter.fill(window, PixelRect(x: 200, y: 10, width: 100, height: 200), 0xff_ffff)
        painter.fill(window, PixelRect(x: 60, y: 40, width: 4, height: 4), 0x12_3456)
        let damage = try watcher.follow { $0.colour(9, 7) == 0x12_3456 }
        #expect(damage == DamageRegion.tiles([PixelRect(x: 9, y: 7, width: 4, height: 4)], of: region.size))
    }

    @Test func `a region is cut at the screen's edge, and refused beyond it`() throws {
        let (screen, _, _) = try fixture()
        let watcher = try Watcher(.region(PixelRect(x: 300, y: 200, width: 100, height: 100)), on: screen.name)
        #expect(watcher.size == PixelSize(width: 20, height: 40))
        let outside = PixelRect(x: 320, y: 0, width: 10, height: 10)
        #expect(throws: VideoSourceError.outsideScreen(outside, screen: Self.size)) {
            try Watcher(.region(outside), on: screen.name)
        }
    }

    @Test func `a monitor is found by its name in any case, and an unknown one told with those there are`() throws {
        let (screen, _, _) = try fixture()
        let monitor = try #require(try X11Inventory(display: screen.name).monitors.first)
        #expect(monitor.bounds == PixelRect(size: Self.size))
        let watcher = try Watcher(.screen(monitor: monitor.name.uppercased()), on: screen.name)
        #expect(watcher.size == Self.size)
        #expect(throws: VideoSourceError.noMonitor("HDMI-9", existing: [monitor.name])) {
            try Watcher(.screen(monitor: "HDMI-9"), on: screen.name)
        }
    }

    @Test func `a window in a window manager's frame is where it is on the screen`() throws {
        let screen = try PrivateScreen(size: Self.size)
        let painter = try Painter(display: screen.name)
        let frame = painter.window(PixelRect(x: 51, y: 80, width: 82, height: 71), colour: 0)
        let window = painter.window(PixelRect(x: 0, y: 0, width: 80, height: 50), colour: 0x20_4060)
        painter.reparent(window, into: frame, x: 1, y: 20)
        painter.setClientList([window])
        let bounds = try X11Inventory(display: screen.name).windows.map(\.bounds)
        #expect(bounds == [PixelRect(x: 52, y: 100, width: 80, height: 50)])
    }

    /// Stops the server, so that it seems to hang: its socket accepts requests, and nothing answers them.
    @Test func `a server that no longer answers is left when that is asked for`() throws {
        let (screen, _, _) = try fixture()
        let cancellation = Cancellation()
        let source = try X11ScreenSource(
            target: .screen(monitor: nil), reportsPointer: true, display: screen.name, cancellation: cancellation)
        var damage = DamageRegion(size: Self.size)
        try source.addDamage(to: &damage)
        try StrangerProcess.stop(screen.process.pid)
        let canceller = DedicatedThread(name: "canceller") { cancellation.cancel() }
        // The request ends, whether it was already waiting or comes afterwards.
        #expect(throws: VideoSourceError.self) {
            _ = try source.read(.full(size: Self.size)) { _ in }
            _ = try source.read(.full(size: Self.size)) { _ in }
        }
        canceller.join()
        #expect(throws: VideoSourceError.self) {
            _ = try source.processEvents()
        }
    }

    @Test func `a source that is opened after it was given up throws`() throws {
        let (screen, _, _) = try fixture()
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect(throws: VideoSourceError.self) {
            _ = try X11ScreenSource(
                target: .screen(monitor: nil), reportsPointer: true, display: screen.name, cancellation: cancellation)
        }
    }

    @Test func `shown windows are listed with their places, hidden ones are not`() throws {
        let (screen, painter, window) = try fixture()
        let hidden = painter.window(PixelRect(x: 5, y: 6, width: 70, height: 80), colour: 0)
        painter.unmap(hidden)
        let inventory = try X11Inventory(display: screen.name)
        #expect(inventory.screen == Self.size)
        #expect(inventory.windows.map(\.id) == [window])
        #expect(inventory.windows.first?.bounds == PixelRect(size: Self.size))
        #expect(inventory.hasSharedMemory && inventory.screenProblem == nil)
    }

    @Test func `many scattered changes are all read`() throws {
        let (screen, painter, window) = try fixture(PixelSize(width: 800, height: 600))
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name)
        try watcher.settle()
        var places: [PixelRect] = []
        for row in 0..<9 {
            for column in 0..<12 { places.append(PixelRect(x: column * 64 + 5, y: row * 64 + 7, width: 9, height: 9)) }
        }
        for place in places { painter.fill(window, place, 0xab_cdef) }
        try watcher.follow { watcher in places.allSatisfy { watcher.isAll(0xab_cdef, in: $0) } }
    }

    @Test func `a large screen that is painted all the time is read in strips of one instant`() throws {
        let size = PixelSize(width: 1280, height: 1024)
        let (screen, _, _) = try fixture(size)
        let source = try X11ScreenSource(target: .screen(monitor: nil), reportsPointer: false, display: screen.name)
        let name = screen.name
        let ending = Cancellation()
        let thread = DedicatedThread(name: "painter") {
            guard let painter = try? Painter(display: name) else { return }
            let window = painter.window(PixelRect(size: size), colour: 0)
            var colour: UInt32 = 0
            while !ending.isCancelled {
                colour = (colour + 1) & 0xff_ffff
                painter.fill(window, PixelRect(size: size), colour)
            }
        }
        var colours: Set<UInt32> = []
        var parts = 0
        while colours.count < 50 {
            var seen: Set<UInt32> = []
            parts = 0
            let isComplete = try source.read(.full(size: size)) { part in
                parts += 1
                for y in Swift.stride(from: 0, to: part.rect.height, by: 4) {
                    seen.insert((part.pixels + y * part.stride).load(as: UInt32.self) & 0xff_ffff)
                }
            }
            #expect(isComplete && seen.count == 1)
            colours.formUnion(seen)
        }
        #expect(parts > 1)
        ending.cancel()
        thread.join()
    }

    @Test func `nothing is handed on of a large screen that has become too small to be read`() throws {
        let size = PixelSize(width: 1280, height: 1024)
        let (screen, painter, _) = try fixture(size)
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name)
        try painter.setScreenSize(PixelSize(width: 1280, height: 900))
        var parts = 0
        let isComplete = try watcher.source.read(.full(size: size)) { _ in parts += 1 }
        #expect(!isComplete && parts == 0)
    }

    @Test func `a screen that changes its size is followed, and all of it is damage`() throws {
        let (screen, painter, window) = try fixture(PixelSize(width: 640, height: 480))
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name)
        for size in [PixelSize(width: 400, height: 302), PixelSize(width: 640, height: 480)] {
            try painter.setScreenSize(size)
            let damage = try watcher.follow { $0.size == size }
            #expect(damage.isFull)
            painter.fill(window, PixelRect(size: size), 0x44_8800)
            try watcher.follow { $0.isAll(0x44_8800, in: PixelRect(size: size)) }
        }
    }

    @Test(arguments: [false, true])
    func `a monitor that comes back elsewhere is followed, and its last picture stays until then`(hasExclusions: Bool)
        throws
    {
        let (screen, painter, window) = try fixture(PixelSize(width: 640, height: 480))
        let colours: [UInt32] = [0x44_8800, 0x88_0044]
        painter.fill(window, PixelRect(x: 0, y: 0, width: 320, height: 480), colours[0])
        painter.fill(window, PixelRect(x: 320, y: 0, width: 320, height: 480), colours[1])
        let size = PixelSize(width: 300, height: 200)
        try screen.setMonitor("Left", PixelRect(origin: (10, 20), size: size))
        let watcher = try Watcher(
            .screen(monitor: "left"), on: screen.name, excluding: hasExclusions ? [.titled("none")] : [])
        #expect(watcher.size == size && watcher.isAll(colours[0], in: PixelRect(size: size)))
        try screen.deleteMonitor("Left")
        try watcher.settle()
        #expect(watcher.size == size && watcher.isAll(colours[0], in: PixelRect(size: size)))
        #expect(watcher.source.interruption == SourceInterruption(.monitorGone, monitor: "Left"))
        let larger = PixelSize(width: 300, height: 400)
        try screen.setMonitor("Left", PixelRect(origin: (330, 30), size: larger))
        try watcher.follow { $0.size == larger && $0.isAll(colours[1], in: PixelRect(size: larger)) }
        #expect(watcher.source.interruption == nil)
    }

    @Test func `a monitor at the same place under a new name is the recorded one`() throws {
        let (screen, painter, window) = try fixture(PixelSize(width: 640, height: 480))
        let place = PixelRect(x: 10, y: 20, width: 300, height: 200)
        try screen.setMonitor("Dock", place)
        let watcher = try Watcher(.screen(monitor: "Dock"), on: screen.name)
        try screen.deleteMonitor("Dock")
        try watcher.settle()
        #expect(watcher.source.interruption?.monitor == "Dock")
        painter.fill(window, PixelRect(x: 0, y: 0, width: 640, height: 480), 0x44_8800)
        try screen.setMonitor("Cable", place)
        try watcher.follow { $0.isAll(0x44_8800, in: PixelRect(size: place.size)) }
        #expect(watcher.source.interruption == nil)
        try screen.deleteMonitor("Cable")
        try watcher.settle()
        #expect(watcher.source.interruption?.monitor == "Cable")
    }

    @Test func `a region beyond the edge of a smaller screen is missing until the screen is larger again`() throws {
        let (screen, painter, _) = try fixture(PixelSize(width: 640, height: 480))
        let watcher = try Watcher(.region(PixelRect(x: 500, y: 100, width: 100, height: 100)), on: screen.name)
        try painter.setScreenSize(PixelSize(width: 400, height: 302))
        try watcher.settle()
        #expect(watcher.source.interruption == SourceInterruption(.regionGone))
        try painter.setScreenSize(PixelSize(width: 640, height: 480))
        try watcher.settle()
        #expect(watcher.source.interruption == nil)
    }

    @Test func `a server that dies is a loss, whatever the source is doing`() throws {
        let (screen, _, _) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, cursor: true)
        let reading = try Watcher(.screen(monitor: nil), on: screen.name)
        try watcher.settle()
        screen.end()
        #expect(throws: VideoSourceError.serverLost) {
            // Earlier events may come first.
            while try watcher.wait(until: WaitLimit.deadline())
                == .changed
            {
                try watcher.look()
            }
        }
        #expect(throws: VideoSourceError.serverLost) { _ = try reading.source.read(.full(size: Self.size)) { _ in } }
    }

    @Test func `a display that does not answer is an error that names it`() {
        #expect(throws: VideoSourceError.noConnection(display: ":64001", code: 1)) {
            try X11ScreenSource(target: .screen(monitor: nil), reportsPointer: true, display: ":64001")
        }
    }

    @Test func `a screen of 16 bits is refused with its depth, and its windows are listed`() throws {
        let screen = try PrivateScreen(size: Self.size, depth: 16)
        let painter = try Painter(display: screen.name)
        let window = painter.window(PixelRect(size: Self.size), colour: 0)
        let refusal = VideoSourceError.unsupportedDepth(bits: 16, display: screen.name)
        for target in [X11ScreenSource.Target.screen(monitor: nil), .application("any", monitor: nil)] {
            #expect(throws: refusal) {
                try X11ScreenSource(target: target, reportsPointer: true, display: screen.name)
            }
        }
        #expect(throws: refusal) {
            try X11RegionOpening(display: screen.name) { _ throws(VideoSourceError) in throw .regionCancelled }
        }
        let inventory = try X11Inventory(display: screen.name)
        #expect(inventory.screenProblem == refusal && inventory.windows.map(\.id) == [window])
    }

    @Test func `a screen of 30 bits is converted, with the pointer and without what is hidden`() throws {
        let screen = try PrivateScreen(size: Self.size, depth: 30)
        let painter = try Painter(display: screen.name)
        _ = painter.window(PixelRect(size: Self.size), colour: 0x3ff0_0000 | 0x201 << 10 | 0x100)
        let secret = painter.window(PixelRect(x: 40, y: 40, width: 30, height: 20), colour: 0)
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.id(secret)])
        #expect(watcher.isAll(0xff_8040, in: PixelRect(x: 0, y: 0, width: 40, height: Self.size.height)))
        #expect(watcher.isAll(0x28_2828, in: PixelRect(x: 40, y: 40, width: 30, height: 20)))
        // In strips, too.
        let large = try PrivateScreen(size: PixelSize(width: 1280, height: 1024), depth: 30)
        let other = try Painter(display: large.name)
        _ = other.window(PixelRect(x: 0, y: 0, width: 1280, height: 1024), colour: 0x3ff0_0000 | 0x201 << 10 | 0x100)
        #expect(
            try Watcher(.screen(monitor: nil), on: large.name)
                .isAll(0xff_8040, in: PixelRect(x: 0, y: 0, width: 1280, height: 1024)))
    }

    @Test(arguments: [["DAMAGE"], ["XFIXES"], ["DAMAGE", "XFIXES", "RANDR"]])
    func `a server that reports no changes is read whole, and what it lacks is said`(extensions: [String]) throws {
        let screen = try PrivateScreen(size: Self.size, options: extensions.flatMap { ["-extension", $0] })
        // First, since an Xvfb without XFIXES ends when one of several clients goes.
        for target in [X11ScreenSource.Target.application("any", monitor: nil), .screen(monitor: nil)] {
            let isApplication = target != .screen(monitor: nil)
            let feature = isApplication ? "recording an application" : "hiding windows"
            #expect(throws: VideoSourceError.missingExtensions(display: screen.name, feature: feature)) {
                try X11ScreenSource(
                    target: target, reportsPointer: false, excluding: isApplication ? [] : [.titled("none")],
                    display: screen.name)
            }
        }
        if extensions.contains("RANDR") {
            #expect(throws: VideoSourceError.noMonitors(display: screen.name)) {
                try X11ScreenSource(target: .screen(monitor: "any"), reportsPointer: false, display: screen.name)
            }
        }
        let painter = try Painter(display: screen.name)
        let window = painter.window(PixelRect(size: Self.size), colour: 0x20_4060)
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, cursor: true)
        let shortcoming = try #require((watcher.source as? X11ScreenSource)?.shortcoming)
        #expect(extensions.allSatisfy(shortcoming.contains), "\(shortcoming)")
        #expect(watcher.isAll(0x20_4060, in: PixelRect(x: 0, y: 0, width: 40, height: 40)))
        painter.fill(window, PixelRect(x: 30, y: 30, width: 40, height: 40), 0x77_8899)
        try watcher.follow { $0.isAll(0x77_8899, in: PixelRect(x: 30, y: 30, width: 40, height: 40)) }
    }

    @Test func `without shared memory the pixels come through the connection`() throws {
        let screen = try PrivateScreen(size: Self.size, options: ["-extension", "MIT-SHM"])
        let painter = try Painter(display: screen.name)
        let window = painter.window(PixelRect(size: Self.size), colour: 0x20_4060)
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name)
        #expect(watcher.isAll(0x20_4060, in: PixelRect(size: Self.size)))
        #expect(try !X11Inventory(display: screen.name).hasSharedMemory)
        painter.fill(window, PixelRect(x: 30, y: 30, width: 40, height: 40), 0x77_8899)
        try watcher.follow { $0.isAll(0x77_8899, in: PixelRect(x: 30, y: 30, width: 40, height: 40)) }
    }

    @Test func `a monitor beyond the edge of a smaller screen is waited for, and nothing is read meanwhile`() throws {
        let (screen, painter, window) = try fixture(PixelSize(width: 640, height: 480))
        try screen.setMonitor("Right", PixelRect(x: 500, y: 0, width: 140, height: 200))
        let watcher = try Watcher(.screen(monitor: "Right"), on: screen.name)
        #expect(watcher.source.readLimit(isFirst: false)?.timeout == 10_000_000_000)
        try painter.setScreenSize(PixelSize(width: 400, height: 302))
        try watcher.settle()
        #expect(watcher.source.readLimit(isFirst: false) == nil)
        let reads = watcher.reads
        #expect(try !watcher.source.read(.full(size: watcher.size)) { _ in } && watcher.reads == reads)
        try painter.setScreenSize(PixelSize(width: 640, height: 480))
        painter.fill(window, PixelRect(x: 0, y: 0, width: 640, height: 480), 0x44_8800)
        try watcher.follow { $0.isAll(0x44_8800, in: PixelRect(size: $0.size)) }
        #expect(watcher.source.readLimit(isFirst: false) != nil)
    }
}
