// The window that a scene is shown in on X11: override-redirect, no cursor of its own, fed from shared memory.
import CLinux
import CXCB
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

/// A window that shows a canvas. Used by one thread.
protocol SceneSurface: AnyObject {
    var canvas: Canvas { get }
    /// The window's number for others; 0: it has none.
    var id: UInt32 { get }

    /// Carries out `steps`, of which the canvas has the outcome, and waits until they can be seen. Returns the instant after that, in
    /// nanoseconds of CLOCK_MONOTONIC.
    func show(_ steps: [DrawStep]) throws -> Int64
}

/// One X connection with one window. Used by one thread.
final class SceneWindow: SceneSurface {
    enum Error: Swift.Error, CustomStringConvertible {
        case cannotConnect(display: String)
        case noSharedMemory
        case unsuitableDepth(UInt8)
        case serverWentAway

        var description: String {
            switch self {
            case .cannotConnect(let display):
                "No X server answers at display “\(display)”: set DISPLAY, and XAUTHORITY where it asks for a cookie."
            case .noSharedMemory:
                "The X server could not share memory: run on the same machine as the server, and look at `ipcs -l`."
            case .unsuitableDepth(let depth):
                "The screen has a depth of \(depth); start the X server with a depth of 24."
            case .serverWentAway: "The X server closed the connection: it was ended or it crashed."
            }
        }
    }

    let canvas: Canvas
    let id: UInt32

    private let connection: OpaquePointer
    private let context: UInt32
    private let segment: UInt32
    private let memory: UnsafeMutableRawPointer

    /// Opens the window and shows nothing in it yet. `size` nil means the whole screen.
    init(size wanted: PixelSize?, at position: (x: Int, y: Int), title: String, managed: Bool) throws(Error) {
        let display = getenv("DISPLAY").map { String(cString: $0) } ?? ""
        guard let connection = xcb_connect(nil, nil), xcb_connection_has_error(connection) == 0,
            let screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data
        else { throw .cannotConnect(display: display) }
        self.connection = connection
        guard screen.pointee.root_depth == 24 else { throw .unsuitableDepth(screen.pointee.root_depth) }
        let size =
            wanted
            ?? PixelSize(
                width: Int(screen.pointee.width_in_pixels), height: Int(screen.pointee.height_in_pixels))

        // Memory that the server reads frames from; it disappears with the last of both processes.
        let identifier = shmget(0, size.area * 4, 0o1000 | 0o600)  // IPC_PRIVATE; IPC_CREAT
        guard identifier >= 0, let memory = shmat(identifier, nil, 0), Int(bitPattern: memory) != -1 else {
            throw .noSharedMemory
        }
        segment = xcb_generate_id(connection)
        let failure = xcb_request_check(
            connection, xcb_shm_attach_checked(connection, segment, UInt32(identifier), 1))
        shmctl(identifier, 0, nil)  // IPC_RMID
        if let failure {
            free(failure)
            throw .noSharedMemory
        }
        self.memory = memory
        canvas = Canvas(
            pixels: memory.bindMemory(to: UInt32.self, capacity: size.area), width: size.width, height: size.height)

        id = xcb_generate_id(connection)
        context = xcb_generate_id(connection)
        open(on: screen, size: size, at: position, title: title, managed: managed)
    }

    deinit {
        xcb_disconnect(connection)
        shmdt(memory)
    }

    private func open(
        on screen: UnsafeMutablePointer<xcb_screen_t>, size: PixelSize, at position: (x: Int, y: Int), title: String,
        managed: Bool
    ) {
        // A pointer over the window is not part of the frame that the scene knows.
        let pixmap = xcb_generate_id(connection)
        let cursor = xcb_generate_id(connection)
        xcb_create_pixmap(connection, 1, pixmap, screen.pointee.root, 1, 1)
        let eraser = xcb_generate_id(connection)
        let nothing: [UInt32] = [0]
        xcb_create_gc(connection, eraser, pixmap, XCB_GC_FOREGROUND.rawValue, nothing)
        var dot = xcb_rectangle_t(x: 0, y: 0, width: 1, height: 1)
        xcb_poly_fill_rectangle(connection, pixmap, eraser, 1, &dot)
        xcb_create_cursor(connection, cursor, pixmap, pixmap, 0, 0, 0, 0, 0, 0, 0, 0)

        let values: [UInt32] = [screen.pointee.black_pixel, managed ? 0 : 1, cursor]
        xcb_create_window(
            connection, 24, id, screen.pointee.root, Int16(position.x), Int16(position.y), UInt16(size.width),
            UInt16(size.height), 0, UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), screen.pointee.root_visual,
            XCB_CW_BACK_PIXEL.rawValue | XCB_CW_OVERRIDE_REDIRECT.rawValue | XCB_CW_CURSOR.rawValue, values)
        xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), id, XCB_ATOM_WM_NAME.rawValue,
            XCB_ATOM_STRING.rawValue, 8, UInt32(title.utf8.count), title)
        let name = "kinecast-scene\0kinecast-scene\0"
        xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), id, XCB_ATOM_WM_CLASS.rawValue,
            XCB_ATOM_STRING.rawValue, 8, UInt32(name.utf8.count), name)
        xcb_create_gc(connection, context, id, 0, nil)
        xcb_map_window(connection, id)
    }

    /// The steps are one burst, which the server carries out without another client in between. What it could not copy is another.
    func show(_ steps: [DrawStep]) throws(Error) -> Int64 {
        for step in steps {
            switch step {
            case .put(let rect): put(rect)
            case .scrollUp(let rect, let rows):
                xcb_copy_area(
                    connection, id, id, context, Int16(rect.x), Int16(rect.y + rows), Int16(rect.x), Int16(rect.y),
                    UInt16(rect.width), UInt16(rect.height - rows))
            }
        }
        try finish()
        guard putMissing() else { return MonotonicClock.now() }
        try finish()
        return MonotonicClock.now()
    }

    private func put(_ rect: PixelRect) {
        let part = rect.intersection(canvas.bounds)
        guard !part.isEmpty else { return }
        xcb_shm_put_image(
            connection, id, context, UInt16(canvas.width), UInt16(canvas.height), UInt16(part.x), UInt16(part.y),
            UInt16(part.width), UInt16(part.height), Int16(part.x), Int16(part.y), 24,
            UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), 0, segment, 0)
    }

    /// Waits until the server has carried out all requests and no longer reads the shared memory. It answers them in order.
    private func finish() throws(Error) {
        guard let reply = xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nil) else {
            throw .serverWentAway
        }
        free(reply)
    }

    /// Draws what could not be copied, since another window covered it, as terminals do. Returns whether there was any.
    private func putMissing() -> Bool {
        var isAny = false
        while let event = xcb_poll_for_queued_event(connection) {
            defer { free(event) }
            guard event.pointee.response_type & 0x7f == UInt8(XCB_GRAPHICS_EXPOSURE) else { continue }
            event.withMemoryRebound(to: xcb_graphics_exposure_event_t.self, capacity: 1) {
                let e = $0.pointee
                put(PixelRect(x: Int(e.x), y: Int(e.y), width: Int(e.width), height: Int(e.height)))
            }
            isAny = true
        }
        return isAny
    }
}
