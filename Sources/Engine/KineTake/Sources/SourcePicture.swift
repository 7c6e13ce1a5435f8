// A small picture of a source, for a person who chooses one.
import KineCapture
import KineCodecs
import KineImaging
import KineMedia

package enum SourcePicture {
    /// The current frame as a JPEG file, upright; nil if it cannot be read completely now, or if there is no encoder.
    ///
    /// - Parameter limit: in pixels; the picture fits into it and keeps its shape.
    package static func jpeg(
        of source: any VideoSource, fitting limit: PixelSize
    ) throws(VideoSourceError) -> [UInt8]? {
        guard let still = try StillPicture(of: source), still.size.area > 0 else { return nil }
        let image = still.pixels.withUnsafeBytes { pixels in
            pixels.baseAddress.map { StillImage(bgra: $0, size: still.size, fitting: limit) }
        }
        return image.flatMap { try? ImageEncoder.jpeg(jfif: $0.jfif(), size: $0.size) }
    }
}
