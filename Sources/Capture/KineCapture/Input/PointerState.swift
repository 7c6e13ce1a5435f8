// The mouse pointer and what a person does with it, as a source reports them beside its frames.
import KineInput
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

        /// The same image for a recording's input track; nil: it has no area, which hides the pointer.
        package var recorded: PointerImage? {
            guard picture.size.area > 0 else { return nil }
            return PointerImage(
                size: picture.size, hotspot: PixelPoint(x: hotSpot.x, y: hotSpot.y), pixels: picture.pixels)
        }

        public static func == (one: Image, other: Image) -> Bool { one.id == other.id }
    }

    /// Nil: the pointer is hidden, or its image was not asked for.
    public var image: Image?
    /// The pixel of the frame at which the pointer points; nil: it is outside the source.
    public var place: PixelPoint?

    public init(image: Image? = nil, place: PixelPoint? = nil) { (self.image, self.place) = (image, place) }
}

/// One action of a person, with places in the frame, and its instant in nanoseconds of CLOCK_MONOTONIC.
public struct InputEvent: Equatable, Sendable {
    public var action: InputAction
    public var instant: Int64

    public init(_ action: InputAction, at instant: Int64) { (self.action, self.instant) = (action, instant) }
}

/// Reports for what is recorded beside the frames where the pointer is, and how it looks.
package struct PointerLog: Sendable {
    private var last = PointerState()
    private var events: [InputEvent] = []

    package init() {}

    /// - Parameters:
    ///   - state: without a place where the pointer is over something that the frames hide.
    ///   - instant: nanoseconds of CLOCK_MONOTONIC.
    package mutating func note(_ state: PointerState, at instant: Int64) {
        var state = state
        if state.image?.recorded == nil { state = PointerState(image: last.image) }
        if state.image != last.image { events.append(InputEvent(.image(state.image?.recorded), at: instant)) }
        if state.place != last.place { events.append(InputEvent(.pointer(state.place), at: instant)) }
        last = state
    }

    package mutating func take() -> [InputEvent] {
        defer { events = [] }
        return events
    }
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
