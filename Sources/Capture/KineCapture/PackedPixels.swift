// Converts the pixels of compositors and X servers to the format of Kinecast's frames.
import CYUV

/// The order of the bytes of a pixel in memory. A fourth byte is unused.
package enum PackedPixels: CaseIterable, Sendable {
    /// Blue, green, red and one more byte: the frames' format.
    case bgra
    case rgba
    case bgr
    case rgb
    /// 32 bits, the lowest first: ten each of blue, green and red.
    case bgr30
    /// 32 bits, the lowest first: ten each of red, green and blue.
    case rgb30
    /// 16 bits, the lowest first: five of blue, six of green, five of red.
    case bgr565

    package var bytesPerPixel: Int {
        switch self {
        case .bgra, .rgba, .bgr30, .rgb30: 4
        case .bgr, .rgb: 3
        case .bgr565: 2
        }
    }

    /// The format with this number in wl_shm.format; nil: unknown.
    ///
    /// All but the first two are drm_fourcc.h's four characters. Their names begin with a word's highest bits.
    package init?(shmFormat: UInt32) {
        switch shmFormat {
        case 0, 1: self = .bgra  // ARGB8888, XRGB8888
        case Self.code("AB24"), Self.code("XB24"): self = .rgba
        case Self.code("RG24"): self = .bgr
        case Self.code("BG24"): self = .rgb
        case Self.code("AR30"), Self.code("XR30"): self = .bgr30
        case Self.code("AB30"), Self.code("XB30"): self = .rgb30
        case Self.code("RG16"): self = .bgr565
        default: return nil
        }
    }

    private static func code(_ text: StaticString) -> UInt32 {
        text.withUTF8Buffer { bytes in bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// Writes `width` × `height` pixels as BGRA. Strides are in bytes. Pixels of four bytes can be converted in place.
    package func convert(
        _ source: UnsafeRawPointer, stride: Int, to target: UnsafeMutableRawPointer, targetStride: Int, width: Int,
        height: Int
    ) {
        let bytes = source.assumingMemoryBound(to: UInt8.self)
        let bgra = target.assumingMemoryBound(to: UInt8.self)
        // libyuv names formats from a word's highest byte down: its ARGB is BGRA in memory.
        let convert: (UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32) -> Int32 =
            switch self {
            case .bgra: ARGBCopy
            case .rgba: ABGRToARGB
            case .bgr: RGB24ToARGB
            case .rgb: RAWToARGB
            case .bgr30: AR30ToARGB
            case .rgb30: AR30ToABGR
            case .bgr565: RGB565ToARGB
            }
        _ = convert(bytes, Int32(stride), bgra, Int32(targetStride), Int32(width), Int32(height))
    }
}
