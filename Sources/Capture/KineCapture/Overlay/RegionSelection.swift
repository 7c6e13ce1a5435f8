// The rectangle that a person draws on the screen with the mouse. Pure.
import KineMedia
import KineText

/// Follows the mouse from the press of a button to its release.
package struct RegionSelection: Equatable {
    package enum Event: Equatable {
        /// Buttons have X11's numbers: 1 is the left one. Points are pixels of the screen.
        case pressed(button: Int, at: PixelPoint)
        case moved(to: PixelPoint)
        case released(button: Int, at: PixelPoint)
        /// The Escape key.
        case escaped
    }

    package enum State: Equatable {
        /// No button is pressed yet.
        case waiting
        case drawing(from: PixelPoint, to: PixelPoint)
        case drawn(PixelRect)
        case cancelled
    }

    package private(set) var state = State.waiting
    private let screen: PixelRect

    private static let leftButton = 1
    private static let rightButton = 3

    package init(screen: PixelSize) { self.screen = PixelRect(size: screen) }

    /// The rectangle to show, including the pixels at both corners. Nil before drawing.
    package var rect: PixelRect? {
        switch state {
        case .drawing(let from, let to):
            PixelRect(
                x: min(from.x, to.x), y: min(from.y, to.y), width: abs(to.x - from.x) + 1,
                height: abs(to.y - from.y) + 1
            ).intersection(screen)
        case .drawn(let rect): rect
        case .waiting, .cancelled: nil
        }
    }

    /// Whether the selection is complete or cancelled.
    var isOver: Bool {
        switch state {
        case .waiting, .drawing: false
        case .drawn, .cancelled: true
        }
    }

    package mutating func handle(_ event: Event) {
        switch (state, event) {
        case (.drawn, _), (.cancelled, _): break
        case (_, .escaped), (_, .pressed(Self.rightButton, _)): state = .cancelled
        case (.waiting, .pressed(Self.leftButton, let point)): state = .drawing(from: point, to: point)
        case (.drawing(let from, _), .moved(let point)): state = .drawing(from: from, to: point)
        case (.drawing(let from, _), .released(Self.leftButton, let point)):
            state = .drawing(from: from, to: point)
            // A click, or a rectangle too small to record, is ignored.
            let sides = VideoCodec.frameSides
            guard let rect, sides.contains(rect.width), sides.contains(rect.height) else { return state = .waiting }
            state = .drawn(rect)
        case (.waiting, _), (.drawing, _): break
        }
    }
}
