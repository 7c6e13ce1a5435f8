// A Wayland client that shows surfaces of one colour above everything else, or windows. Every call returns after the compositor has drawn
// it, unless it says otherwise.
import KineMedia
import WaylandWindow

/// A surface on an output of sway, or of another compositor with wlr-layer-shell. Used by one thread; it goes with the last reference.
package final class WaylandPainter {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let window: OpaquePointer
    private var size: PixelSize

    /// Shows a surface at `rect`, in logical pixels of the output of that name; nil: of the one that the compositor chooses. A ground is below
    /// others.
    package init(
        _ rect: PixelRect, colour: UInt32, isGround: Bool = false, on output: String? = nil, display: String
    ) throws {
        size = rect.size
        window = try (output ?? "").withCString { name in
            try Self.open(
                kine_window_place(
                    layer: UInt32(isGround ? KINE_LAYER_TOP : KINE_LAYER_OVERLAY), x: Int32(rect.x), y: Int32(rect.y),
                    width: Int32(rect.width), height: Int32(rect.height),
                    output: output == nil ? nil : name), on: display)
        }
        try fill(PixelRect(size: size), colour: colour)
    }

    /// Shows an ordinary window, at the place that the compositor chooses.
    package init(windowOf size: PixelSize, colour: UInt32, display: String) throws {
        self.size = size
        var place = kine_window_place()
        (place.width, place.height) = (Int32(size.width), Int32(size.height))
        window = try Self.open(place, on: display)
        try fill(PixelRect(size: size), colour: colour)
    }

    private static func open(_ place: kine_window_place, on display: String) throws -> OpaquePointer {
        var (place, complaint) = (place, nil as UnsafePointer<CChar>?)
        guard let window = kine_window_open(display, "painter", &place, &complaint) else {
            throw Failure(description: complaint.map { String(cString: $0) } ?? "there is no memory for a window")
        }
        return window
    }

    deinit { kine_window_close(window) }

    /// Fills a part of the surface, in its own pixels.
    ///
    /// - Parameter isCovered: other windows are over it. The compositor draws it when they are not.
    package func fill(_ rect: PixelRect, colour: UInt32, isCovered: Bool = false) throws {
        guard let pixels = kine_window_pixels(window) else { return }
        for y in rect.y..<rect.maxY {
            for x in rect.x..<rect.maxX { pixels[y * size.width + x] = colour }
        }
        kine_window_damage(window, Int32(rect.x), Int32(rect.y), Int32(rect.width), Int32(rect.height))
        let result = isCovered ? kine_window_update(window) : kine_window_show(window)
        guard result == 0 else { throw Failure(description: "the compositor has gone") }
    }

    /// Gives an ordinary window another size, and one colour.
    package func resize(to size: PixelSize, colour: UInt32) throws {
        guard kine_window_resize(window, Int32(size.width), Int32(size.height)) == 0 else {
            throw Failure(description: "there is no memory for a window")
        }
        self.size = size
        try fill(PixelRect(size: size), colour: colour)
    }
}
