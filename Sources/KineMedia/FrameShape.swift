// What a reader of uncompressed frames wants to see of them.

/// The orientation in which a reader gets the frames of a take that is turned.
public enum FrameOrientation: String, Hashable, Codable, CaseIterable, Sendable {
    /// Turned as the take is. Each sample's orientation is `up`.
    case upright
    /// As the source has them: the take's turn is undone, and each sample's orientation is the take's, which says how to turn the
    /// frame to be upright. A size, a limit or a part is that of the frame as it is handed over, before it is turned to be shown.
    case source
}

/// The part of a take's picture that frames show, how it is turned, and their size.
public struct FrameShape: Hashable, Codable, Sendable {
    /// The frames' size in pixels, with even sides; nil: that of what they show.
    public var size: PixelSize?
    /// The part of the picture, after it is turned. If none of it is in the picture, all of the picture is shown.
    public var crop: PictureGeometry.Crop
    /// The picture is turned as one of this orientation is to be upright: `right` turns it by 90°, clockwise.
    public var orientation: Orientation

    public init(size: PixelSize? = nil, crop: PictureGeometry.Crop = .fit, orientation: Orientation = .up) {
        self.size = size
        self.crop = crop
        self.orientation = orientation
    }

    /// The way from pictures of `source` to the frames. Where the shape has no size, larger frames are scaled down to fit into `limit`,
    /// with even sides.
    public func geometry(of source: PixelSize, fitting limit: PixelSize? = nil) -> PictureGeometry {
        let geometry = PictureGeometry(source: source, orientation: orientation, crop: crop, size: size)
        guard size == nil, let limit, geometry.size.width > limit.width || geometry.size.height > limit.height else {
            return geometry
        }
        let fitted = geometry.size.aspectFit(into: limit)
        return geometry.filling(PixelSize(width: max(2, fitted.width & ~1), height: max(2, fitted.height & ~1)))
    }
}
