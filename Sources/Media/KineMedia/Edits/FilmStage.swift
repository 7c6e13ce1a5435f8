// Where a film's pixels come from: the picture, what is around it, and how much of it a film of another shape shows.

/// A rectangle in pixels of the recording's picture, with fractions.
public struct FilmRect: Equatable, Sendable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}

public struct FilmStage: Equatable, Sendable {
    /// The recording's picture, in pixels.
    public let picture: PixelSize
    /// What a film can show, in pixels of the picture: with a background more than the picture.
    public let bounds: FilmRect
    /// The film's.
    public let size: PixelSize
    /// What is shown without a zoom has this width, in pixels of the picture.
    let width: Double
    /// The film's height by its width.
    let aspect: Double

    /// - Parameters:
    ///   - picture: not empty.
    ///   - edits: valid ones.
    public init(of picture: PixelSize, _ edits: FilmEdits) {
        let (wide, high) = (Double(picture.width), Double(picture.height))
        let ratio = edits.shape?.ratio ?? wide / high
        var bounds = FilmRect(x: 0, y: 0, width: wide, height: high)
        if let background = edits.background {
            // Both sides' padding is a part of the shorter side.
            let padding = 2 * background.padding * min(1, 1 / ratio)
            bounds.width = max(wide / (1 - padding), high / (1 / ratio - padding))
            bounds.height = bounds.width / ratio
            (bounds.x, bounds.y) = ((wide - bounds.width) / 2, (high - bounds.height) / 2)
        }
        (self.picture, self.bounds) = (picture, bounds)
        width = min(bounds.width, bounds.height * ratio)
        let whole = PixelSize(width: Int(width.rounded()), height: Int((width / ratio).rounded()))
        let size = edits.size.map {
            whole.width <= $0.width && whole.height <= $0.height ? whole : whole.aspectFit(into: $0)
        }
        // Even, as 4:2:0 coding needs it, and not larger than asked for. The recording's own size may be odd.
        let shown = size ?? whole
        self.size =
            shown == picture ? shown : PixelSize(width: max(2, shown.width & ~1), height: max(2, shown.height & ~1))
        aspect = 1 / ratio
    }

    /// Whether a film without a zoom shows a part only, which then follows the pointer.
    var isPart: Bool { width < bounds.width || width * aspect < bounds.height - 1e-6 }

    /// The place of what is shown: its left, its top and its width.
    ///
    /// - Parameter scale: 1 shows as much as possible.
    func place(around x: Double, _ y: Double, scale: Double) -> SIMD3<Double> {
        let width = width / scale
        return clamped(SIMD3(x - width / 2, y - width * aspect / 2, width))
    }

    /// What stays at rest without a zoom.
    var rest: SIMD3<Double> { place(around: bounds.x + bounds.width / 2, bounds.y + bounds.height / 2, scale: 1) }

    /// Moves what is shown as little as brings a point away from its edges.
    ///
    /// - Parameter margin: as a part of its sides.
    func moved(_ place: SIMD3<Double>, to point: FilmPointer, margin: Double) -> SIMD3<Double> {
        let (wide, high) = (place.z, place.z * aspect)
        var place = place
        place.x = min(max(place.x, point.x - wide * (1 - margin)), point.x - wide * margin)
        place.y = min(max(place.y, point.y - high * (1 - margin)), point.y - high * margin)
        return clamped(place)
    }

    private func clamped(_ place: SIMD3<Double>) -> SIMD3<Double> {
        let x = max(bounds.x, min(place.x, bounds.x + bounds.width - place.z))
        let y = max(bounds.y, min(place.y, bounds.y + bounds.height - place.z * aspect))
        return SIMD3(x, y, place.z)
    }
}
