// Pictures of frames, as an app or an extension makes them: the right pixels at the right place, only where something changed.
import CoreTesting
import KinecastExtension
import KinecastExtensionTesting
import KinecastImaging
import Testing

@Suite struct PictureConverterTests {
    /// A frame of BGRA in memory, one word for each pixel.
    struct Words: Equatable {
        var width: Int
        var words: [UInt32]
        var height: Int { words.count / width }
        var size: PixelSize { PixelSize(width: width, height: height) }

        subscript(x: Int, y: Int) -> UInt32 { words[y * width + x] }

        init(size: PixelSize, _ word: (Int, Int) -> UInt32) {
            width = size.width
            words = (0..<size.area).map { word($0 % size.width, $0 / size.width) }
        }

        /// The visible part of a picture.
        init(_ picture: borrowing PixelBuffer) {
            let (size, bytes) = (picture.visibleSize, picture.copy())
            self.init(size: size) { [rowBytes = picture[plane: 0].rowBytes] x, y in
                bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: y * rowBytes + x * 4, as: UInt32.self) }
            }
        }

        func withPixels<Result>(_ body: (borrowing PixelBuffer) -> Result) -> Result {
            words.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { preconditionFailure("no pixels") }
                return body(
                    PixelBuffer(
                        format: .bgra, size: size.roundedUpToEven, visibleSize: size,
                        first: PixelBuffer.PlaneMemory(
                            base: base, stride: width * 4, rowBytes: width * 4, rows: height)))
            }
        }
    }

    private func turned(_ words: Words, by orientation: Orientation, frame: Orientation = .up) throws -> Words {
        let converter = PictureConverter(to: FrameShape(orientation: orientation), pixelFormat: .bgra)
        let turned = words.withPixels { pixels in
            converter.convert(pixels, orientation: frame) { picture, _ in Words(picture) }
        }
        return try #require(turned)
    }

    @Test func `a frame's orientation and the wanted one are two turns, one after the other`() throws {
        let frame = Words(size: PixelSize(width: 5, height: 3)) { x, y in 0xff00_0000 | UInt32(y * 16 + x) }
        for first in Orientation.allCases {
            for second in Orientation.allCases {
                let expected = try turned(turned(frame, by: first), by: second)
                #expect(try turned(frame, by: second, frame: first) == expected, "\(first) and \(second)")
                #expect(try turned(frame, by: first.followed(by: second)) == expected, "\(first) and \(second)")
            }
        }
        let right = try turned(frame, by: .right)
        #expect(
            right[2, 0] == frame[0, 0] && right[0, 0] == frame[0, 2] && right.size == PixelSize(width: 3, height: 5))
    }

    @Test func `an upright picture is cut from the middle of a landscape frame`() throws {
        // Red, green and blue, from left to right.
        let frame = Words(size: PixelSize(width: 192, height: 108)) { x, _ in
            [0xffff_0000, 0xff00_ff00, 0xff00_00ff][x / 64]
        }
        let converter = PictureConverter(
            to: FrameShape(size: PixelSize(width: 54, height: 96), crop: .fill), pixelFormat: .bgra)
        let cut = try #require(frame.withPixels { converter.convert($0) { picture, _ in Words(picture) } })
        #expect(cut.size == PixelSize(width: 54, height: 96))
        #expect(cut.words.allSatisfy { $0 & 0xff_ffff == 0xff00 })
        let whole = PictureConverter(to: FrameShape(size: PixelSize(width: 54, height: 96)), pixelFormat: .bgra)
        let fitted = try #require(frame.withPixels { whole.convert($0) { picture, _ in Words(picture) } })
        #expect([32, 34, 61, 63].map { fitted[27, $0] & 0xff_ffff } == [0, 0xff00, 0xff00, 0].map { $0 })
        #expect([2, 27, 51].map { fitted[$0, 48] & 0xff_ffff } == [0xff_0000, 0xff00, 0xff])
    }

    @Test(arguments: [
        (60, 15.0, [0, 4, 8, 12, 16]), (60, 30, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]), (30, 60, Array(0..<20)),
        (25, 10, [0, 3, 5, 8, 10, 13, 15, 18]),
    ])
    func `frames are left out for the rate`(from: Int, to: Double, expected: [Int]) {
        let frame = Words(size: PixelSize(width: 16, height: 16)) { _, _ in 0 }
        let converter = PictureConverter(framesPerSecond: to)
        func shown(_ times: [MediaTime]) -> [Int] {
            times.indices.filter { index in
                frame.withPixels { converter.convert($0, at: times[index]) { _, _ in true } } == true
            }
        }
        let times = (0..<20).map { MediaTime(ticks: Int64($0), timescale: Int32(from)) }
        #expect(shown(times) == expected)
        // As much later, and from the beginning.
        #expect(shown(times.map { $0 + .seconds(100) }) == expected)
        #expect(shown(times) == expected)
    }

    @Test func `what changed while frames were left out is in the next picture`() throws {
        var frame = Words(size: PixelSize(width: 64, height: 64)) { _, _ in 0 }
        let converter = PictureConverter(pixelFormat: .bgra, framesPerSecond: 10)
        var pictures: [(Words, DamageRegion)] = []
        for number in 0..<5 {
            frame.words[number * 16 % 64 + number / 4 * 16 * 64] = 0xff_ffff
            var damage = DamageRegion(size: frame.size)
            damage.insert(PixelRect(x: number * 16 % 64, y: number / 4 * 16, width: 1, height: 1))
            frame.withPixels { pixels in
                _ = converter.convert(pixels, damage: damage, at: .milliseconds(Int64(number) * 25)) {
                    pictures.append((Words($0), $1))
                }
            }
        }
        #expect(pictures.count == 2)
        let (last, damage) = try #require(pictures.last)
        #expect(last.words.map { $0 & 0xff_ffff } == frame.words)
        #expect(damage.tileCount == 4 && !damage.contains(column: 0, row: 0) && damage.contains(column: 0, row: 1))
    }
}

