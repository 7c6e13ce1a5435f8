// The mouse pointer and what a person does with it, as a source reports them beside its frames.
import KineMedia
import Synchronization

/// The pointer of a source whose frames do not contain it.
public struct PointerState: Equatable, Sendable {
    /// An image of the pointer. Two images are equal if their ids are.
    public struct Image: Equatable, Sendable {
        /// Unique in this process.
        public let id: Int
        package let picture: OverlayImage
        /// The pixel of the picture at the pointer's position.
        public let hotSpot: (x: Int, y: Int)

        private static let lastID = Atomic(0)

        package init(_ picture: OverlayImage, hotSpot: (x: Int, y: Int)) {
            id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
            (self.picture, self.hotSpot) = (picture, hotSpot)
        }

        public static func == (one: Image, other: Image) -> Bool { one.id == other.id }
    }

    /// Nil: the pointer is hidden, or its image was not asked for.
    public var image: Image?
    /// The pixel of the frame at which the pointer points; nil: it is outside the source.
    public var place: PixelPoint?

    public init(image: Image? = nil, place: PixelPoint? = nil) { (self.image, self.place) = (image, place) }
}

/// One action with the mouse, and its instant in nanoseconds of CLOCK_MONOTONIC. It happens where the pointer is.
public enum InputEvent: Equatable, Sendable {
    case pressed(PointerButton, at: Int64)
    case released(PointerButton, at: Int64)
    /// Steps of the wheel: right and down are positive.
    case scrolled(x: Int, y: Int, at: Int64)
}

/// The newest badge of pressed keys.
public struct KeyPicture: Sendable {
    package var image: OverlayImage
    /// The time at which it appears (CLOCK_MONOTONIC), and the nanoseconds before it starts to fade.
    public var since: Int64
    public var hold: Int64

    package init(_ image: OverlayImage = .empty, since: Int64 = 0, hold: Int64 = 0) {
        (self.image, self.since, self.hold) = (image, since, hold)
    }
}
