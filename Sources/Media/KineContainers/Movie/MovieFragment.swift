// Writes `moof` (ISO/IEC 14496-12, 8.8): one `traf` for each track with samples, with one `trun`. Recordings and live
// streams both use it, and recovery reads only this form.
import KineMedia

/// The constants and sizes of a movie fragment.
enum MovieFragment {
    /// tfhd flag (8.8.7.1): offsets count from the moof's first byte.
    static let defaultBaseIsMoof: UInt32 = 0x2_0000

    /// trun flags (8.8.8.1): the data's offset, and each sample's size; its duration if it has its own, and a frame's flags.
    static func runFlags(of track: TrackDescription) -> UInt32 {
        0x1 | 0x200 | (track.hasOwnDurations ? 0x100 : 0) | (track.isVideo ? 0x400 : 0)
    }

    /// Bytes of a moof without runs: moof and mfhd.
    static let emptySize = 8 + 16

    /// Bytes of a run: traf, tfhd, tfdt and trun, with the fields of each sample.
    static func runSize(of track: TrackDescription, sampleCount: Int) -> Int {
        8 + 16 + 20 + 20 + sampleCount * sampleSize(of: track)
    }

    /// Bytes of a trun for each sample.
    static func sampleSize(of track: TrackDescription) -> Int {
        4 + (track.hasOwnDurations ? 4 : 0) + (track.isVideo ? 4 : 0)
    }
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
            $0.fullBox("trun", flags: MovieFragment.runFlags(of: track)) {
                $0.integer(UInt32(clamping: sampleCount))
                $0.integer(UInt32(clamping: dataOffset))
                body(&$0)
            }
        }
    }

    /// A sample's fields in a trun of that track.
    mutating func runSample(of track: TrackDescription, duration: UInt32, size: UInt32, isSync: Bool) {
        if track.hasOwnDurations { integer(duration) }
        integer(size)
        if track.isVideo {
            integer(isSync ? TrackDescription.syncSampleFlags : TrackDescription.dependentSampleFlags)
        }
    }
}
