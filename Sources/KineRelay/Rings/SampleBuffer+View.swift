// Samples in a memory that this process only looks at, without taking them from it.
import KineMedia

extension SampleBuffer {
    /// The uncompressed frame in a slot; nil where it is not there. `skipped`: frames between this and the one before it; with any, and
    /// where `isFirst`, its damage is the whole frame.
    public init?(frameIn slot: Int, sequence: UInt64, skipped: UInt64, isFirst: Bool, of view: StreamView) {
        guard let layout = view.frameLayout, let frame = view.frame(slot: slot, sequence: sequence) else { return nil }
        self.init(
            StreamReceiver.Frame(
                sequence: sequence, presentationTime: frame.presentationTime, duration: frame.duration,
                orientation: frame.orientation, skipped: skipped, base: frame.base, damageWords: frame.damageWords,
                slot: slot), layout: layout, isFirst: isFirst, isWholeDamaged: isFirst || skipped > 0)
    }

    /// The access unit or audio at a position of the ring; nil where none is, or one that the streams' description does not know.
    /// `skipped`: samples that this reader has missed before it, beside those that the record knows of; `isFirst`: it has had none before.
    public init?(
        recordAt position: UInt64, of view: StreamView, in stream: StreamDescription, skipped: Int = 0,
        isFirst: Bool = false
    ) {
        guard let (header, bytes) = view.record(at: position), let type = header.type,
            let format = stream.format(of: type)
        else { return nil }
        let record = StreamReceiver.Record(
            type: type, isPCM: header.isPCM, isKeyframe: header.isKeyframe,
            missing: Int(header.missing) + skipped, presentationTime: header.presentationTime,
            duration: header.duration, bytes: bytes, position: position,
            end: position + UInt64(header.recordBytes))
        guard format.fits(record) else { return nil }
        self.init(record, format: format, isFirst: isFirst)
    }
}
