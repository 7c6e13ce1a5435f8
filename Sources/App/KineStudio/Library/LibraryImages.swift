// Images of recordings, and the times of their frames. An engine decodes; this process reads only the index.
import FoundationEssentials
import KineContainers
import KineMedia
import KinePlatform
import KineWire
import Synchronization

/// The posters that were made, and the index that was read last. Any thread may call.
final class LibraryImages: Sendable {
    private static let mostPosters = 200
    /// A larger poster is made again each time: 200 of these are 8 MB.
    private static let largestPoster = 40 << 10

    private struct State {
        var posters: [FileVersion: [UInt8]] = [:]
        /// The oldest first.
        var order: [FileVersion] = []
        /// The index that was read last: 21 bytes a sample.
        var index: (version: FileVersion, index: RecordingIndex)?
    }

    private let state = Mutex(State())

    func poster(_ version: FileVersion) -> [UInt8]? { state.withLock { $0.posters[version] } }

    func keep(_ poster: [UInt8], of version: FileVersion) {
        guard poster.count <= Self.largestPoster else { return }
        state.withLock { state in
            if state.posters.updateValue(poster, forKey: version) == nil { state.order.append(version) }
            if state.order.count > Self.mostPosters { state.posters[state.order.removeFirst()] = nil }
        }
    }

    /// Reads the index, unless it was the last one. Blocks.
    func index(of entry: Library.Entry) throws -> RecordingIndex {
        if let known = state.withLock({ $0.index }), known.version == entry.version { return known.index }
        let index = try RecordingIndex(reading: DiskFile.openToRead(entry.file.path))
        state.withLock { $0.index = (entry.version, index) }
        return index
    }

    /// Frees the last index, which may have many megabytes.
    func forgetIndex() { state.withLock { $0.index = nil } }
}

/// A small image of a frame.
struct StripImage: Encodable, Sendable {
    /// Seconds.
    let time: Double
    /// In base64.
    let jpeg: String
}

extension Library {
    private static let posterSize = PixelSize(width: 384, height: 216)
    private static let stripSize = PixelSize(width: 160, height: 90)
    private static let stripCount = 20
    private static let mostPeaks = 600
    /// Seconds; as in playback.js.
    private static let stillStep = 0.1
    /// Frames that are decoded for a strip. If its exact times need more, it shows keyframes.
    private static let mostDecoded = 1500

    /// The frame after a tenth of a recording, as JPEG; nil if it has none.
    func poster(_ id: String) async throws -> [UInt8]? {
        let entry = try await blocking { library in try library.entry(id) }
        guard let duration = try? entry.finished() else { return nil }
        return try await turns.take {
            if let known = images.poster(entry.version) { return known }
            let tenth = MediaTime(nanoseconds: duration.nanoseconds / 10)
            let found = try await make([tenth], of: entry, fitting: Self.posterSize, "jpeg").first
            guard let data = found?.data else { return nil }
            images.keep(Array(data), of: entry.version)
            return Array(data)
        }
    }

    /// Images evenly spaced over a recording.
    func strip(_ id: String) async throws -> [StripImage] {
        try await turns.take {
            let (entry, times) = try await blocking { library in
                let entry = try library.entry(id)
                _ = try entry.finished()
                return (entry, Self.stripTimes(try library.images.index(of: entry)))
            }
            return try await make(times, of: entry, fitting: Self.stripSize, "jpeg").map {
                StripImage(time: $0.time.seconds, jpeg: $0.data.base64EncodedString())
            }
        }
    }

    static func stripTimes(_ index: RecordingIndex) -> [MediaTime] {
        let exact = (0..<stripCount).map { number in
            MediaTime(
                nanoseconds: index.duration.nanoseconds / Int64(stripCount * 2) * Int64(number * 2 + 1))
        }
        // The distance of the last image between the same two keyframes is what has to be decoded.
        var decoded: [Int: Int] = [:]
        let frames = exact.map { index.frame(at: $0) ?? 0 }
        for frame in frames {
            let keyframe = index.keyframe(notAfter: frame)
            decoded[keyframe] = frame - keyframe + 1
        }
        guard decoded.values.reduce(0, +) > mostDecoded else { return exact }
        return frames.map { index.time(of: index.keyframe(notAfter: $0)) }
    }

    /// The peaks of a recording's audio, from 0 to 255, evenly spaced over it; empty without audio.
    func waveform(_ id: String) async throws -> [UInt8] {
        let entry = try await blocking { library in try library.entry(id) }
        _ = try entry.finished()
        guard entry.content.finished?.hasAudio == true else { return [] }
        return try await turns.take { try await editor.waveform(of: entry.file.path, most: Self.mostPeaks) }
    }

    /// The frame shown at a time in seconds, as PNG.
    func frame(_ id: String, at time: Double) async throws -> [UInt8] {
        let (entry, moment) = try await blocking { library in
            let entry = try library.entry(id)
            return (entry, try entry.time(time))
        }
        let found = try await turns.take { try await make([moment], of: entry, fitting: nil, "png") }
        guard let data = found.first?.data else { throw StudioProblem.unreadable }
        return Array(data)
    }

    /// The start of the frame that is `frames` after the one shown at a time, or before it, in seconds. A still picture is one
    /// frame, however long it is shown: without `frames`, it is the tenth of a second within it.
    func step(_ id: String, from time: Double, by frames: Int) async throws -> Double {
        try await turns.take(isFirst: true) {
            try await blocking { library in
                let entry = try library.entry(id)
                let moment = try entry.time(time)
                let index = try library.images.index(of: entry)
                let shown = index.frame(at: moment) ?? index.frameCount - 1
                let wanted = shown + min(max(frames, -shown), index.frameCount - 1 - shown)
                let start = index.time(of: wanted).seconds
                guard frames == 0 else { return start }
                let isLast = shown + 1 >= index.frameCount
                let end = (isLast ? try entry.finished() : index.time(of: shown + 1)).seconds
                guard end - start > Self.stillStep * 1.5 else { return start }
                // The end is the next frame's.
                let within = min(moment.seconds, end - 0.001) - start
                return start + (within / Self.stillStep).rounded(.down) * Self.stillStep
            }
        }
    }

    private func make(
        _ times: [MediaTime], of entry: Entry, fitting size: PixelSize?, _ format: String
    ) async throws -> [RecordedImage] {
        let request = ImagesRequest(input: entry.file.path, times: times, maximumSize: size, format: format)
        return try await editor.images(request)
    }

    /// Runs `body` on a thread that may block.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable (Library) throws -> Value) async throws -> Value {
        try await BlockingCall.run("studio-library") { [self] () throws(StudioProblem) in
            do { return try body(self) } catch { throw StudioProblem(error) }
        }
    }
}

extension Library.Entry {
    /// A time within the recording.
    ///
    /// - Parameter seconds: as a page sends it.
    func time(_ seconds: Double) throws(StudioProblem) -> MediaTime {
        let duration = try finished()
        // A page rounds the duration's last digits.
        guard seconds >= 0, seconds <= duration.seconds + 0.001 else {
            throw StudioProblem(
                .conflict, "The recording lasts from 0 to \(duration.seconds) s; choose a time within it.")
        }
        return min(.seconds(seconds), duration)
    }
}
