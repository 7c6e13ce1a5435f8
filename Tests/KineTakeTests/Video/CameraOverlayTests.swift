// The camera over the picture: shown, moved, lost and found again, hidden with the screen.
import KineCapture
import KineImaging
import KineMedia
import Testing

@testable import KineTake

@Suite struct CameraOverlayTests {
    private final class Simulation {
        let compositor = Compositor(
            size: PixelSize(width: 160, height: 96), sourceSize: PixelSize(width: 160, height: 96))
        var screens: [ScriptedSource.Screen] = []
        var failures: [VideoSourceError] = []
        var isThere = true
        /// Every tile of the source is its own damage once.
        var isFirst = true
        lazy var overlay = CameraOverlay(over: compositor) { [unowned self] _, _ throws(VideoSourceError) in
            guard isThere else { throw .cameraFailed("it is away") }
            let screen = ScriptedSource.Screen(size: PixelSize(width: 40, height: 30))
            screens.append(screen)
            return ScriptedSource.opening(screen)
        } failed: { [unowned self] in
            failures.append($0)
        }

        static let camera: UInt32 = 0x40_c040
        static let grey: UInt8 = 40

        /// Lets the overlay do what it can at that second.
        @discardableResult func proceed(at second: Double) -> Bool {
            overlay.processEvents(at: Int64(second * 1e9))
        }

        func paint() {
            screens.last?.fill(PixelRect(x: 0, y: 0, width: 40, height: 30), Self.camera)
        }

        /// The tiles of the next frame in which the camera is seen, in a source of one grey.
        func shown() throws -> Set<Int> {
            var damage = DamageRegion(size: compositor.size)
            if isFirst { damage.insertAll() }
            isFirst = false
            compositor.addDamage(to: &damage)
            try #require(compositor.begin())
            compositor.fill(damage, with: Compositor.Colour(red: Self.grey, green: Self.grey, blue: Self.grey))
            let frame = try #require(compositor.commit(evenIfUnchanged: true))
            defer { compositor.references.release(frame.slot) }
            let columns = 160 / 16
            return Set(
                (0..<columns * 6).filter { tile in
                    let (x, y) = (tile % columns * 16, tile / columns * 16)
                    // Grey has no colour; the camera is green.
                    return frame.planes.u[(y / 2 + 4) * frame.planes.chromaStride + x / 2 + 4] != 128
                })
        }
    }

    private static let upperLeft = CameraLayout(x: 0, y: 0, size: 1.0 / 3, shape: .rectangle)

    @Test func `a camera is shown when its first frame is there, moves, and goes`() throws {
        let simulation = Simulation()
        #expect(simulation.overlay.descriptor == -1 && simulation.overlay.deadline == .max)
        #expect(try simulation.shown().isEmpty)
        let hasChanged = simulation.overlay.change(to: .init(layout: Self.upperLeft))
        #expect(!hasChanged)
        #expect(!simulation.proceed(at: 0))
        #expect(simulation.proceed(at: 0))
        #expect(simulation.overlay.descriptor == simulation.screens[0].descriptor)
        simulation.paint()
        #expect(simulation.proceed(at: 0))
        #expect(try simulation.shown().contains(0))
        var moved = Self.upperLeft
        moved.x = 1
        #expect(simulation.overlay.change(to: CameraOverlay.Settings(layout: moved)))
        let tiles = try simulation.shown()
        #expect(!tiles.contains(0) && tiles.contains(9))
        #expect(simulation.overlay.change(to: nil))
        #expect(try simulation.shown().isEmpty)
        #expect(simulation.overlay.descriptor == -1 && simulation.screens.count == 1)
    }

    @Test func `a camera that is lost leaves its place, is told of once, and comes back`() throws {
        let simulation = Simulation()
        _ = simulation.overlay.change(to: .init(layout: Self.upperLeft))
        for _ in 0..<2 { simulation.proceed(at: 0) }
        simulation.paint()
        simulation.proceed(at: 0)
        #expect(try !simulation.shown().isEmpty)
        simulation.isThere = false
        simulation.screens[0].fail(.cameraFailed("its cable is out"))
        #expect(simulation.proceed(at: 10))
        #expect(try simulation.shown().isEmpty)
        #expect(simulation.failures == [.cameraFailed("its cable is out")])
        #expect(simulation.overlay.descriptor == -1 && simulation.overlay.deadline == 11_000_000_000)
        #expect(!simulation.proceed(at: 10.5) && simulation.screens.count == 1)
        for second in 11...20 { #expect(!simulation.proceed(at: Double(second))) }
        #expect(simulation.failures.count == 1)
        simulation.isThere = true
        simulation.proceed(at: 21)
        simulation.paint()
        #expect(simulation.proceed(at: 21))
        #expect(try !simulation.shown().isEmpty)
        simulation.screens[1].fail(.cameraFailed("again"))
        simulation.proceed(at: 22)
        #expect(simulation.failures.count == 2)
    }

    @Test func `a locked screen has no camera on it`() throws {
        let simulation = Simulation()
        _ = simulation.overlay.change(to: .init(layout: Self.upperLeft))
        for _ in 0..<2 { simulation.proceed(at: 0) }
        simulation.paint()
        simulation.proceed(at: 0)
        #expect(simulation.overlay.hide(true))
        #expect(try simulation.shown().isEmpty)
        simulation.paint()
        #expect(!simulation.proceed(at: 1))
        var moved = Self.upperLeft
        moved.x = 0.5
        _ = simulation.overlay.change(to: .init(layout: moved))
        #expect(try simulation.shown().isEmpty)
        #expect(simulation.overlay.hide(false))
        let tiles = try simulation.shown()
        #expect(!tiles.isEmpty && !tiles.contains(0))
    }

    @Test func `another camera replaces the one that is shown`() throws {
        let simulation = Simulation()
        _ = simulation.overlay.change(to: .init(layout: Self.upperLeft))
        for _ in 0..<2 { simulation.proceed(at: 0) }
        simulation.paint()
        simulation.proceed(at: 0)
        #expect(simulation.overlay.change(to: CameraOverlay.Settings(device: "other", layout: Self.upperLeft)))
        #expect(try simulation.shown().isEmpty)
        for _ in 0..<2 { simulation.proceed(at: 0) }
        simulation.paint()
        simulation.proceed(at: 0)
        #expect(try !simulation.shown().isEmpty)
        #expect(simulation.screens.count == 2)
    }
}
