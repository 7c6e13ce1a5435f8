// A finished recording that is open for reading, and the frames in it.
import Glibc
import KineCodecs
import KineContainers
import KineMedia

/// Opens a recording of Kinecast, also a recovered or cut one. Used by one thread.
public final class FinishedRecording {
    let file: DiskFile
    public let index: RecordingIndex

    /// Reads the file's index. Other programs may read the file meanwhile; throws if it is still being written.
    public init(_ path: String) throws(EditingError) {
        let file = try EditingError.wrapping({ .recording(.storage($0)) }) { () throws(StorageError) in
            try DiskFile.openToRead(path)
        }
        index = try EditingError.wrapping(EditingError.recording) { () throws(RecordingIndex.Error) in
            try RecordingIndex(reading: file)
        }
        self.file = file
    }

    /// For each decoder and encoder.
    static var codecThreads: Int { max(1, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    func codedSize(of frame: Int) -> PixelSize { index.size(ofFrame: frame).roundedUpToEven }

    func parameterSets(of frame: Int) throws(EditingError) -> H264ParameterSets {
        guard let sets = index.h264ParameterSets(ofFrame: frame) else { throw .codec(index.codec) }
        return sets
    }

    func accessUnit(_ frame: Int) throws(EditingError) -> [UInt8] {
        try EditingError.wrapping({ .recording(.storage($0)) }) { () throws(StorageError) in
            try index.accessUnit(frame, in: file)
        }
    }

    func audioUnit(_ unit: Int, ofTrack track: Int) throws(EditingError) -> [UInt8] {
        try EditingError.wrapping({ .recording(.storage($0)) }) { () throws(StorageError) in
            try index.audioUnit(unit, ofTrack: track, in: file)
        }
    }

    /// The header of a frame's first slice.
    func sliceHeader(ofFrame frame: Int) throws(EditingError) -> H264SliceHeader {
        guard let header = H264SliceHeader(accessUnit: try accessUnit(frame), try parameterSets(of: frame)) else {
            throw .encoder(.otherEncoder)
        }
        return header
    }

    /// Decodes the frames of a range that begins with a keyframe and has no other, and hands on each with its number, in order. A frame
    /// is valid while `body` runs.
    func decode(
        _ frames: Range<Int>, _ body: (Int, PlanarFrame) throws(EditingError) -> Void
    ) throws(EditingError) {
        let (sets, size) = (try parameterSets(of: frames.lowerBound), codedSize(of: frames.lowerBound))
        let decoder = try EditingError.wrapping(EditingError.decoder) { () throws(H264Decoder.Error) in
            // Each thread keeps frames of its own.
            try H264Decoder(sets, largest: size, threads: Self.codecThreads)
        }
        var next = frames.lowerBound
        var failure: EditingError?
        func handOn(_ frame: PlanarFrame) {
            guard failure == nil, next < frames.upperBound else { return }
            do throws(EditingError) {
                guard frame.size == size else { throw .recording(.notARecording(path: file.path)) }
                try body(next, frame)
                next += 1
            } catch {
                failure = error
            }
        }
        for number in frames {
            let unit = try accessUnit(number)
            try EditingError.wrapping(EditingError.decoder) { () throws(H264Decoder.Error) in
                try decoder.decode(unit, output: handOn)
            }
            if let failure { throw failure }
        }
        try EditingError.wrapping(EditingError.decoder) { () throws(H264Decoder.Error) in
            try decoder.drain(output: handOn)
        }
        if let failure { throw failure }
        guard next == frames.upperBound else { throw .recording(.notARecording(path: file.path)) }
    }
}
