// Samples in a memory that this process only looks at, without taking them from it.
import KineMedia

extension SampleBuffer {
    /// The uncompressed frame in a slot; nil where it is not there. `skipped`: frames between this and the one before it; with any,
    /// its damage is the whole frame.
    public init?(frameIn slot: Int, sequence: UInt64, skipped: UInt64, of view: StreamView) {
        guard let layout = view.frameLayout, let frame = view.frame(slot: slot, sequence: sequence) else { return nil }
        self.init(
            StreamReceiver.Frame(
                sequence: sequence, presentationTime: frame.presentationTime, duration: frame.duration,
                orientation: frame.orientation, skipped: skipped, base: frame.base, damageWords: frame.damageWords,
                slot: slot), layout: layout, isWholeDamaged: skipped > 0)
    }

    /// The access unit or audio at a position of the ring; nil where none is, or one that the streams' description does not know.
    /// `isDiscontinuity`: this reader has missed some before it.
    public init?(
        recordAt position: UInt64, of view: StreamView, in stream: StreamDescription, isDiscontinuity: Bool = false
    ) {
        guard let (header, bytes) = view.record(at: position), let type = header.type,
            let format = stream.format(of: type)
        else { return nil }
        let record = StreamReceiver.Record(
            type: type, isPCM: header.isPCM, isKeyframe: header.isKeyframe,
            isDiscontinuity: header.isDiscontinuity || isDiscontinuity, presentationTime: header.presentationTime,
            duration: header.duration, bytes: bytes, position: position,
            end: position + UInt64(header.recordBytes))
        guard format.fits(record) else { return nil }
        self.init(record, format: format)
    }
}
