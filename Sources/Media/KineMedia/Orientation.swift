// The rotation or mirroring that makes a frame upright.

/// The position of a frame's first row and column in the upright picture, by the names of CGImagePropertyOrientation
/// and the values of EXIF's tag 0x0112 (CIPA DC-008, 4.6.4). A screen is `up` unless its take turns it.
public enum Orientation: Int, Sendable, Codable, CaseIterable {
    case up = 1
    /// Needs mirroring, left and right.
    case upMirrored = 2
    /// Needs a turn by 180°.
    case down = 3
    /// Needs mirroring, top and bottom.
    case downMirrored = 4
    /// Needs mirroring at the diagonal from the top left.
    case leftMirrored = 5
    /// Needs a turn by 90°, clockwise.
    case right = 6
    /// Needs mirroring at the diagonal from the top right.
    case rightMirrored = 7
    /// Needs a turn by 270°, clockwise.
    case left = 8
}

// Each orientation exchanges rows and columns, or not, and then mirrors in either direction, or not.
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

    /// The orientation that combines this one and then `next`.
    public func followed(by next: Orientation) -> Orientation {
        let isTransposed = isTransposed != next.isTransposed
        // If rows and columns are exchanged, an earlier mirroring changes direction.
        let across = (next.isTransposed ? isMirroredDown : isMirroredAcross) != next.isMirroredAcross
        let down = (next.isTransposed ? isMirroredAcross : isMirroredDown) != next.isMirroredDown
        return Orientation(isTransposed: isTransposed, isMirroredAcross: across, isMirroredDown: down)
    }

    /// The orientation that undoes this one.
    public var inverse: Orientation {
        switch self {
        case .right: .left
        case .left: .right
        // A mirroring and a half turn undo themselves.
        case .up, .upMirrored, .down, .downMirrored, .leftMirrored, .rightMirrored: self
        }
    }

    /// The size of a frame of `size` after turning; also the size before turning, since an exchange undoes itself.
    public func turned(_ size: PixelSize) -> PixelSize {
        isTransposed ? PixelSize(width: size.height, height: size.width) : size
    }

    /// The position in the upright picture of a part of a frame of `size`.
    package func turned(_ rect: PixelRect, of size: PixelSize) -> PixelRect {
        mirrored(isTransposed ? rect.transposed : rect, in: turned(size))
    }

    /// The part of a frame of `size` that appears at `rect` of the upright picture.
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
