// Uncompressed frames of a take whose own have more chroma or all values of a byte: a reader gets the standard colours.
import CoreTesting
import KineMedia
import Testing

@testable import KineTake

@Suite(.serialized) struct FrameColourTests {
    private static let bandWidth = 16
    private static let bands: [UInt32] = [0xff_ffff, 0, 0x80_8080, 0xff_0000, 0x00_ff00, 0x00_00ff, 0xff_ff00]
    /// Beside the bands every second column is blue, the others are red.
    private static let columns = 112..<128
    private static let size = PixelSize(width: 128, height: 96)

    private static func screen(_ x: Int) -> UInt32 {
        columns.contains(x) ? [0xff_0000, 0x00_00ff][x % 2] : bands[x / bandWidth]
    }

    /// Luma and both chroma samples of BT.709 with limited range (ITU-R BT.709-6, 3.2 to 3.4).
    private static func samples(_ colour: UInt32) -> [Double] {
        let (red, green, blue) = (colour >> 16 & 0xff, colour >> 8 & 0xff, colour & 0xff)
        let luma = (0.2126 * Double(red) + 0.7152 * Double(green) + 0.0722 * Double(blue)) / 255
        return [
            16 + 219 * luma, 128 + 224 * (Double(blue) / 255 - luma) / 1.8556,
            128 + 224 * (Double(red) / 255 - luma) / 1.5748,
        ]
    }

    /// The picture as a reader has it in the end.
    private func frame(_ format: PixelFormat, _ colour: ColourFormat) throws -> FeedReader.Frame {
        let samples = SampleRequirements.raw(format)
        let fixture = try FeedFixture(size: Self.size, services: [samples], isRecorded: false) {
            $0.video.colour = colour
        }
        let reader = try fixture.reader(samples)
        let layout = try #require(reader.feed.stream.frames)
        #expect(layout.pixelFormat == format && layout.visibleSize == Self.size)
        reader.expect("the first picture") { !$0.frames.isEmpty }
        func paint(_ x: Int, _ width: Int, _ colour: UInt32) {
            let time = reader.frames.last?.time ?? .zero
            fixture.screen.fill(PixelRect(x: x, y: 0, width: width, height: Self.size.height), colour)
            reader.expect("column \(x)") { $0.frames.contains { $0.time > time && !$0.damage.isEmpty } }
        }
        // A band that the screen shows already changes nothing.
        for (index, colour) in Self.bands.enumerated() where colour != 0 {
            paint(index * Self.bandWidth, Self.bandWidth, colour)
        }
        paint(Self.columns.lowerBound, Self.columns.count, 0xff_0000)
        for x in Self.columns where x % 2 == 1 { paint(x, 1, 0x00_00ff) }
        fixture.stop()
        reader.end()
        #expect(reader.frames.allSatisfy { $0.patched == $0.planes })
        return try #require(reader.frames.last)
    }

    /// Columns whose chroma the take's frames keep.
    private func columns(_ colour: ColourFormat) -> Range<Int> {
        0..<(colour.chroma == .yuv444 ? Self.columns.upperBound : Self.columns.lowerBound)
    }

    @Test(arguments: [PixelFormat.i420, .nv12], ColourFormat.allCases)
    func `planes are 4:2:0 with limited range, whatever the take's frames are`(
        format: PixelFormat, colour: ColourFormat
    ) throws {
        let planes = try frame(format, colour).planes
        #expect(planes.map(\.count) == format.planeExtents(of: Self.size).map { $0.rowBytes * $0.rows })
        // From 8 bits to 8 bits and back, each step off by one at most.
        func expect(_ byte: UInt8, _ value: Double, _ place: String) {
            #expect(abs(Double(byte) - value) <= 2, "\(place) is \(byte) and should be \(value)")
        }
        let row = Self.size.height / 2
        for x in columns(colour) {
            expect(planes[0][row * Self.size.width + x], Self.samples(Self.screen(x))[0], "luma \(x)")
        }
        for x in stride(from: 0, to: columns(colour).upperBound, by: 2) {
            let (left, right) = (Self.samples(Self.screen(x)), Self.samples(Self.screen(x + 1)))
            for sample in 1...2 {
                let place = row / 2 * Self.size.width / 2 + x / 2
                let byte = format == .nv12 ? planes[1][2 * place + sample - 1] : planes[sample][place]
                expect(byte, (left[sample] + right[sample]) / 2, "chroma \(sample) at \(x)")
            }
        }
    }

    @Test(arguments: ColourFormat.allCases)
    func `pixels have the screen's colours, each its own where the take keeps that`(colour: ColourFormat) throws {
        let bytes = try frame(.bgra, colour).planes[0]
        #expect(bytes.count == Self.size.area * 4)
        for x in columns(colour) {
            let pixel = Self.screen(x)
            let place = (Self.size.height / 2 * Self.size.width + x) * 4
            for byte in 0..<3 {
                let wanted = Int(pixel >> (8 * UInt32(byte)) & 0xff)
                #expect(abs(Int(bytes[place + byte]) - wanted) <= 3, "byte \(byte) of the pixel at \(x)")
            }
        }
    }
}
