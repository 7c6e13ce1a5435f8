import Testing

// Visuals of X servers, and how their pixels are converted.
@testable import KineX11

@Suite struct X11VisualTests {
    private static let rgb = X11Visual(depth: 24, red: 0xff_0000, green: 0xff00, blue: 0xff)
    /// As `Xvnc -pixelformat bgr888` has it.
    private static let bgr = X11Visual(depth: 24, red: 0xff, green: 0xff00, blue: 0xff_0000)
    private static let rgb30 = X11Visual(depth: 30, red: 0x3ff0_0000, green: 0xf_fc00, blue: 0x3ff)
    private static let bgr30 = X11Visual(depth: 30, red: 0x3ff, green: 0xf_fc00, blue: 0x3ff0_0000)

    @Test func `red and blue are where the masks say, whatever the depth`() {
        #expect([Self.rgb, Self.bgr, Self.rgb30, Self.bgr30].map(\.packing) == [.bgra, .rgba, .bgr30, .rgb30])
        var translucent = Self.rgb
        translucent.depth = 32
        #expect(translucent.packing == .bgra)
    }

    @Test func `other orders, sizes and byte orders cannot be converted`() {
        let others = [
            X11Visual(depth: 24, red: 0xff00, green: 0xff_0000, blue: 0xff),
            X11Visual(depth: 24, bitsPerPixel: 24, red: 0xff_0000, green: 0xff00, blue: 0xff),
            X11Visual(depth: 24, isLittleEndian: false, red: 0xff_0000, green: 0xff00, blue: 0xff),
            X11Visual(depth: 16, bitsPerPixel: 16, red: 0xf800, green: 0x7e0, blue: 0x1f),
            X11Visual(depth: 8, bitsPerPixel: 8, red: 0, green: 0, blue: 0),
        ]
        #expect(others.allSatisfy { $0.packing == nil })
    }

    @Test func `a pixel of half the brightness has half of each channel`() {
        for visual in [Self.rgb, Self.bgr, Self.rgb30, Self.bgr30] {
            let half = visual.white >> 1 & visual.halfMask
            for channel in [visual.red, visual.green, visual.blue] {
                #expect(half & channel == (channel >> 1) & channel)
            }
        }
    }
}
