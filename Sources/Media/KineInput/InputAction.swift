// What a person does with mouse and keyboard, and what they see of it: as sources report it and takes record it.
import KineMedia

/// One action. Places are pixels of the picture, or of the frame of the source that reports it.
public enum InputAction: Equatable, Sendable {
    /// The pointer is there now; nil: outside the picture, or hidden.
    case pointer(PixelPoint?)
    /// The pointer looks so now; nil: unknown.
    case image(PointerImage?)
    /// Counts where the pointer is in the picture.
    case pressed(PointerButton)
    case released(PointerButton)
    /// Steps of the wheel: right and down are positive.
    case scrolled(x: Int, y: Int)
    /// A key other than a modifier was pressed, in a window of the picture.
    case typed
    /// The window that has the keyboard; nil: none in the picture.
    case focused(PixelRect?)
    /// The picture has changed there.
    case changed([PixelRect])
}

extension InputAction {
    /// The action with its places moved.
    public func offset(x: Int, y: Int) -> InputAction {
        switch self {
        case .pointer(let place): .pointer(place?.offset(x: x, y: y))
        case .focused(let rect): .focused(rect?.offset(x: x, y: y))
        case .changed(let rects): .changed(rects.map { $0.offset(x: x, y: y) })
        case .image, .pressed, .released, .scrolled, .typed: self
        }
    }
}

/// An action at a time of the take.
public struct TimedInput: Equatable, Sendable {
    public var action: InputAction
    public var time: MediaTime

    public init(_ action: InputAction, at time: MediaTime) { (self.action, self.time) = (action, time) }
}
