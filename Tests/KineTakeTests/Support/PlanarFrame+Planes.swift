// The bytes of a frame, as a `FeedReader` keeps them.
import KineImaging
import KineMedia

extension PlanarFrame {
    /// Each plane's rows one behind the other, padding left out. Of a frame of the standard colours.
    var planes: [[UInt8]] {
        func rows(_ plane: UnsafeMutablePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int) -> [UInt8] {
            (0..<height).flatMap { Array(UnsafeBufferPointer(start: plane + $0 * stride, count: width)) }
        }
        return [
            rows(y, lumaStride, size.width, size.height), rows(u, chromaStride, size.width / 2, size.height / 2),
            rows(v, chromaStride, size.width / 2, size.height / 2),
        ]
    }

    /// The planes of a picture of this frame, all of it drawn at once.
    func drawn(_ geometry: PictureGeometry) -> [[UInt8]] {
        let layout = FrameLayout(pixelFormat: .i420, size: geometry.size.roundedUpToEven)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: layout.slotBytes, alignment: 64)
        defer { memory.deallocate() }
        PictureRenderer(geometry, layout: layout).draw(.full(size: geometry.size), of: .planar(self), at: memory)
        return layout.i420(at: memory).planes
    }
}
