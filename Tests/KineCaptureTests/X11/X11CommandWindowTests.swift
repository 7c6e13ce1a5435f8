// A window that a program is to open: which one is taken, when, and what does not count as one.
import CoreTesting
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineX11

@Suite struct CommandWindowStateMachineTests {
    private typealias Machine = CommandWindowStateMachine
    private typealias Window = CommandWindowStateMachine.Window

    private static let limit: Int64 = 10_000_000_000

    /// The processes from 100 to 199 belong to the command 100.
    private func machine(_ choice: X11CommandWindow, isPrivate: Bool = false) -> Machine {
        Machine(choice, limit: Self.limit, isPrivate: isPrivate) { $1 == 100 && (100..<200).contains($0) }
    }

    private func window(
        _ id: UInt32, _ title: String = "", application: String = "", process: Int32? = nil,
        role: Window.Role = .main
    ) -> Window {
        Window(
            window: X11Inventory.Window(
                id: id, title: title, application: application, processID: process,
                bounds: PixelRect(x: 0, y: 0, width: 20, height: 20)),
            role: role)
    }

    @Test func `a window is opened when the program has painted it, or has had the time to`() {
        for paints in [true, false] {
            var machine = machine(.titled("mine"))
            #expect(machine.step([], at: 0) == .wait(until: nil) && machine.awaitsCommand)
            machine.commandStarted(100, at: 5)
            #expect(machine.step([window(1, "other")], at: 6) == .wait(until: 5 + Self.limit))
            #expect(!machine.awaitsCommand)
            let windows = [window(1, "other"), window(2, "Mine – a")]
            #expect(machine.step(windows, at: 7) == .watch(2))
            let painted = 7 + Machine.paintingTime
            #expect(machine.step(windows, at: 8) == .wait(until: painted))
            if paints { machine.painted() }
            #expect(machine.step(windows, at: paints ? 9 : painted) == .open(2))
        }
    }

    @Test func `a window that goes before it can be opened is not the one`() {
        var machine = machine(.titled("mine"))
        machine.commandStarted(100, at: 0)
        #expect(machine.step([window(1, "mine")], at: 1) == .watch(1))
        #expect(machine.step([], at: 2) == .wait(until: Self.limit))
        machine.painted()
        #expect(machine.step([window(2, "mine")], at: 3) == .watch(2))
        machine.painted()
        #expect(machine.step([window(2, "mine")], at: 4) == .open(2))
        machine.lost()
        #expect(machine.step([window(3, "mine")], at: Self.limit) == .giveUp)
    }

    @Test func `the time counts from the program's start, and a window that comes in it is painted`() {
        var machine = machine(.titled("mine"))
        #expect(machine.step([], at: 5 * Self.limit) == .wait(until: nil))
        machine.commandStarted(100, at: 5 * Self.limit)
        #expect(machine.step([window(1, "mine")], at: 6 * Self.limit - 1) == .watch(1))
        #expect(machine.step([window(1, "mine")], at: 6 * Self.limit) != .giveUp)
        var late = self.machine(.first)
        late.commandStarted(100, at: 0)
        #expect(late.step([], at: Self.limit) == .giveUp)
    }

    @Test func `of several windows, the whole title counts first, then the oldest, and a splash screen never`() {
        let several = [window(1, "mine", role: .splash), window(2, "mine, a"), window(3, "mine, b")]
        var machine = machine(.titled("mine"))
        #expect(machine.step(several, at: 0) == .watch(2))
        machine = self.machine(.titled("Mine, B"))
        #expect(machine.step(several, at: 0) == .watch(3))
        // A program may do without the window manager.
        machine = self.machine(.titled("mine"))
        #expect(machine.step([window(4, "mine", role: .unmanaged)], at: 0) == .watch(4))
        machine = self.machine(.application("GIMP", monitor: nil))
        #expect(machine.step(several + [window(5, application: "Gimp", role: .splash)], at: 0) == .watch(5))
    }

    @Test func `the first window of the command is known by its process, and by being new where nobody else is`() {
        let older = [window(1, process: 100)]
        let others = older + [window(2, process: 7), window(3), window(4, process: 150, role: .unmanaged)]
        var machine = machine(.first)
        #expect(machine.step(older, at: 0) == .wait(until: nil))
        machine.commandStarted(100, at: 0)
        #expect(machine.step(others, at: 1) == .wait(until: Self.limit))
        #expect(machine.step(others + [window(5, process: 151)], at: 2) == .watch(5))
        machine = self.machine(.first, isPrivate: true)
        #expect(machine.step(older, at: 0) == .wait(until: nil))
        #expect(machine.step(older + [window(2)], at: 0) == .wait(until: nil), "the command does not run yet")
        machine.commandStarted(100, at: 0)
        let passing = older + [window(6, role: .splash), window(7, role: .unmanaged)]
        #expect(machine.step(passing, at: 1) == .wait(until: Self.limit))
        #expect(machine.step(passing + [window(8, process: 7)], at: 2) == .watch(8))
    }
}

