// What of a screen the picture of a take shows.
import KineMedia

public struct PictureView: Sendable {
    public var geometry: PictureGeometry
    /// The frame's place on the screen.
    public var origin: PixelPoint
    /// As `VideoSource.hiddenPlaces`.
    public var hiddenPlaces: [PixelRect]

    public init(geometry: PictureGeometry, origin: PixelPoint, hiddenPlaces: [PixelRect]) {
        (self.geometry, self.origin, self.hiddenPlaces) = (geometry, origin, hiddenPlaces)
    }

    /// The pixel of the frame for one of the screen; nil: the picture does not show it.
    public func framePlace(of place: PixelPoint) -> PixelPoint? {
        // Beyond that are no screens.
        guard abs(place.x.clamped) < 1 << 20, abs(place.y.clamped) < 1 << 20 else { return nil }
        let inFrame = place.offset(x: -origin.x, y: -origin.y)
        guard geometry.map(inFrame) != nil, !hiddenPlaces.contains(where: { $0.contains(inFrame) }) else { return nil }
        return inFrame
    }
}

extension Int {
    /// Within 32 bits.
    fileprivate var clamped: Int { Int(Int32(clamping: self)) }
}
