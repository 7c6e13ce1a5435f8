// The pixels that a picture is made of, in any of the formats that sources and encoders have.
import CPixels
import KineMedia

/// A view of a whole frame. Its maker owns the memory.
public enum PictureSource {
    /// `base` is the first pixel's; `stride` is in bytes.
    case bgra(base: UnsafeRawPointer, stride: Int)
    case i420(PlanarFrame)
}
