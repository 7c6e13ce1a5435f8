// Converts frames for an app or an extension, before it encodes or sends them.
import CYUV
import KineImaging
// A program that imports only this module also gets KineMedia's sizes, shapes, damage and pixels.
@_exported import KineMedia
import KineRings

/// Makes pictures of frames: crops, turns and scales them, converts the pixel format, and limits the frame rate.
///
///     let converter = PictureConverter(
///         to: FrameShape(size: PixelSize(width: 540, height: 960), crop: .fill), framesPerSecond: 15)
///     …
///     converter.convert(sampleBuffer) { picture, damage in encoder.encode(picture) }
///
/// Computes only the parts that have changed. A converter has memory for one picture; use it from one thread or actor.
public final class PictureConverter {
    public let shape: FrameShape
    public let pixelFormat: PixelFormat
    /// The most pictures a second; nil: one for each frame.
    public let framesPerSecond: Double?

    private var work: Work?
    /// The changes in skipped frames, in the coordinates of their pixels in memory.
    private var missed: DamageRegion?
    /// The presentation time of the next picture; earlier frames are skipped. Nil: any time.
    private var due: MediaTime?

    /// - Parameters:
    ///   - shape: `size` has even sides. The shape applies to the upright frame: its own orientation is undone first.
    ///   - pixelFormat: the format of the pictures.
    ///   - framesPerSecond: more than 0, or nil for no limit.
    public init(to shape: FrameShape = FrameShape(), pixelFormat: PixelFormat = .i420, framesPerSecond: Double? = nil) {
        precondition(shape.size.map { $0 == $0.roundedUpToEven && $0.area > 0 } ?? true, "4:2:0 needs even sides")
        precondition(framesPerSecond.map { $0 > 0 } ?? true, "a rate of none")
        self.shape = shape
        self.pixelFormat = pixelFormat
        self.framesPerSecond = framesPerSecond
    }

    /// Lends the picture of a sample to `body`, with the changes since the previous picture. Returns nil without
    /// calling `body` if the frame is skipped for the rate, or the sample is not an uncompressed frame.
    public func convert<Result, Failure: Error>(
        _ sample: borrowing SampleBuffer,
        _ body: (borrowing PixelBuffer, DamageRegion) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let (damage, orientation) = (sample.damage, sample.orientation)
        let time = sample.presentationTime
        return try sample.withPixels { pixels throws(Failure) -> Result? in
            try convert(pixels, damage: damage, orientation: orientation, at: time, body)
        } ?? nil
    }

    /// Lends the picture of the caller's frame to `body`, with the changes since the previous picture. Returns nil
    /// without calling `body` if the frame is skipped for the rate.
    ///
    /// - Parameters:
    ///   - frame: if its visible size is odd, only that part is shown.
    ///   - damage: the changes since the previous call's frame, in the frame's size in memory; nil: everything.
    ///   - orientation: the frame's orientation.
    ///   - time: the frame's time, for the rate; nil: the frame is never skipped.
    ///   - body: receives the picture.
    public func convert<Result, Failure: Error>(
        _ frame: borrowing PixelBuffer, damage: DamageRegion? = nil, orientation: Orientation = .up,
        at time: MediaTime? = nil, _ body: (borrowing PixelBuffer, DamageRegion) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        var changed = damage ?? .full(size: frame.size)
        if let missed, missed.size == changed.size { changed.formUnion(missed) }
        guard isDue(at: time) else {
            missed = changed
            return nil
        }
        missed = nil
        let source = Source(size: frame.visibleSize, memory: frame.size, format: frame.format, orientation: orientation)
        let work: Work
        if let last = self.work, last.source == source {
            work = last
        } else {
            work = Work(source, shape, pixelFormat)
            changed = .full(size: frame.size)
            self.work = work
        }
        let drawn = work.draw(changed, of: frame)
        return try work.lend { (picture) throws(Failure) in try body(picture, drawn) }
    }

    /// Whether a frame of this time gets a picture. Frames come at uneven times: a slightly early one counts as due, so
    /// that 30 a second out of 60 means every second frame.
    private func isDue(at time: MediaTime?) -> Bool {
        guard let time, let framesPerSecond else { return true }
        let interval = MediaTime(nanoseconds: max(1, Int64(1e9 / framesPerSecond)))
        // After a pause, and if time goes back, the intervals start again.
        guard let due, time < due + interval, time + interval + interval >= due else {
            due = time + interval
            return true
        }
        guard time + MediaTime(nanoseconds: interval.nanoseconds / 8) >= due else { return false }
        self.due = due + interval
        return true
    }
}

