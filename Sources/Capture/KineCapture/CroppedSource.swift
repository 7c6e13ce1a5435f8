// A rectangle of another source, for screens that can only be captured whole.
import Glibc
import KineMedia

/// A rectangle of the upright picture of a source, in its pixels. Created and used by the capture thread.
///
/// Its pixels are copied once, because the part's tiles differ from the whole picture's.
public final class CroppedSource: VideoSource {
    private let source: any VideoSource
    private let region: PixelRect
    /// The part in the frame of `source`, which may be turned.
    private var part: PixelRect
    private var frameSize: PixelSize
    public private(set) var orientation: Orientation
    /// The damage of `source` since the last `addDamage`.
    private var damage: DamageRegion
    /// The part, BGRA, rows packed.
    private var pixels: OwnedMemory
    /// The whole next frame is damaged.
    private var isNew = true

    /// Clips the region to the picture; throws if it lies outside.
    public init(_ source: any VideoSource, region: PixelRect) throws(VideoSourceError) {
        self.source = source
        self.region = region
        (frameSize, orientation) = (source.size, source.orientation)
        part = try Self.place(of: region, in: source)
        damage = DamageRegion(size: source.size)
        pixels = OwnedMemory(zeros: part.size.area * 4)
    }

    private static func place(
        of region: PixelRect, in source: any VideoSource
    ) throws(VideoSourceError) -> PixelRect {
        let upright = source.orientation.turned(source.size)
        let seen = region.intersection(PixelRect(size: upright))
        guard !seen.isEmpty else { throw .outsideScreen(region, screen: upright) }
        return source.orientation.turnedBack(seen, of: source.size)
    }

    public var size: PixelSize { part.size }
    public var descriptor: Int32 { source.descriptor }
    public var deadline: Int64? { source.deadline }
    public var losesUnreadFrames: Bool { source.losesUnreadFrames }
    public var interruption: SourceInterruption? { source.interruption }
    public func readLimit(isFirst: Bool) -> ReadLimit? { source.readLimit(isFirst: isFirst) }
    public var keys: KeyPicture { source.keys }
    public var screenOrigin: PixelPoint { source.screenOrigin.offset(x: part.x, y: part.y) }
    public var hiddenPlaces: [PixelRect] { source.hiddenPlaces.map { $0.offset(x: -part.x, y: -part.y) } }
    public func takeClicks() -> [InputEvent] { source.takeClicks() }
    public func reportPointerAnew() { source.reportPointerAnew() }
    public func takeInput() -> [InputEvent] {
        source.takeInput().map { InputEvent($0.action.offset(x: -part.x, y: -part.y), at: $0.instant) }
    }
    public var paintsPointer: Bool { source.paintsPointer }

    public var pointer: PointerState? {
        guard var pointer = source.pointer else { return nil }
        pointer.place = pointer.place?.offset(x: -part.x, y: -part.y)
        return pointer
    }

    public func processEvents() throws(VideoSourceError) -> Bool {
        let hasChanged = try source.processEvents()
        try followSource()
        return hasChanged || isNew
    }

    /// A monitor may change its size or orientation.
    private func followSource() throws(VideoSourceError) {
        guard source.size != frameSize || source.orientation != orientation else { return }
        let part = try Self.place(of: region, in: source)
        (frameSize, orientation) = (source.size, source.orientation)
        isNew = true
        guard part != self.part else { return }
        self.part = part
        pixels = OwnedMemory(zeros: part.size.area * 4)
    }

    public func discardFrames() { source.discardFrames() }

    public func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) {
        try source.addDamage(to: &self.damage)
        try followSource()
        if isNew || damage.size != size {
            isNew = false
            damage = .full(size: size)
        } else {
            for rect in self.damage.rectangles() {
                let changed = rect.intersection(part)
                if !changed.isEmpty { damage.insert(changed.offset(x: -part.x, y: -part.y)) }
            }
        }
        self.damage.removeAll()
    }

    public func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
        guard region.size == size else { return false }
        let wanted = region.rectangles()
        var tiles = DamageRegion(size: frameSize)
        for rect in wanted { tiles.insert(rect.offset(x: part.x, y: part.y)) }
        let isComplete = try source.read(tiles, into: copy)
        for rect in wanted {
            let first = UnsafeRawPointer(pixels.base + rect.y * stride + rect.x * 4)
            receive(FramePart(rect: rect, pixels: first, stride: stride))
        }
        return isComplete
    }

    private var stride: Int { part.width * 4 }

    private func copy(_ read: FramePart) {
        let common = read.rect.intersection(part)
        guard !common.isEmpty else { return }
        for y in common.y..<common.maxY {
            memcpy(
                pixels.base + (y - part.y) * stride + (common.x - part.x) * 4,
                read.pixels + (y - read.rect.y) * read.stride + (common.x - read.rect.x) * 4, common.width * 4)
        }
    }
}
