// Writes `moof` (ISO/IEC 14496-12, 8.8): one `traf` for each track with samples, with one `trun`. Recordings and live
// streams both use it, and recovery reads only this form.
import KineMedia

/// The constants and sizes of a movie fragment.
enum MovieFragment {
    /// tfhd flag (8.8.7.1): offsets count from the moof's first byte.
    static let defaultBaseIsMoof: UInt32 = 0x2_0000

    /// trun flags (8.8.8.1): the data's offset, and each sample's size; for frames also duration and flags.
    static func runFlags(isVideo: Bool) -> UInt32 { isVideo ? 0x1 | 0x100 | 0x200 | 0x400 : 0x1 | 0x200 }

    /// Bytes of a moof without runs: moof and mfhd.
    static let emptySize = 8 + 16

    /// Bytes of a run: traf, tfhd, tfdt and trun, with the fields of each sample.
    static func runSize(isVideo: Bool, sampleCount: Int) -> Int {
        8 + 16 + 20 + 20 + sampleCount * sampleSize(isVideo: isVideo)
    }

    /// Bytes of a trun for each sample.
    static func sampleSize(isVideo: Bool) -> Int { isVideo ? 12 : 4 }
}

extension BoxWriter {
    /// A moof with the runs that `body` writes.
    mutating func movieFragment(sequenceNumber: UInt32, _ body: (inout BoxWriter) -> Void) {
        box("moof") {
            $0.fullBox("mfhd") { $0.integer(sequenceNumber) }
            body(&$0)
        }
    }

    /// A traf with one trun, with the samples that `body` writes.
    /// - Parameters:
    ///   - start: ticks at which the first sample starts.
    ///   - dataOffset: bytes from the moof's first byte to the first sample.
    mutating func trackRun(
        of track: TrackDescription, start: UInt64, sampleCount: Int, dataOffset: Int,
        _ body: (inout BoxWriter) -> Void
    ) {
        box("traf") {
            $0.fullBox("tfhd", flags: MovieFragment.defaultBaseIsMoof) { $0.integer(track.id) }
            $0.fullBox("tfdt", version: 1) { $0.integer(start) }
            $0.fullBox("trun", flags: MovieFragment.runFlags(isVideo: track.isVideo)) {
                $0.integer(UInt32(clamping: sampleCount))
                $0.integer(UInt32(clamping: dataOffset))
                body(&$0)
            }
        }
    }

    /// An encoded frame's fields in a trun.
    mutating func runFrame(duration: UInt32, size: UInt32, isSync: Bool) {
        integer(duration)
        integer(size)
        integer(isSync ? TrackDescription.syncSampleFlags : TrackDescription.dependentSampleFlags)
    }

    /// An audio access unit's field in a trun. They all have the track's sample duration.
    mutating func runAudio(size: UInt32) { integer(size) }
}
