// The uncompressed frames that a service asks for, in a take of a given size and rate. Pure.
import KineMedia

struct FrameRequirements: Equatable {
    let layout: FrameLayout
    /// Maps the take's visible picture to the frames. Their visible size, `geometry.size`, has odd sides only where it
    /// equals the size of the shown part.
    let geometry: PictureGeometry
    /// The turn that makes the frames upright; each frame is tagged with it.
    let orientation: Orientation
    /// The highest rate; nil: every frame.
    let framesPerSecond: Int?
    /// The encoder's own frames meet the requirements, and are read in place.
    let isNative: Bool

    /// Nil if no uncompressed frames are wanted. `size`: the take's visible size, after its turn `turn`; `colour`: the
    /// take's.
    init?(
        _ samples: SampleRequirements, size: PixelSize, turn: Orientation = .up, colour: ColourFormat = .standard,
        framesPerSecond takeRate: Int
    ) {
        guard case .raw(let pixelFormat, let maximumSize, let rate, let wanted, let orientation) = samples.video
        else { return nil }
        var shape = wanted ?? FrameShape()
        switch orientation {
        case .upright: self.orientation = .up
        case .source:
            self.orientation = turn
            shape.orientation = turn.inverse
        }
        geometry = shape.geometry(of: size, fitting: maximumSize)
        layout = FrameLayout(pixelFormat: pixelFormat, size: geometry.size.roundedUpToEven)
        isNative = pixelFormat == .i420 && geometry.isIdentity && colour == .standard
        framesPerSecond = rate.flatMap { $0 < takeRate ? max(1, $0) : nil }
    }

    /// Whether the same frames meet both, at any rates. Their tags may differ: one may request the turn that the other
    /// undoes.
    func hasSameFrames(as other: FrameRequirements) -> Bool { layout == other.layout && geometry == other.geometry }
}
