// Images of recordings, and the times of their frames. An engine reads the files and decodes.
import FoundationEssentials
import KineMedia
import KinePlatform
import KineWire
import Synchronization

/// The posters that were made, and the frames that were looked at last. Any thread may call.
final class LibraryImages: Sendable {
    private static let mostPosters = 200
    /// A larger poster is made again each time: 200 of these are 8 MB.
    private static let largestPoster = 40 << 10

    private struct State {
        var posters: [FileVersion: [UInt8]] = [:]
        /// The oldest first.
        var order: [FileVersion] = []
        /// Some hundred frames of one recording: one who steps through it starts few engines.
        var frames: (version: FileVersion, frames: RecordedFrames)?
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

    func frames(_ version: FileVersion) -> RecordedFrames? {
        state.withLock { $0.frames?.version == version ? $0.frames?.frames : nil }
    }

    func keep(_ frames: RecordedFrames, of version: FileVersion) {
        state.withLock { $0.frames = (version, frames) }
    }
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
            let entry = try await blocking { library in try library.entry(id) }
            let duration = try entry.finished()
            let times = (0..<Self.stripCount).map {
                MediaTime(nanoseconds: duration.nanoseconds / Int64(Self.stripCount * 2) * Int64($0 * 2 + 1))
            }
            return try await make(times, of: entry, fitting: Self.stripSize, "jpeg", decoding: Self.mostDecoded).map {
                StripImage(time: $0.time.seconds, jpeg: $0.data.base64EncodedString())
            }
        }
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
        let entry = try await blocking { library in try library.entry(id) }
        let moment = try entry.time(time)
        let found = try await turns.take { try await make([moment], of: entry, fitting: nil, "png") }
        guard let data = found.first?.data else { throw StudioProblem.unreadable }
        return Array(data)
    }

    /// The start of the frame that is `frames` after the one shown at a time, or before it, in seconds. A still picture is one
    /// frame, however long it is shown: without `frames`, it is the tenth of a second within it.
    func step(_ id: String, from time: Double, by frames: Int) async throws -> Double {
        try await turns.take(isFirst: true) {
            let entry = try await blocking { library in try library.entry(id) }
            let moment = try entry.time(time)
            let still = frames == 0 ? moment : nil
            if let known = images.frames(entry.version), let found = known.frame(frames, after: moment),
                let start = known.start(of: found, at: still)
            {
                return start
            }
            let read = try await editor.frames(
                FramesRequest(input: entry.file.path, time: moment, offset: frames))
            images.keep(read, of: entry.version)
            guard let start = read.start(of: read.found, at: still) else { throw StudioProblem.unreadable }
            return start
        }
    }

    private func make(
        _ times: [MediaTime], of entry: Entry, fitting size: PixelSize?, _ format: String, decoding most: Int? = nil
    ) async throws -> [RecordedImage] {
        let request = ImagesRequest(
            input: entry.file.path, times: times, maximumSize: size, format: format, mostDecoded: most)
        return try await editor.images(request)
    }

    /// Runs `body` on a thread that may block.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable (Library) throws -> Value) async throws -> Value {
        try await BlockingCall.run("studio-library") { [self] () throws(StudioProblem) in
            do { return try body(self) } catch { throw StudioProblem(error) }
        }
    }
}

extension RecordedFrames {
    /// Seconds; as in library/seek.js.
    private static let stillStep = 0.1

    /// The number of the frame that is `frames` after the one shown at `moment`; nil if that one is not among these.
    func frame(_ frames: Int, after moment: MediaTime) -> Int? {
        // In ticks of the video, since a page's times are rounded.
        func tick(_ time: MediaTime) -> Int64 { time.ticks(timescale: 90000) }
        guard let index = starts.lastIndex(where: { tick($0) <= tick(moment) }),
            index + 1 < starts.count || first + index + 1 == count
        else { return nil }
        let shown = first + index
        return shown + min(max(frames, -shown), count - 1 - shown)
    }

    /// The start of a frame in seconds, or for a `moment` at which it is shown, the tenth of a second within it; nil if
    /// these frames do not tell it.
    func start(of frame: Int, at moment: MediaTime?) -> Double? {
        guard starts.indices.contains(frame - first) else { return nil }
        let start = starts[frame - first].seconds
        guard let moment else { return start }
        let next = frame - first + 1
        guard next < starts.count || first + next == count else { return nil }
        let end = (next < starts.count ? starts[next] : duration).seconds
        guard end - start > Self.stillStep * 1.5 else { return start }
        // The end is the next frame's.
        let within = min(moment.seconds, end - 0.001) - start
        return start + (within / Self.stillStep).rounded(.down) * Self.stillStep
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
