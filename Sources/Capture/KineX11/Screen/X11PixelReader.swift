// Reads rectangles of an X drawable: by shared memory if the server is on this machine, otherwise by the connection.
import CXCB
import KineCapture
import KineMedia

/// Reads pixels of one connection. Used by the capture thread.
final class X11PixelReader {
    enum Memory {
        case shared(X11SharedMemory)
        case own(UnsafeMutableRawBufferPointer)

        var byteCount: Int {
            switch self {
            case .shared(let memory): memory.byteCount
            case .own(let bytes): bytes.count
            }
        }
    }

    private let connection: X11Connection
    private(set) var memory = Memory.own(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    /// Whether to use shared memory. False after the connection succeeded several times where shared memory failed.
    private var mayShare = true
    /// Consecutive failures of shared memory. Either it is unusable or the drawable has changed; after some failures
    /// the connection is tried.
    private var failures = 0
    /// How often the connection succeeded where shared memory failed.
    private var successes = 0
    private static let (mostFailures, mostSuccesses) = (3, 3)

    init(connection: X11Connection) { self.connection = connection }

    deinit { if case .own(let bytes) = memory { bytes.deallocate() } }

    /// Receives one rectangle, its rows packed: its place in the frame, the pixels, and the bytes of a row.
    typealias Receive = (_ rect: PixelRect, _ pixels: UnsafeMutableRawPointer, _ stride: Int) -> Void

    /// Reads the parts of `plan` with one round trip, and passes each on while the server copies the next. The parts
    /// refer to the frame, which begins at `origin` of the drawable. Pixels stay valid until the next call. Returns
    /// false if the drawable no longer contains all parts.
    ///
    /// - Parameters:
    ///   - packing: of the drawable's pixels, with four bytes each. They are converted to BGRA unless they are BGRA.
    ///   - draw: sends requests that the server carries out at the same instant, and waits for nothing.
    func read(
        _ plan: X11ReadPlan, at origin: (x: Int, y: Int), of drawable: UInt32, packing: PackedPixels = .bgra,
        after draw: (() -> Void)? = nil, _ receive: Receive
    ) -> Bool {
        let bytes = plan.parts.reduce(0) { $0 + $1.size.area * 4 }
        let triesConnection = failures >= Self.mostFailures
        prepare(bytes, isShared: mayShare && !triesConnection)
        func handOn(_ rect: PixelRect, _ pixels: UnsafeMutableRawPointer, _ stride: Int) {
            if packing != .bgra {
                packing.convert(
                    pixels, stride: stride, to: pixels, targetStride: stride, width: rect.width, height: rect.height)
            }
            receive(rect, pixels, stride)
        }
        let isComplete: Bool
        switch memory {
        case .shared(let memory): isComplete = read(plan, origin, drawable, through: memory, draw, handOn)
        case .own(let memory): isComplete = readThroughConnection(plan, origin, drawable, memory, draw, handOn)
        }
        if triesConnection, isComplete {
            successes += 1
            mayShare = mayShare && successes < Self.mostSuccesses
        }
        failures = triesConnection || isComplete || !mayShare ? 0 : failures + 1
        return isComplete
    }

    /// Whether the upper left corner of a drawable can be read.
    func canRead(_ drawable: UInt32) -> Bool {
        read(X11ReadPlan(.full(size: PixelSize(width: 1, height: 1))), at: (0, 0), of: drawable) { _, _, _ in }
    }

    /// Sends a request for each part, after those of `draw`. Grabs the server for them, and for the strips of a rectangle, so that no
    /// frame is torn. Sends all requests together: a grabbed server serves no other client, so it must not wait for us.
    private func request<Cookie>(
        _ plan: X11ReadPlan, after draw: (() -> Void)?, _ send: (PixelRect) -> Cookie
    ) -> [Cookie] {
        let isGrabbed = plan.isDivided || draw != nil
        if isGrabbed { xcb_grab_server(connection.handle) }
        defer { if isGrabbed { xcb_ungrab_server(connection.handle) } }
        draw?()
        return plan.parts.map(send)
    }

    private func read(
        _ plan: X11ReadPlan, _ origin: (x: Int, y: Int), _ drawable: UInt32, through memory: X11SharedMemory,
        _ draw: (() -> Void)?, _ receive: Receive
    ) -> Bool {
        var offset = 0
        let cookies = request(plan, after: draw) { rect in
            defer { offset += rect.size.area * 4 }
            return xcb_shm_get_image(
                connection.handle, drawable, Int16(clamping: rect.x + origin.x), Int16(clamping: rect.y + origin.y),
                UInt16(clamping: rect.width), UInt16(clamping: rect.height), ~0,
                UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), memory.id, UInt32(offset))
        }
        offset = 0
        var isComplete = true
        for (rect, cookie) in zip(plan.parts, cookies) {
            // Every reply is fetched, even after a failure: otherwise it would stay in the queue.
            let wasRead = connection.reply(cookie, xcb_shm_get_image_reply) { _ in true } ?? false
            isComplete = isComplete && wasRead
            if isComplete { receive(rect, memory.bytes + offset, rect.width * 4) }
            offset += rect.size.area * 4
        }
        return isComplete
    }

