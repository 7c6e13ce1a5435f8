// How loud a recording is, at instants evenly spaced over it: ten hours cost as much as ten minutes.
import KineCodecs
import KineContainers
import KineMedia

public enum RecordingWaveform {
    /// Access units that are decoded for one instant: 85 ms at 48 kHz.
    private static let mostUnits = 4

    /// The peaks, from 0 to 255, of equal parts of the recording, in the middle of each; the loudest of its tracks.
    /// Empty if it has no audio that can be decoded.
    ///
    /// - Parameter most: the most parts; fewer where a part would have less than an access unit.
    public static func make(of recording: FinishedRecording, most: Int) throws(EditingError) -> [UInt8] {
        let index = recording.index
        var peaks: [UInt8] = []
        let longest = index.audioTracks.map(index.audioUnitCount).max() ?? 0
        let count = max(0, min(most, longest))
        for track in index.audioTracks {
            guard let configuration = index.audioSpecificConfig(ofTrack: track) else { continue }
            let decoder = try EditingError.wrapping(EditingError.audio) { () throws(AACDecoder.Error) in
                try AACDecoder(audioSpecificConfig: configuration)
            }
            if peaks.isEmpty { peaks = Array(repeating: 0, count: count) }
            for part in 0..<count {
                let peak = decoder.peak(of: try units(of: track, part, of: count, recording))
                peaks[part] = max(peaks[part], UInt8((peak * 255).rounded()))
            }
        }
        return peaks
    }

    /// Access units from the middle of a part, after one that prepares the decoder.
    private static func units(
        of track: Int, _ part: Int, of count: Int, _ recording: FinishedRecording
    ) throws(EditingError) -> [[UInt8]] {
        let index = recording.index
        let length = index.duration.nanoseconds / Int64(count)
        let start = length * Int64(part)
        var units = index.audioUnits(
            ofTrack: track, from: MediaTime(nanoseconds: start), to: MediaTime(nanoseconds: start + length))
        guard !units.isEmpty else { return [] }
        if units.count > mostUnits {
            let first = units.lowerBound + (units.count - mostUnits) / 2
            units = first..<first + mostUnits
        }
        var read: [[UInt8]] = units.lowerBound == 0 ? [[]] : []
        for unit in max(0, units.lowerBound - 1)..<units.upperBound {
            read.append(
                try EditingError.wrapping({ .recording(.storage($0)) }) { () throws(StorageError) in
                    try index.audioUnit(unit, ofTrack: track, in: recording.file)
                })
        }
        return read
    }
}
