// A planar frame as the encoder reads it. A view only: its maker owns the memory and says how long it lasts.

/// The three planes of a frame. Luma has `size` samples, each chroma plane as many or, with 4:2:0, half of that both ways.
public struct PlanarFrame: @unchecked Sendable {
    // Sendable: the lender does not write this memory while the view is lent (the ring's slot states say so).

    /// Both sides are even.
    public let size: PixelSize
    public let colour: ColourFormat
    public let y: UnsafeMutablePointer<UInt8>
    public let u: UnsafeMutablePointer<UInt8>
    public let v: UnsafeMutablePointer<UInt8>
    /// Bytes from one row to the next.
    public let lumaStride: Int
    public let chromaStride: Int

    public init(
        size: PixelSize, colour: ColourFormat = .standard, y: UnsafeMutablePointer<UInt8>,
        u: UnsafeMutablePointer<UInt8>, v: UnsafeMutablePointer<UInt8>, lumaStride: Int, chromaStride: Int
    ) {
        self.size = size
        self.colour = colour
        self.y = y
        self.u = u
        self.v = v
        self.lumaStride = lumaStride
        self.chromaStride = chromaStride
    }

    /// The part of the frame at `rect`, in the same memory. Its left and top are even.
    package func part(_ rect: PixelRect) -> PlanarFrame {
        let chroma = colour.chroma.samples(of: rect.y) * chromaStride + colour.chroma.samples(of: rect.x)
        return PlanarFrame(
            size: rect.size, colour: colour, y: y + rect.y * lumaStride + rect.x, u: u + chroma, v: v + chroma,
            lumaStride: lumaStride, chromaStride: chromaStride)
    }
}
