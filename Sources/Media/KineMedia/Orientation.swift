// The turn that brings a frame upright before it is shown.

/// The place of a frame's first row and column in the upright picture, by the names of CGImagePropertyOrientation and the values of
/// EXIF's tag 0x0112 (CIPA DC-008, 4.6.4). A screen is `up` unless its take turns it.
public enum Orientation: Int, Sendable, Codable, CaseIterable {
    /// As it is.
    case up = 1
    /// To be mirrored, left and right.
    case upMirrored = 2
    /// To be turned by 180°.
    case down = 3
    /// To be mirrored, top and bottom.
    case downMirrored = 4
    /// To be mirrored at the diagonal from the top left.
    case leftMirrored = 5
    /// To be turned by 90°, clockwise.
    case right = 6
    /// To be mirrored at the diagonal from the top right.
    case rightMirrored = 7
    /// To be turned by 270°, clockwise.
    case left = 8
}

// Every turn is an exchange of rows and columns, or none, and then a mirroring in either direction, or none.
extension Orientation {
    /// Whether rows become columns.
    public var isTransposed: Bool { rawValue > 4 }
    /// Whether left and right are exchanged, after rows and columns.
    package var isMirroredAcross: Bool { [.upMirrored, .down, .right, .rightMirrored].contains(self) }
    /// Whether top and bottom are exchanged, after rows and columns.
    package var isMirroredDown: Bool { [.downMirrored, .down, .left, .rightMirrored].contains(self) }

    package init(isTransposed: Bool, isMirroredAcross: Bool, isMirroredDown: Bool) {
        let same = Orientation.allCases.first {
            $0.isTransposed == isTransposed && $0.isMirroredAcross == isMirroredAcross
                && $0.isMirroredDown == isMirroredDown
        }
        self = same ?? .up
    }

    /// The orientation of a frame that is turned by this one and then by `next`.
    public func followed(by next: Orientation) -> Orientation {
        let isTransposed = isTransposed != next.isTransposed
        // Where rows and columns are exchanged, an earlier mirroring goes the other way.
        let across = (next.isTransposed ? isMirroredDown : isMirroredAcross) != next.isMirroredAcross
        let down = (next.isTransposed ? isMirroredAcross : isMirroredDown) != next.isMirroredDown
        return Orientation(isTransposed: isTransposed, isMirroredAcross: across, isMirroredDown: down)
    }

    /// The orientation that undoes this one: a frame that is turned by both is as it was.
    public var inverse: Orientation {
        switch self {
        case .right: .left
        case .left: .right
        // A mirroring undoes itself, as does a half turn.
        case .up, .upMirrored, .down, .downMirrored, .leftMirrored, .rightMirrored: self
        }
    }

    /// The size of a frame when it is upright; and, as an exchange undoes itself, the size of an upright one when it is not.
    public func turned(_ size: PixelSize) -> PixelSize {
        isTransposed ? PixelSize(width: size.height, height: size.width) : size
    }

    /// The place in the upright picture of a part of a frame of `size`.
    package func turned(_ rect: PixelRect, of size: PixelSize) -> PixelRect {
        mirrored(isTransposed ? rect.transposed : rect, in: turned(size))
    }

    /// The part of a frame of `size` that is seen at `rect` of the upright picture.
    package func turnedBack(_ rect: PixelRect, of size: PixelSize) -> PixelRect {
        let mirrored = mirrored(rect, in: turned(size))
        return isTransposed ? mirrored.transposed : mirrored
    }

    private func mirrored(_ rect: PixelRect, in size: PixelSize) -> PixelRect {
        PixelRect(
            x: isMirroredAcross ? size.width - rect.maxX : rect.x, y: isMirroredDown ? size.height - rect.maxY : rect.y,
            width: rect.width, height: rect.height)
    }
}

extension PixelRect {
    fileprivate var transposed: PixelRect { PixelRect(x: y, y: x, width: height, height: width) }
}