/// The properties of frames that one `Work` can convert.
private struct Source: Equatable {
    /// The visible size.
    let size: PixelSize
    let memory: PixelSize
    let format: PixelFormat
    let orientation: Orientation
}

/// Converts frames with the same properties, and has the newest picture.
private final class Work {
    let source: Source
    private let geometry: PictureGeometry
    private let visibleSize: PixelSize
    private let renderer: PictureRenderer
    private let picture: OwnedMemory
    /// NV12 frames converted to three planes.
    private let planes: (layout: FrameLayout, memory: OwnedMemory)?

    init(_ source: Source, _ shape: FrameShape, _ pixelFormat: PixelFormat) {
        self.source = source
        let turn = source.orientation.followed(by: shape.orientation)
        let shown = FrameShape(size: shape.size, crop: shape.crop, orientation: turn).geometry(of: source.size)
        visibleSize = shown.size
        // An unchanged picture also has the frame's additional column and row. BGRA frames may have none in memory.
        geometry = shown.isIdentity && source.format != .bgra ? PictureGeometry(source: source.memory) : shown
        let layout = FrameLayout(pixelFormat: pixelFormat, size: shown.size.roundedUpToEven)
        renderer = PictureRenderer(geometry, layout: layout)
        picture = OwnedMemory(zeros: layout.slotBytes)
        planes =
            source.format == .nv12
            ? {
                let layout = FrameLayout(pixelFormat: .i420, size: source.memory)
                return (layout, OwnedMemory(byteCount: layout.slotBytes))
            }() : nil
    }

    /// Draws the parts that depend on `damage` of the frame. Returns the changed parts of the picture.
    func draw(_ damage: DamageRegion, of frame: borrowing PixelBuffer) -> DamageRegion {
        let region = geometry.map(DamageRegion(damage, size: geometry.source))
        renderer.draw(region, of: pixels(frame, damage), at: picture.base)
        return DamageRegion(region, size: renderer.layout.size)
    }

    private func pixels(_ frame: borrowing PixelBuffer, _ damage: DamageRegion) -> PictureSource {
        func plane(_ index: Int) -> UnsafeMutablePointer<UInt8> {
            // The plane is only read.
            UnsafeMutableRawPointer(mutating: frame[plane: index].base).assumingMemoryBound(to: UInt8.self)
        }
        switch frame.format {
        case .bgra: return .bgra(base: frame[plane: 0].base, stride: frame[plane: 0].stride)
        case .i420:
            return .planar(
                PlanarFrame(
                    size: frame.size, y: plane(0), u: plane(1), v: plane(2), lumaStride: frame[plane: 0].stride,
                    chromaStride: frame[plane: 1].stride))
        case .nv12:
            guard let planes else { preconditionFailure("made for other frames") }
            let to = planes.layout.i420(at: planes.memory.base)
            for rect in damage.rectangles() {
                let part = to.part(rect)
                let luma = frame[plane: 0].stride
                let pairs = frame[plane: 1].stride
                NV12ToI420(
                    plane(0) + rect.y * luma + rect.x, Int32(luma), plane(1) + rect.y / 2 * pairs + rect.x,
                    Int32(pairs),
                    part.y, Int32(part.lumaStride), part.u, Int32(part.chromaStride), part.v, Int32(part.chromaStride),
                    Int32(rect.width), Int32(rect.height))
            }
            return .planar(to)
        }
    }

    func lend<Result, Failure: Error>(
        _ body: (borrowing PixelBuffer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let layout = renderer.layout
        let extents = layout.pixelFormat.planeExtents(of: layout.size)
        func plane(_ index: Int) -> PixelBuffer.PlaneMemory {
            PixelBuffer.PlaneMemory(
                base: picture.base + layout.planeOffsets[index], stride: layout.planeStrides[index],
                rowBytes: extents[index].rowBytes, rows: extents[index].rows)
        }
        return try body(
            PixelBuffer(
                format: layout.pixelFormat, size: layout.size, visibleSize: visibleSize, first: plane(0),
                second: extents.count > 1 ? plane(1) : nil, third: extents.count > 2 ? plane(2) : nil))
    }
}
