// Reads libFuzzer's bytes as the buffers of a screen cast, and their memory as a compositor describes it. Whatever they are: no look
// beyond a metadata or a bitmap, pixels within the buffer, damage within the frame, and a pointer drawn only where it is.
import CPipeWire
import CastBytes
import FuzzDriver
import KineMedia
import KinePipeWire

@_cdecl("fuzz_cast_buffers_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: formats and buffers in turn.
private func fuzz(_ input: [UInt8]) {
    let cast = Cast()
    var place = 0
    while place < input.count {
        place += cast.step(input[place...])
    }
}

private final class Cast {
    private var frames = CastFrames()
    private var cursor = CastCursor()
    private var overlay = PointerOverlay()
    private var image: Int?
    private var format = CastFormat(serial: 1, size: PixelSize(width: 64, height: 48), pixels: .bgrx)
    private var lastTime: Int64 = 0
    private var now: Int64 = 0

    init() { frames.setFormat(format) }

    /// Carries out what the first byte says, and returns the number of bytes that belong to it.
    func step(_ bytes: ArraySlice<UInt8>) -> Int {
        var script = Script(Array(bytes.prefix(6)))
        let kind = script.byte() ?? 0
        guard kind % 8 == 0 else { return 1 + receive(Array(bytes.dropFirst()), kind) }
        let (serial, width, height, pixels) = (
            script.byte() ?? 0, script.byte() ?? 0, script.byte() ?? 0, script.byte() ?? 0
        )
        // Large ones too: what a buffer promises is then beyond 31 bits.
        let scale = kind & 8 == 0 ? 1 : 64
        format = CastFormat(
            serial: UInt32(serial % 3) + 1,
            size: PixelSize(width: (Int(width) + 1) * scale, height: (Int(height) + 1) * scale),
            pixels: CastFormat.Pixels.allCases[Int(pixels) % CastFormat.Pixels.allCases.count])
        frames.setFormat(kind & 16 == 0 ? format : nil)
        return 5
    }

    private func receive(_ bytes: [UInt8], _ kind: UInt8) -> Int {
        var buffer = kine_cast_buffer()
        buffer.number = 1
        buffer.format_serial = UInt32(kind >> 3 & 3)
        buffer.capacity = [0, 1 << 12, 1 << 20, UInt64(UInt32.max)][Int(kind >> 5 & 3)]
        buffer.has_no_size = kind >> 7 != 0
        return withExtendedLifetime(self) {
            cast_bytes_describe(
                bytes, bytes.count, &buffer,
                { buffer, cast in
                    guard let buffer, let cast else { return }
                    Unmanaged<Cast>.fromOpaque(cast).takeUnretainedValue().look(buffer.pointee)
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    private func look(_ described: kine_cast_buffer) {
        now += 1000
        let buffer = CastBuffer(described)
        if let report = CastCursorReport(described) {
            if let image = report.bitmap {
                precondition(image.pixels.count == image.size.area, "an image of another size than it says")
                precondition(max(image.size.width, image.size.height) <= 512, "a larger image than was asked for")
            }
            cursor.receive(report)
        }
        let before = frames.frame
        guard frames.receive(buffer, at: now) == .frame, let frame = frames.frame else {
            precondition(frames.frame == before, "no frame, and yet another one")
            return
        }
        check(frame, in: buffer)
        var damage = DamageRegion(size: PixelSize(width: 8, height: 8))
        frames.addDamage(to: &damage)
        precondition(damage.size == frame.size && !frames.hasChanged, "damage of another size, or not all of it")
        cursor.place(inFrameAt: (frame.area.x, frame.area.y))
        if let newest = cursor.state.image, newest.id != image {
            overlay.setImage(newest.picture, hotSpot: newest.hotSpot, scale: 1.5)
            image = newest.id
        }
        overlay.move(to: cursor.state.place.map { ($0.x, $0.y) }, damage: &damage)
        if let rect = overlay.rect {
            precondition(!rect.intersection(PixelRect(size: frame.size)).isEmpty, "a pointer outside of the frame")
            draw(over: rect, in: frame)
        }
    }

    private func check(_ frame: CastFrames.Frame, in buffer: CastBuffer) {
        let area = frame.area
        precondition(
            !area.isEmpty && area.intersection(PixelRect(size: format.size)) == area, "a crop beyond the picture")
        let end = frame.offset + frame.stride * (area.height - 1) + area.width * frame.pixels.bytes
        precondition(frame.offset >= 0 && end <= buffer.capacity, "pixels beyond the memory")
        precondition(frame.stride >= format.size.width * frame.pixels.bytes, "rows that overlap")
        precondition(frame.presentationTime >= lastTime && frame.presentationTime <= now, "a time that goes backwards")
        lastTime = frame.presentationTime
    }

    /// Draws the pointer over a part of the frame that it touches.
    private func draw(over rect: PixelRect, in frame: CastFrames.Frame) {
        let part = rect.intersection(PixelRect(size: frame.size))
        var pixels = [UInt32](repeating: 0, count: part.size.area)
        pixels.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            overlay.draw(over: base, stride: part.width * 4, area: part)
        }
    }
}
