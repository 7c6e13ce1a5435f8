// The window that a scene is shown in on Wayland: it fills what the compositor gives it.
import KineMeasure
import KineMedia
import KinePlatform
import WaylandWindow

/// One connection with a compositor, with one window. Used by one thread.
final class WaylandSceneWindow: SceneSurface {
    enum Error: Swift.Error, CustomStringConvertible {
        case notOpened(String)
        case compositorWentAway

        var description: String {
            switch self {
            case .notOpened(let complaint):
                "No window can be shown: \(complaint). Set WAYLAND_DISPLAY to a compositor's, or DISPLAY to an X server's."
            case .compositorWentAway: "The compositor closed the connection: it was ended or it crashed."
            }
        }
    }

    let canvas: Canvas
    let id: UInt32 = 0
    private let window: OpaquePointer

    /// Opens the window and shows nothing in it yet. `size` nil: all that there is room for.
    init(size: PixelSize?, title: String) throws(Error) {
        var place = kine_window_place()
        if let size { (place.width, place.height) = (Int32(size.width), Int32(size.height)) }
        var complaint: UnsafePointer<CChar>?
        guard let window = kine_window_open(nil, title, &place, &complaint) else {
            throw .notOpened(complaint.map { String(cString: $0) } ?? "there is no memory for it")
        }
        self.window = window
        canvas = Canvas(
            pixels: kine_window_pixels(window), width: Int(kine_window_width(window)),
            height: Int(kine_window_height(window)))
    }

    deinit { kine_window_close(window) }

    func show(_ steps: [DrawStep]) throws -> Int64 {
        for step in steps {
            let rect =
                switch step {
                case .put(let rect): rect
                case .scrollUp(let rect, _): rect
                }
            kine_window_damage(window, Int32(rect.x), Int32(rect.y), Int32(rect.width), Int32(rect.height))
        }
        guard kine_window_show(window) == 0 else { throw Error.compositorWentAway }
        return MonotonicClock.now()
    }
}
