// The numbers of a stream's fragments, apart from how they are sent. Pure.
import KineMedia

/// Numbers the fragments of a stream (sequence_number of ISO/IEC 14496-12, 8.8.5): one for each sample, from 1 on in order of
/// arrival, all tracks together.
package struct FragmentNumbering: Sendable {
    private var last: UInt32 = 0

    package init() {}

    /// The number of the sample's fragment; nil if the sample begins before time zero, since it then has no fragment.
    package mutating func number(_ sample: LiveSample) -> UInt32? {
        guard sample.presentationTime >= .zero else { return nil }
        last &+= 1
        return last
    }
}
