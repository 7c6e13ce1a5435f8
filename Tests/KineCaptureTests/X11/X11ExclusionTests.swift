// Windows that must not be seen: not where they are, nor where they were, nor while they come, go and move.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineX11

@Suite(.serialized, .tags(.real)) struct X11ExclusionTests {
    private static let size = PixelSize(width: 400, height: 300)
    private static let ground: UInt32 = 0x20_4060
    private static let secret: UInt32 = 0xff_00ff
    private static let shade: UInt32 = 0x28_2828
    private static let place = PixelRect(x: 50, y: 40, width: 120, height: 90)

    /// A screen with a ground, and a painter.
    private func fixture() throws -> (screen: PrivateScreen, painter: Painter) {
        let screen = try PrivateScreen(size: Self.size)
        let painter = try Painter(display: screen.name)
        // With a class, or it would count as one of the application's nameless windows: both are this painter's.
        let ground = painter.window(PixelRect(size: Self.size), colour: Self.ground, isShown: false)
        painter.setApplication(ground, "Desktop")
        painter.map(ground)
        return (screen, painter)
    }

    /// A window of the secret colour that is shown once it has its names.
    private func secret(
        _ painter: Painter, _ rect: PixelRect = place, title: String = "Passwords", application: String = "Vault",
        border: Int = 0
    ) -> UInt32 {
        let window = painter.window(rect, colour: Self.secret, border: border, isShown: false)
        painter.setTitle(window, title)
        painter.setApplication(window, application)
        painter.map(window)
        return window
    }

    private func isHidden(_ watcher: Watcher) -> Bool { !watcher.pixels.contains(Self.secret) }

    @Test func `a window is painted over by its id, its title or its application, with its border`() throws {
        let (screen, painter) = try fixture()
        let window = secret(painter, border: 4)
        let whole = PixelRect(x: 50, y: 40, width: 128, height: 98)
        for rule in [X11WindowRule.id(window), .titled("PASS"), .application("vault")] {
            let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.titled("other"), rule])
            #expect(watcher.isAll(Self.shade, in: whole), "\(rule)")
            #expect(watcher.colour(49, 40) == Self.ground && watcher.colour(178, 40) == Self.ground)
        }
        let seen = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.application("Vaul")])
        #expect(!isHidden(seen))
        // A part of the screen has other coordinates.
        let part = try Watcher(
            .region(PixelRect(x: 60, y: 50, width: 300, height: 200)), on: screen.name, excluding: [.id(window)])
        #expect(part.isAll(Self.shade, in: PixelRect(x: 0, y: 0, width: 118, height: 88)))
        #expect(part.colour(118, 0) == Self.ground && part.colour(0, 88) == Self.ground)
    }

    @Test func `all windows of a process are painted over, also a popup that names no process`() throws {
        let (screen, painter) = try fixture()
        let other = try Painter(display: screen.name)
        let menu = PixelRect(x: 200, y: 100, width: 60, height: 50)
        // Named by its owner, as in a namespace; the server knows another number.
        let window = secret(painter)
        painter.setProcess(window, 4242)
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.process(4242)])
        #expect(watcher.isAll(Self.shade, in: Self.place) && isHidden(watcher))
        _ = painter.window(menu, colour: Self.secret)
        let beside = other.window(menu.offset(x: 80, y: 0), colour: 0x11_2233)
        try watcher.follow { $0.isAll(Self.shade, in: menu) && isHidden($0) }
        try watcher.follow { $0.isAll(0x11_2233, in: menu.offset(x: 80, y: 0)) }
        other.setProcess(beside, 4242)
        try watcher.follow { $0.isAll(Self.shade, in: menu.offset(x: 80, y: 0)) }
        // All of this process, as the server knows it: the ground too.
        let all = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.process(getpid())])
        #expect(all.isAll(Self.shade, in: PixelRect(size: Self.size)))
        let none = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.process(getppid())])
        #expect(!isHidden(none) && none.source.exclusionFindings?.unmatched == [.process(getppid())])
    }

    @Test func `a window in a frame of a window manager's is painted over, frame and all`() throws {
        let (screen, painter) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.titled("Passwords")])
        let frame = painter.window(
            PixelRect(x: 200, y: 100, width: 130, height: 120), colour: 0x50_5050, isShown: false)
        let window = painter.window(PixelRect(x: 0, y: 0, width: 120, height: 90), colour: Self.secret, isShown: false)
        painter.setTitle(window, "Passwords")
        painter.reparent(window, into: frame, x: 5, y: 25)
        painter.map(window)
        painter.map(frame)
        let whole = PixelRect(x: 200, y: 100, width: 130, height: 120)
        try watcher.follow { $0.isAll(Self.shade, in: whole) }
        // Another document, which anyone may see; and the first again.
        painter.setTitle(window, "Recipes")
        try watcher.follow { $0.isAll(Self.secret, in: PixelRect(x: 205, y: 125, width: 120, height: 90)) }
        painter.setTitle(window, "Passwords")
        try watcher.follow { $0.isAll(Self.shade, in: whole) }
    }

    @Test(
        arguments: [
            ("STRING", [0x5a, 0xfc, 0x72, 0x69, 0x63, 0x68]), ("STRING", Array("Zürich".utf8)),
            ("COMPOUND_TEXT", [0x1b, 0x2d, 0x42] + [0x5a, 0xfc, 0x72, 0x69, 0x63, 0x68]),
            ("C_STRING", Array("Zürich".utf8)),
        ] as [(String, [UInt8])])
    func `a window is painted over by a title of any type that is read`(type: String, bytes: [UInt8]) throws {
        let (screen, painter) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.titled("zürich")])
        #expect(watcher.source.exclusionFindings?.unmatched == [.titled("zürich")])
        let window = painter.window(Self.place, colour: Self.secret, isShown: false)
        painter.setText(window, bytes, as: "WM_NAME", type: type)
        painter.map(window)
        try watcher.follow { $0.isAll(Self.shade, in: Self.place) }
        #expect(watcher.source.exclusionFindings?.unmatched == [])
    }

    @Test func `a window in a frame of GNOME's, which is another program's window, is painted over`() throws {
        let (screen, painter) = try fixture()
        let frame = painter.window(Self.place, colour: 0x50_5050, isShown: false)
        painter.setApplication(frame, "Mutter-x11-frames")
        let window = secret(painter, PixelRect(x: 0, y: 0, width: 100, height: 60))
        painter.reparent(window, into: frame, x: 5, y: 25)
        painter.map(window)
        painter.map(frame)
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.application("Vault")])
        #expect(watcher.isAll(Self.shade, in: Self.place))
    }

    @Test func `rules that hide nothing are known, and windows whose titles cannot be read`() throws {
        let (screen, painter) = try fixture()
        let window = secret(painter)
        painter.unmap(window)
        let unreadable = painter.window(Self.place, colour: 0x10_1010)
        painter.setText(
            unreadable, [0x1b, 0x24, 0x29, 0x42, 0xc6, 0xfc], as: "WM_NAME", type: "COMPOUND_TEXT")
        let rules: [X11WindowRule] = [.titled("Passwords"), .application("Vault"), .titled("none"), .id(0x77_7777)]
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: rules)
        var findings = ExclusionFindings()
        findings.unmatched = [.titled("none"), .id(0x77_7777)]
        findings.unreadable = [unreadable]
        // A window that is not shown will be hidden when it is.
        #expect(watcher.source.exclusionFindings == findings)
        painter.destroy(window)
        painter.map(painter.window(PixelRect(x: 0, y: 0, width: 9, height: 9), colour: 0, isShown: false))
        try watcher.settle()
        #expect(watcher.source.exclusionFindings?.unmatched == rules)
        let byName = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.application("Vault")])
        #expect(byName.source.exclusionFindings?.unreadable == [])
        // An application's windows, less some.
        let ofOne = try Watcher(.application("Desktop", monitor: nil), on: screen.name, excluding: [.titled("none")])
        #expect(ofOne.source.exclusionFindings?.unmatched == [.titled("none")])
        #expect(try Watcher(.window(.id(unreadable)), on: screen.name).source.exclusionFindings == nil)
    }

    @Test func `a place stays covered for a while after its window, and is seen again then`() throws {
        let (screen, painter) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.application("Vault")])
        let window = secret(painter)
        try watcher.follow { $0.isAll(Self.shade, in: Self.place) }
        for leave in [
            { painter.move(window, x: 250, y: 200) }, { painter.unmap(window) }, { painter.destroy(window) },
        ] {
            painter.move(window, x: 50, y: 40)
            painter.map(window)
            try watcher.follow { $0.isAll(Self.shade, in: Self.place) }
            let before = MonotonicClock.now()
            leave()
            try watcher.follow { $0.isAll(Self.ground, in: Self.place) }
            #expect(MonotonicClock.now() - before >= VacatedPlaces.leastTime)
            #expect(isHidden(watcher))
        }
    }

    @Test func `a window that moves and goes while windows are searched is covered where it was last`() throws {
        let (screen, painter) = try fixture()
        let window = secret(painter)
        try painter.beginCompositing()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.application("Vault")])
        let last = Self.place.offset(x: 150, y: 100)
        let (isHeld, isSearching) = (Monitor(false), Monitor(false))
        let (name, searcher) = (screen.name, ProcFiles.currentThread)
        let thread = DedicatedThread(name: "windows") {
            guard let other = try? Painter(display: name) else { return }
            let moved = window
            other.setServerHeld(true)
            // The source begins to search, and waits for the server, which sends what happens meanwhile before its answers.
            _ = other.window(PixelRect(x: 0, y: 0, width: 9, height: 9), colour: 0)
            isHeld.signal { $0 = true }
            while !isSearching.withLock({ $0 }) || !ProcFiles.isAsleep(thread: searcher) { usleep(1000) }
            other.move(moved, x: last.x, y: last.y)
            other.fill(other.root, last, Self.secret)
            other.unmap(moved)
            other.setServerHeld(false)
            other.finish()
        }
        try wait("the server to be held") { isHeld.withLock { $0 } }
        isSearching.signal { $0 = true }
        _ = try watcher.source.processEvents()
        thread.join()
        try watcher.follow { $0.isAll(Self.shade, in: last) }
        #expect(isHidden(watcher))
    }

    @Test func `a frame whose window has ended is covered until it goes, wherever it is moved`() throws {
        let (screen, painter) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.application("Vault")])
        let frame = painter.window(Self.place, colour: 0x50_5050, isShown: false)
        let window = secret(painter, PixelRect(x: 0, y: 0, width: 100, height: 60))
        painter.reparent(window, into: frame, x: 5, y: 25)
        painter.map(window)
        painter.map(frame)
        try watcher.follow { $0.isAll(Self.shade, in: Self.place) }
        painter.destroy(window)
        // Another window, so that windows are searched again.
        let other = PixelRect(x: 0, y: 0, width: 9, height: 9)
        _ = painter.window(other, colour: 0x10_9010)
        try watcher.follow { $0.isAll(0x10_9010, in: other) }
        let next = Self.place.offset(x: 150, y: 100)
        painter.move(frame, x: next.x, y: next.y)
        try watcher.follow { $0.isAll(Self.shade, in: next) }
        painter.unmap(frame)
        try watcher.follow { $0.isAll(Self.ground, in: next) }
    }

    @Test(arguments: [false, true])
    func `a place stays covered until a compositing manager has painted it`(isLater: Bool) throws {
        let (screen, painter) = try fixture()
        let screenRect = PixelRect(size: Self.size)
        // Paints the screen as it would be with the window.
        func compose() throws {
            try painter.beginCompositing()
            painter.fill(painter.root, screenRect, Self.ground)
            painter.fill(painter.root, PixelRect(x: 0, y: 0, width: 16, height: 16), 0x10_9010)
            painter.fill(painter.root, Self.place, Self.secret)
        }
        let window = secret(painter)
        if !isLater { try compose() }
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.application("Vault")])
        if isLater { try compose() }
        try watcher.follow { $0.colour(0, 0) == 0x10_9010 }
        #expect(watcher.isAll(Self.shade, in: Self.place))

        let before = MonotonicClock.now()
        painter.destroy(window)
        let left = PixelRect(x: 50, y: 40, width: 60, height: 90)
        let right = PixelRect(x: 110, y: 40, width: 60, height: 90)
        painter.fill(painter.root, left, Self.ground)
        try watcher.follow { $0.isAll(Self.ground, in: left) }
        let elapsed = MonotonicClock.now() - before
        #expect(elapsed >= VacatedPlaces.leastTime)
        #expect(watcher.isAll(Self.shade, in: right) || elapsed >= VacatedPlaces.mostTime)
        painter.fill(painter.root, right, Self.ground)
        try watcher.follow { $0.isAll(Self.ground, in: Self.place) }
    }

    @Test(arguments: TakeConfiguration.ExcludeHow.allCases)
    func `windows that come, go and move at any time are in no frame`(how: TakeConfiguration.ExcludeHow) throws {
        let (screen, painter) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.application("Vault")], how: how)
        let (isDone, name) = (Monitor(false), screen.name)
        // Other programs, which do not wait for the frames.
        let thread = DedicatedThread(name: "windows") {
            defer { isDone.withLock { $0 = true } }
            guard let painter = try? Painter(display: name), let other = try? Painter(display: name) else { return }
            var generator = SeededGenerator(seed: 3)
            func anywhere() -> PixelRect {
                PixelRect(
                    x: .random(in: -50...350, using: &generator), y: .random(in: -50...250, using: &generator),
                    width: .random(in: 10...150, using: &generator), height: .random(in: 10...150, using: &generator))
            }
            /// Where what lies beneath is drawn, also one that paints nothing, in which the server leaves what was there.
            func openOther(_ rect: PixelRect) -> UInt32 {
                let window = other.window(rect, colour: .random(in: 0...0x7f_ffff, using: &generator), isShown: false)
                if how == .beneath, Bool.random(using: &generator) { other.setBackgroundNone(window) }
                other.map(window)
                return window
            }
            var windows = [secret(painter)]
            var others: [UInt32] = []
            for _ in 0..<600 {
                let window = windows[.random(in: 0..<windows.count, using: &generator)]
                let rect = anywhere()
                switch Int.random(in: 0..<12, using: &generator) {
                case 0: windows.append(secret(painter, rect))
                case 1 where windows.count > 1:
                    windows.removeAll { $0 == window }
                    painter.destroy(window)
                case 2: painter.unmap(window)
                case 3: painter.map(window)
                case 4: painter.resize(window, to: rect.size)
                case 5: others.append(openOther(rect))
                case 6: if let window = others.popLast() { other.destroy(window) }
                case 7: painter.raise(window)
                case 8: if let window = others.last { other.raise(window) }
                case 9: if let window = others.last { other.resize(window, to: rect.size) }
                default:
                    // A drag, as fast as a mouse reports it.
                    for step in 0..<20 { painter.move(window, x: rect.x + step * 5, y: rect.y + step * 3) }
                }
                // Else no frame would have time between two windows that come.
                usleep(3000)
            }
        }
        var frames = 0
        while !isDone.withLock({ $0 }) {
            guard try watcher.wait(until: MonotonicClock.now() + 10_000_000) == .changed else { continue }
            try watcher.look()
            frames += 1
            guard isHidden(watcher) else {
                Issue.record("seen in frame \(frames)")
                break
            }
        }
        thread.join()
        #expect(frames > 0)
        withExtendedLifetime(painter) {}
    }
}