/// Samples as an engine sends them.
@Suite @BroadcastActor struct SamplePictureTests {
    /// Makes pictures only of what changed, and of whole frames.
    final class Converting: BroadcastSampleHandler {
        var patching = PictureConverter()
        private(set) var pictures: [(patched: [UInt8], whole: [UInt8], damage: DamageRegion, size: PixelSize)] = []

        override func processSampleBuffer(
            _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
        ) async {
            let fresh = PictureConverter(to: patching.shape, pixelFormat: patching.pixelFormat)
            let whole = fresh.convert(sampleBuffer) { picture, _ in picture.copy() }
            let pictures = patching.convert(sampleBuffer) { picture, damage in
                (picture.copy(), whole ?? [], damage, picture.visibleSize)
            }
            if let pictures { self.pictures.append(pictures) }
        }
    }

    @Test(arguments: [PixelFormat.i420, .nv12, .bgra], [PixelFormat.i420, .nv12, .bgra])
    func `pictures that are made where a sample changed are the same as whole ones`(
        from: PixelFormat, to: PixelFormat
    ) async throws {
        var generator = SeededGenerator(seed: 12)
        for (size, shape, expected) in [
            (PixelSize(width: 127, height: 95), FrameShape(), PixelSize(width: 127, height: 95)),
            (PixelSize(width: 128, height: 96), FrameShape(orientation: .right), PixelSize(width: 96, height: 128)),
            (
                PixelSize(width: 127, height: 96),
                FrameShape(size: PixelSize(width: 54, height: 96), crop: .fill, orientation: .upMirrored),
                PixelSize(width: 54, height: 96)
            ),
            (
                PixelSize(width: 128, height: 97),
                FrameShape(crop: .part(PixelRect(x: 15, y: 3, width: 61, height: 44)), orientation: .left),
                PixelSize(width: 61, height: 44)
            ),
        ] {
            let rehearsal = try ExtensionRehearsal(Converting.self, feed: RehearsalFeed(video: .raw(from, size)))
            rehearsal.handler.patching = PictureConverter(to: shape, pixelFormat: to)
            try await rehearsal.start()
            var screen = [[UInt8]]()
            for number in 0..<8 {
                let rect = PixelRect(
                    x: Int.random(in: 0..<90, using: &generator), y: Int.random(in: 0..<70, using: &generator),
                    width: Int.random(in: 1...37, using: &generator), height: Int.random(in: 1...25, using: &generator))
                let byte = UInt8.random(in: 16...235, using: &generator)
                try await rehearsal.sendFrame(damage: number == 0 ? nil : [rect]) { frame in
                    // Slots are used in turn, so each frame is drawn whole: what it was, and the new rectangle.
                    draw(number == 0 ? PixelRect(size: frame.size) : rect, byte, from, in: frame, &screen)
                }
            }
            #expect(await rehearsal.finish() == .finished)
            let pictures = rehearsal.handler.pictures
            #expect(pictures.count == 8)
            #expect(pictures.allSatisfy { $0.size == expected })
            for (number, picture) in pictures.enumerated() {
                #expect(picture.patched == picture.whole, "\(from) to \(to), \(shape), frame \(number)")
            }
            #expect(pictures.first?.damage.isFull == true)
            #expect(pictures.dropFirst().contains { !$0.damage.isFull })
        }
    }

    private func draw(
        _ rect: PixelRect, _ byte: UInt8, _ format: PixelFormat, in frame: RehearsalFrame, _ rows: inout [[UInt8]]
    ) {
        var index = 0
        for plane in 0..<frame.planeCount {
            let (across, down) = plane == 0 ? (1, 1) : (2, 2)
            let bytes = format == .bgra ? 4 : format == .nv12 && plane == 1 ? 2 : 1
            for row in 0..<frame.size.height / down {
                let count = frame.withRow(row, ofPlane: plane) { $0.count }
                if rows.count == index { rows.append([UInt8](repeating: 128, count: count)) }
                if (rect.y / down...(rect.maxY - 1) / down).contains(row) {
                    let first = rect.x / across * bytes
                    for column in first..<min(count, ((rect.maxX - 1) / across + 1) * bytes) {
                        rows[index][column] = byte &+ UInt8(truncatingIfNeeded: column & 3)
                    }
                }
                frame.withRow(row, ofPlane: plane) { bytes in
                    for column in bytes.indices { bytes[column] = rows[index][column] }
                }
                index += 1
            }
        }
    }
}
