// Maps a source's pixels to a picture, in whole pixels.

/// A part of a source, turned upright and scaled to a place in the picture; the rest of the picture is black.
public struct PictureGeometry: Hashable, Sendable {
    /// The visible part of the upright source, and how it fills the picture.
    public enum Crop: Hashable, Codable, Sendable {
        /// All of the source, as large as fits; the rest of the picture is black.
        case fit
        /// The middle of the source, cropped to fill the picture.
        case fill
        /// A part of the upright source, in its pixels, as large as fits. Clipped to the source.
        case part(PixelRect)
    }

    /// The source's size, before it is turned.
    public let source: PixelSize
    public let orientation: Orientation
    /// The picture's size.
    public let size: PixelSize
    /// The visible part of the source, in its own pixels.
    public let part: PixelRect
    /// The part's place in the picture.
    public let place: PixelRect

    /// The picture of a source.
    ///
    /// A crop outside the source shows all of it. Without a size, the picture has the size of the visible part.
    public init(source: PixelSize, orientation: Orientation = .up, crop: Crop = .fit, size: PixelSize? = nil) {
        let upright = PixelRect(size: orientation.turned(source))
        var shown = upright
        switch crop {
        case .fit: break
        case .fill:
            guard let size else { break }
            // The largest part of the picture's shape, in the middle.
            let fitted = size.aspectFit(into: upright.size)
            shown = PixelRect(
                x: (upright.width - fitted.width) / 2, y: (upright.height - fitted.height) / 2, width: fitted.width,
                height: fitted.height)
        case .part(let rect):
            let common = rect.intersection(upright)
            if !common.isEmpty { shown = common }
        }
        let size = size ?? shown.size
        // A part cropped to the picture's shape differs by less than a pixel: not enough for a border.
        let fitted = crop == .fill ? size : shown.size.aspectFit(into: size)
        self.source = source
        self.orientation = orientation
        self.size = size
        part = orientation.turnedBack(shown, of: source)
        place = PixelRect(
            x: (size.width - fitted.width) / 2, y: (size.height - fitted.height) / 2, width: fitted.width,
            height: fitted.height)
    }

    /// All of the source at `place` of a picture, upright.
    public init(source: PixelSize, place: PixelRect, in size: PixelSize) {
        self.source = source
        self.place = place
        self.size = size
        orientation = .up
        part = PixelRect(size: source)
    }

    /// The middle of the source, cropped to fill `place` of a picture.
    public init(source: PixelSize, orientation: Orientation, place: PixelRect, in size: PixelSize) {
        let filled = PictureGeometry(source: source, orientation: orientation, crop: .fill, size: place.size)
        self.source = source
        self.orientation = orientation
        self.place = place
        self.size = size
        part = filled.part
    }

    private init(of geometry: PictureGeometry, filling size: PixelSize) {
        source = geometry.source
        orientation = geometry.orientation
        part = geometry.part
        place = PixelRect(size: size)
        self.size = size
    }

    /// The same part and rotation, scaled to fill another picture, whatever its shape.
    package func filling(_ size: PixelSize) -> PictureGeometry { PictureGeometry(of: self, filling: size) }

    /// The visible part's size after scaling, before turning.
    package var scaledSize: PixelSize { orientation.turned(place.size) }

    /// Whether the picture equals the source.
    public var isIdentity: Bool {
        orientation == .up && source == size && part == PixelRect(size: source) && place == PixelRect(size: size)
    }

    /// The scaled pixels on each side of a pixel that depend on it: the filters also read its neighbours, which are
    /// farther apart if the frame grows.
    private static func margin(_ from: Int, _ to: Int) -> Int { 2 + to / from }

    /// The pixels of the picture that depend on `rect` of the source.
    package func map(_ rect: PixelRect) -> PixelRect {
        let inside = rect.intersection(part)
        guard !inside.isEmpty else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        let from = part.size
        let to = scaledSize
        let across = from == to ? 0 : Self.margin(from.width, to.width)
        let down = from == to ? 0 : Self.margin(from.height, to.height)
        let left = (inside.x - part.x) * to.width / from.width - across
        let top = (inside.y - part.y) * to.height / from.height - down
        let right = ((inside.maxX - part.x) * to.width + from.width - 1) / from.width + across
        let bottom = ((inside.maxY - part.y) * to.height + from.height - 1) / from.height + down
        let scaled = PixelRect(x: left, y: top, width: right - left, height: bottom - top)
            .intersection(PixelRect(size: to))
        return orientation.turned(scaled, of: to).offset(x: place.x, y: place.y)
    }

    /// The pixel of the picture that shows the middle of a pixel of the source; nil: none does.
    package func map(_ point: PixelPoint) -> PixelPoint? {
        guard part.contains(point) else { return nil }
        let to = scaledSize
        let scaled = PixelRect(
            x: (2 * (point.x - part.x) + 1) * to.width / (2 * part.width),
            y: (2 * (point.y - part.y) + 1) * to.height / (2 * part.height), width: 1, height: 1)
        let turned = orientation.turned(scaled, of: to)
        return PixelPoint(x: turned.x + place.x, y: turned.y + place.y)
    }

    /// The tiles of the picture that depend on `region` of the source.
    public func map(_ region: DamageRegion) -> DamageRegion {
        precondition(region.size == source, "damage of another source")
        if isIdentity { return region }
        var mapped = DamageRegion(size: size)
        for rect in region.rectangles() { mapped.insert(map(rect)) }
        return mapped
    }
}