    private func readThroughConnection(
        _ plan: X11ReadPlan, _ origin: (x: Int, y: Int), _ drawable: UInt32, _ memory: UnsafeMutableRawBufferPointer,
        _ draw: (() -> Void)?, _ receive: Receive
    ) -> Bool {
        let cookies = request(plan, after: draw) { rect in
            xcb_get_image(
                connection.handle, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), drawable,
                Int16(clamping: rect.x + origin.x), Int16(clamping: rect.y + origin.y),
                UInt16(clamping: rect.width), UInt16(clamping: rect.height), ~0)
        }
        guard var pixels = memory.baseAddress else { return false }
        var isComplete = true
        for (rect, cookie) in zip(plan.parts, cookies) {
            let bytes = rect.size.area * 4
            defer { pixels += bytes }
            let wasRead =
                connection.reply(cookie, xcb_get_image_reply) { reply -> Bool in
                    guard isComplete, xcb_get_image_data_length(reply) >= bytes, let data = xcb_get_image_data(reply)
                    else { return false }
                    pixels.copyMemory(from: data, byteCount: bytes)
                    receive(rect, pixels, rect.width * 4)
                    return true
                } ?? false
            isComplete = isComplete && wasRead
        }
        return isComplete
    }

    /// Makes room for `bytes`: shared memory, or this process's own if sharing fails, for good.
    private func prepare(_ bytes: Int, isShared wantsShared: Bool) {
        let isShared = if case .shared = memory { true } else { false }
        guard bytes > memory.byteCount || isShared != wantsShared else { return }
        if case .own(let bytes) = memory { bytes.deallocate() }
        memory = .own(UnsafeMutableRawBufferPointer(start: nil, count: 0))
        if wantsShared, let shared = X11SharedMemory(bytes, on: connection) { return memory = .shared(shared) }
        if wantsShared { mayShare = false }
        memory = .own(.allocate(byteCount: bytes, alignment: 64))
    }
}

/// The requests of one read, in order: the rectangles of a region, few enough for one round trip. Large ones are cut
/// into strips, so that one is converted while the server copies the next.
struct X11ReadPlan: Equatable {
    /// Disjoint, each beginning on a tile. The lowest comes first: if the frame has become too small for the region,
    /// the first request already fails.
    let parts: [PixelRect]
    /// Whether some parts are strips of one rectangle, which must show the same instant.
    let isDivided: Bool

    /// More requests would cost more than reading the pixels between the rectangles.
    private static let mostRectangles = 48
    /// Smaller or more strips save less than their requests cost.
    private static let leastStripBytes = 1 << 20
    private static let mostStrips = 8

    init(_ region: DamageRegion) {
        let rects = Self.joined(region.rectangles())
        parts = rects.flatMap { Self.strips(of: $0) }.reversed()
        isDivided = parts.count > rects.count
    }

    /// The rectangle around all if there are too many.
    private static func joined(_ rects: [PixelRect]) -> [PixelRect] {
        guard rects.count > mostRectangles, let first = rects.first else { return rects }
        return [rects.reduce(first) { $0.union($1) }]
    }

    /// Strips of whole rows of tiles, of nearly the same height, from top to bottom.
    static func strips(of rect: PixelRect) -> [PixelRect] {
        let count = min(mostStrips, rect.size.area * 4 / leastStripBytes)
        guard count > 1 else { return [rect] }
        let tiles = (rect.height + DamageRegion.tileSide - 1) / DamageRegion.tileSide
        let height = (tiles + count - 1) / count * DamageRegion.tileSide
        return stride(from: rect.y, to: rect.maxY, by: height).map {
            PixelRect(x: rect.x, y: $0, width: rect.width, height: min(height, rect.maxY - $0))
        }
    }
}
