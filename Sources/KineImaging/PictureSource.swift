// The pixels that a picture is made of, in any of the formats that sources and encoders have.
import KineMedia

/// A view of a whole frame. Its maker owns the memory.
public enum PictureSource {
    /// `base` is the first pixel's; `stride` is in bytes.
    case bgra(base: UnsafeRawPointer, stride: Int)
    case planar(PlanarFrame)

    /// Its pixels can be copied, or converted in place, to those of any `FrameLayout`, whose colours are the standard ones.
    var isStandard: Bool {
        switch self {
        case .bgra: true
        case .planar(let frame): frame.colour == .standard
        }
    }
}
