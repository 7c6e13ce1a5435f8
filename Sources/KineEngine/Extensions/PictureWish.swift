// What an extension's wish for uncompressed pictures means for a take of a given size and rate. Pure.
import KineImaging
import KineMedia
import KineServices

struct PictureWish: Equatable {
    let layout: FrameLayout
    /// To show; odd only where it is the take's own.
    let visibleSize: PixelSize
    /// At most so many; nil: every picture.
    let framesPerSecond: Int?
    /// The encoder's own pictures are what is wanted.
    let isOwn: Bool

    /// Nil where the manifest does not ask for uncompressed pictures. `size`: the take's, to show.
    init?(_ manifest: ServiceManifest, size: PixelSize, framesPerSecond takeRate: Int) {
        guard case .raw(let pixelFormat, let maximumSize, let rate) = manifest.video else { return nil }
        visibleSize = Self.fit(size, into: maximumSize)
        layout = FrameLayout(pixelFormat: pixelFormat, size: visibleSize.roundedUpToEven)
        framesPerSecond = rate.flatMap { $0 < takeRate ? max(1, $0) : nil }
        isOwn = pixelFormat == .i420 && visibleSize == size
    }

    /// The largest picture of that shape that is no larger, with even sides; the size itself where it is not too large.
    static func fit(_ size: PixelSize, into limit: PixelSize?) -> PixelSize {
        guard let limit, size.width > limit.width || size.height > limit.height else { return size }
        let fitted = size.aspectFit(into: limit)
        return PixelSize(width: max(2, fitted.width & ~1), height: max(2, fitted.height & ~1))
    }
}
