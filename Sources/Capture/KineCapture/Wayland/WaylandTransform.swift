// How a compositor turns a picture, and the turn that undoes it.
import KineMedia

extension Orientation {
    /// The turn that undoes wl_output.transform, which turns to the left, or mirrors left and right first from 4 on. Unknown values turn
    /// nothing. PipeWire's values are the same (spa/buffer/meta.h, spa_meta_videotransform_value).
    init(undoingWaylandTransform transform: Int32) {
        self =
            switch transform {
            case 1: .right
            case 2: .down
            case 3: .left
            case 4: .upMirrored
            case 5: .leftMirrored
            case 6: .downMirrored
            case 7: .rightMirrored
            default: .up
            }
    }
}
