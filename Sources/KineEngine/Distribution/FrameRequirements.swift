// The uncompressed frames that a service asks for, in a take of a given size and rate. Pure.
import KineImaging
import KineMedia
import KineServices

struct FrameRequirements: Equatable {
    let layout: FrameLayout
    /// The visible size; it has odd sides only if it is the take's own.
    let visibleSize: PixelSize
    /// The highest rate; nil: every frame.
    let framesPerSecond: Int?
    /// The encoder's own frames meet them, and are read in place.
    let isNative: Bool

    /// Nil if the manifest does not ask for uncompressed frames. `size`: the take's visible size.
    init?(_ manifest: ServiceManifest, size: PixelSize, framesPerSecond takeRate: Int) {
        guard case .raw(let pixelFormat, let maximumSize, let rate) = manifest.video else { return nil }
        visibleSize = Self.fit(size, into: maximumSize)
        layout = FrameLayout(pixelFormat: pixelFormat, size: visibleSize.roundedUpToEven)
        framesPerSecond = rate.flatMap { $0 < takeRate ? max(1, $0) : nil }
        isNative = pixelFormat == .i420 && visibleSize == size
    }

    /// The largest size of the same shape within the limit, with even sides; the size itself if it is within.
    private static func fit(_ size: PixelSize, into limit: PixelSize?) -> PixelSize {
        guard let limit, size.width > limit.width || size.height > limit.height else { return size }
        let fitted = size.aspectFit(into: limit)
        return PixelSize(width: max(2, fitted.width & ~1), height: max(2, fitted.height & ~1))
    }
}
