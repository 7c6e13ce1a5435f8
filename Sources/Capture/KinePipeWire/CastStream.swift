// The stream of a screen cast: the part of libpipewire that Kinecast uses.
import CPipeWire
import Glibc
import KineCapture
import KineMedia
import SystemPackage

/// A connection with PipeWire and the stream of one of its nodes. Used by one thread.
final class CastStream {
    private let cast: OpaquePointer
    /// Reused for each buffer, because the description has a kilobyte.
    private var description = kine_cast_buffer()

    /// - Parameters:
    ///   - descriptor: a connection with PipeWire, now owned by this; nil: the user's daemon, by the environment.
    ///   - highestRate: the most frames a second that the compositor should send.
    init(descriptor: FileDescriptor?, node: UInt32, highestRate: Int) throws(VideoSourceError) {
        guard kine_load_pipewire() else {
            try? descriptor?.close()
            throw .noCastLibrary(package: "libpipewire-0.3-0")
        }
        var request = kine_cast_request(
            descriptor: descriptor?.rawValue ?? -1, node: node, highest_rate: UInt32(clamping: highestRate),
            pixel_formats: CastFormat.Pixels.allCases.reduce(0) { $0 | 1 << $1.number.rawValue })
        guard let cast = kine_cast_open(&request) else { throw .noPipeWire(Errno(rawValue: errno)) }
        self.cast = cast
    }

    deinit { kine_cast_close(cast) }

    var descriptor: Int32 { kine_cast_descriptor(cast) }

    /// Handles the available events without waiting.
    func iterate() { kine_cast_iterate(cast) }

    var state: CastStateMachine.Stream {
        switch kine_cast_get_state(cast) {
        case KINE_CAST_PAUSED: .paused
        case KINE_CAST_STREAMING: .streaming
        case KINE_CAST_UNCONNECTED: .unconnected(String(cString: kine_cast_error(cast)))
        case KINE_CAST_FAILED where kine_cast_error_number(cast) == ENOENT: .nodeGone
        case KINE_CAST_FAILED: .refused(String(cString: kine_cast_error(cast)))
        default: .connecting
        }
    }

    /// Pauses or resumes the stream. `state` changes later.
    func setActive(_ isActive: Bool) { kine_cast_set_active(cast, isActive) }

    /// The negotiated format, if there is one now.
    var format: CastFormat? {
        let format = kine_cast_get_format(cast)
        guard format.serial > 0, let pixels = CastFormat.Pixels.allCases.first(where: { $0.number == format.pixels })
        else { return nil }
        return CastFormat(
            serial: format.serial, size: PixelSize(width: Int(format.width), height: Int(format.height)),
            pixels: pixels)
    }

    /// A buffer that was taken and must be given back.
    struct Taken {
        let number: UInt64
        let buffer: CastBuffer
        let cursor: CastCursorReport?
    }

    /// Takes the oldest buffer that has come, if there is one.
    func next() -> Taken? {
        guard kine_cast_next(cast, &description) else { return nil }
        return Taken(
            number: description.number, buffer: CastBuffer(description), cursor: CastCursorReport(description))
    }

    /// The number of the cast's buffers; 0: not made yet.
    var bufferCount: Int { Int(kine_cast_buffer_count(cast)) }

    func giveBack(_ number: UInt64) { kine_cast_give_back(cast, number) }

    /// The mapped memory of a buffer; nil: use `read`, or the buffer has gone.
    func memory(of number: UInt64) -> UnsafeRawPointer? { kine_cast_memory(cast, number).map { UnsafeRawPointer($0) } }

    /// Copies rows of a buffer's memory. False if the buffer, or that part of its memory, has gone.
    func read(
        _ number: UInt64, offset: Int, stride: Int, rowBytes: Int, rows: Int, into target: UnsafeMutableRawPointer,
        targetStride: Int
    ) -> Bool {
        kine_cast_read(
            cast, number, UInt64(offset), UInt64(stride), UInt64(rowBytes), UInt64(rows),
            target.assumingMemoryBound(to: UInt8.self), UInt64(targetStride))
    }

    /// Must enclose all access to a buffer's memory.
    func reading<Result>(_ number: UInt64, _ body: () -> Result) -> Result {
        kine_cast_begin_reading(cast, number)
        defer { kine_cast_end_reading(cast, number) }
        return body()
    }
}

extension CastFormat.Pixels {
    fileprivate var number: kine_cast_pixels {
        switch self {
        case .bgrx: KINE_CAST_BGRX
        case .bgra: KINE_CAST_BGRA
        case .rgbx: KINE_CAST_RGBX
        case .rgba: KINE_CAST_RGBA
        case .bgr: KINE_CAST_BGR
        case .rgb: KINE_CAST_RGB
        }
    }
}
