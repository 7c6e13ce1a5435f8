// A source as the capture thread uses it, with what is painted over its frames, and the frame that was shown so far.
import CoreTesting
import KineMedia
import KinePlatform
import Testing

@testable import KineCapture
@testable import KineX11

final class Watcher {
    let source: any VideoSource
    private(set) var size: PixelSize
    /// 0xRRGGBB, rows packed.
    private(set) var pixels: [UInt32]
    /// The number of rectangles that were read.
    private(set) var reads = 0

    private var waiter: SourceWaiter
    private let painter: InputPainter?

    /// The instant until which something that has to come is waited for from now on.
    static var timeout: Int64 { WaitLimit.deadline() }

    /// The end of a wait for a change.
    enum Ending { case changed, deadline }

    /// Opens a source of an X server and reads its first frame.
    convenience init(
        _ target: X11ScreenSource.Target, on display: String, cursor: Bool = false, cursorScale: Double = 1,
        clicks: Bool = false, keys: KeyDisplay? = nil, excluding: [X11WindowRule] = [],
        how: TakeConfiguration.ExcludeHow = .cover
    ) throws {
        var video = TakeConfiguration.Video()
        (video.showsCursor, video.cursorScale, video.showsClicks) = (cursor, cursorScale, clicks)
        video.shownKeys = keys?.keys
        try self.init(
            X11ScreenSource(
                target: target, reportsPointer: cursor, reportsClicks: clicks, keys: keys, excluding: excluding,
                how: how, display: display),
            showing: video)
    }

    /// Waits until a source is open, and reads its first frame.
    convenience init(opening: any VideoSourceOpening) throws {
        let deadline = Self.timeout
        var waiter = SourceWaiter(wake: WakeSignal(), descriptors: [opening.descriptor])
        while true {
            if let source = try opening.processEvents() {
                try self.init(source)
                return
            }
            waiter.wait(until: min(deadline, opening.deadline ?? .max), for: .sources)
        }
    }

    /// Reads the first frame of an open source.
    ///
    /// - Parameter video: what is painted over the frames; without it, the pointer.
    init(_ source: any VideoSource, showing video: TakeConfiguration.Video = .init()) throws {
        self.source = source
        painter = InputPainter(video)
        size = source.size
        pixels = [UInt32](repeating: 0, count: size.area)
        waiter = SourceWaiter(wake: WakeSignal(), descriptors: [source.descriptor])
        #expect(try look().isFull)
    }

    /// Waits until the source has changed.
    func wait(until deadline: Int64) throws -> Ending {
        while true {
            let hasChanged = try source.processEvents()
            if painter?.advance(source, to: MonotonicClock.now()) == true || hasChanged { return .changed }
            if MonotonicClock.now() >= deadline { return .deadline }
            waiter.wait(until: min(deadline, self.deadline ?? .max), for: .sources)
        }
    }

    /// When the frame changes without an event (CLOCK_MONOTONIC); nil: never.
    var deadline: Int64? { [source.deadline, painter?.deadline].compactMap(\.self).min() }

    /// Gets the damage there is and reads it, or the whole frame.
    @discardableResult
    func look(atAll: Bool = false) throws -> DamageRegion {
        var damage = DamageRegion(size: size)
        try source.addDamage(to: &damage)
        if atAll { damage.insertAll() }
        painter?.update(source, damage: &damage, at: MonotonicClock.now())
        if damage.size != size {
            size = damage.size
            pixels = [UInt32](repeating: 0, count: size.area)
        }
        let size = size
        _ = try source.read(damage) { part in
            let rect = part.rect
            reads += 1
            #expect(rect.intersection(PixelRect(size: size)) == rect)
            // A copy: only some sources' pixels may be painted over.
            var copy = [UInt32](repeating: 0, count: rect.size.area)
            copy.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                for y in 0..<rect.height {
                    let row = part.pixels + y * part.stride
                    (base + y * rect.width * 4).copyMemory(from: row, byteCount: rect.width * 4)
                }
                painter?.paint(over: base, stride: rect.width * 4, area: rect)
            }
            for y in 0..<rect.height {
                for x in 0..<rect.width {
                    pixels[(rect.y + y) * size.width + rect.x + x] = copy[y * rect.width + x] & 0xff_ffff
                }
            }
        }
        return damage
    }

    func colour(_ x: Int, _ y: Int) -> UInt32 { pixels[y * size.width + x] }

    func isAll(_ colour: UInt32, in rect: PixelRect) -> Bool {
        (rect.y..<rect.maxY).allSatisfy { y in (rect.x..<rect.maxX).allSatisfy { self.colour($0, y) == colour } }
    }

    /// Looks whenever the source reports a change, until `isDone`. Returns all damage seen on the way.
    @discardableResult
    func follow(
        sourceLocation: SourceLocation = #_sourceLocation, until isDone: (Watcher) -> Bool
    ) throws -> DamageRegion {
        var damage = DamageRegion(size: size)
        let deadline = Self.timeout
        while !isDone(self) {
            guard try wait(until: deadline) == .changed else {
                Issue.record("the change never came", sourceLocation: sourceLocation)
                return damage
            }
            let seen = try look()
            if seen.size != damage.size { damage = DamageRegion(size: seen.size) }
            damage.formUnion(seen)
        }
        return damage
    }

    /// Looks whenever the source reports a change, until `isDone`. No frame until then may have a pixel of that colour.
    func follow(
        without colour: UInt32, sourceLocation: SourceLocation = #_sourceLocation,
        until isDone: (Watcher) throws -> Bool
    ) throws {
        let deadline = Self.timeout
        while true {
            try #require(!pixels.contains(colour), "it is seen", sourceLocation: sourceLocation)
            if try isDone(self) { return }
            try #require(try wait(until: deadline) == .changed, "in vain", sourceLocation: sourceLocation)
            try look()
        }
    }

    /// Reads all damage reported until now.
    func settle() throws {
        while try wait(until: MonotonicClock.now() + 50_000_000) == .changed {
            try look()
        }
    }
}