@Suite(.serialized, .tags(.real)) struct X11CommandWindowTests {
    private static let rect = PixelRect(x: 30, y: 20, width: 60, height: 40)

    private let screen: PrivateScreen
    private let painter: Painter

    init() throws {
        screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
        painter = try Painter(display: screen.name)
    }

    private func opening(_ choice: X11CommandWindow, isPrivate: Bool = true) throws -> X11CommandWindowOpening {
        let name = screen.name
        return try X11CommandWindowOpening(
            choice, limit: 60_000_000_000, failure: .noFocusedWindow, isPrivate: isPrivate, display: name,
            belongs: { $0 == $1 }
        ) { (target) throws(VideoSourceError) in
            try X11ScreenSource(target: target, reportsPointer: false, display: name)
        }
    }

    /// Goes on until there is a source.
    private func open(_ opening: X11CommandWindowOpening) throws -> any VideoSource {
        var waiter = SourceWaiter(wake: WakeSignal(), descriptors: [opening.descriptor])
        while true {
            if let source = try opening.processEvents() { return source }
            waiter.wait(until: opening.deadline, for: .sources)
        }
    }

    /// An opening that has seen what there is, and whose program runs.
    private func waiting(_ choice: X11CommandWindow, isPrivate: Bool = true) throws -> X11CommandWindowOpening {
        let opening = try opening(choice, isPrivate: isPrivate)
        #expect(try opening.processEvents() == nil && opening.awaitsCommand)
        opening.commandStarted(17)
        #expect(try opening.processEvents() == nil && !opening.awaitsCommand)
        return opening
    }

    private func expectNone(_ opening: X11CommandWindowOpening) throws { #expect(try opening.processEvents() == nil) }

    @Test func `a window that is there is opened at once, and one that comes has its own size`() throws {
        let window = painter.window(Self.rect, colour: 0x20_4060)
        painter.setTitle(window, "There")
        #expect(try opening(.titled("there")).processEvents()?.size == Self.rect.size)
        painter.setApplication(window, "Editor")
        #expect(try opening(.application("editor", monitor: nil)).processEvents()?.size.width == 320)
        let waiting = try waiting(.application("other", monitor: nil))
        painter.setApplication(window, "Other")
        #expect(try open(waiting).size.width == 320)
    }

    @Test func `a window counts when it is shown, larger than a pixel and named, whatever comes last`() throws {
        let opening = try waiting(.titled("mine"))
        let window = painter.window(
            PixelRect(x: 0, y: 0, width: 1, height: 1), colour: 0x20_4060, isShown: false, isManaged: true)
        try expectNone(opening)
        painter.map(window)
        try expectNone(opening)
        painter.setTitle(window, "Mine")
        try expectNone(opening)
        painter.resize(window, to: Self.rect.size)
        #expect(try open(opening).size == Self.rect.size)
    }

    @Test func `the first window is neither a splash screen nor a menu, nor one that was there before`() throws {
        _ = painter.window(Self.rect, colour: 0, isManaged: true)
        let opening = try waiting(.first)
        let splash = painter.window(Self.rect, colour: 0, isShown: false, isManaged: true)
        painter.setType(splash, "_NET_WM_WINDOW_TYPE_SPLASH")
        painter.map(splash)
        _ = painter.window(Self.rect, colour: 0)
        try expectNone(opening)
        painter.destroy(splash)
        _ = painter.window(PixelRect(x: 0, y: 0, width: 50, height: 30), colour: 0, isManaged: true)
        #expect(try open(opening).size == PixelSize(width: 50, height: 30))
    }

    /// A window manager puts windows into frames, and lists them.
    @Test func `the first window on a person's screen names the command's process, in a frame as well`() throws {
        let frame = painter.window(Self.rect, colour: 0)
        let (other, window) = (
            painter.window(Self.rect, colour: 0, isManaged: true),
            painter.window(PixelRect(x: 0, y: 0, width: 50, height: 30), colour: 0, isShown: false, isManaged: true)
        )
        painter.setClientList([other])
        let opening = try waiting(.first, isPrivate: false)
        painter.reparent(window, into: frame, x: 5, y: 5)
        painter.setClientList([other, window])
        painter.map(window)
        try expectNone(opening)
        painter.setProcess(window, 17)
        #expect(try open(opening).size == PixelSize(width: 50, height: 30))
    }

    /// The server fills a new window with its background.
    @Test func `the first frame is what the program has painted`() throws {
        let opening = try waiting(.first)
        let window = painter.window(Self.rect, colour: 0, isManaged: true)
        try expectNone(opening)
        painter.fill(window, PixelRect(size: Self.rect.size), 0x30_6090)
        let watcher = try Watcher(opening: opening)
        try watcher.settle()
        #expect(watcher.isAll(0x30_6090, in: PixelRect(size: Self.rect.size)))
    }
}
