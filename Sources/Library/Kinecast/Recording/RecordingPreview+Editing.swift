// Trims a recording and makes images of it. A separate engine does the work, so no codec is linked into the app.
import FoundationEssentials
import KineClient
import KineMedia
import KineWire

extension RecordingPreview {
    /// Opens the file of a recording: one that was saved before, or that was left by an app that was killed.
    ///
    /// Throws `notARecording` if Kinecast did not record the file, if it is still being written, or if it must be
    /// recovered first.
    /// - Parameters:
    ///   - url: a file on this machine.
    ///   - app: the app's identity; nil: `kinecast-app.json` beside its executable, or the executable's name. Only its
    ///     unsaved recordings are moved by `save` and discarded by `discard`; other files belong to the person.
    public static func open(_ url: URL, app: AppIdentity? = nil) async throws(RecordingError) -> RecordingPreview {
        try await open(url, in: RecordingStore(app))
    }

    static func open(_ url: URL, in store: RecordingStore) async throws(RecordingError) -> RecordingPreview {
        let path = try path(of: url)
        let place = try store.contains(path) ? Place.unsaved(URL(filePath: path)) : .saved(URL(filePath: path))
        let request = FramesRequest(input: path, time: .zero, offset: 0)
        let frames = try await RecordingError.translating { () async throws(ClientError) in
            try await store.editor.frames(request)
        }
        return RecordingPreview(place, duration: frames.duration, size: frames.size, store: store)
    }

    /// Makes a new recording of a part of this one, and returns its preview. The new recording is in
    /// `ScreenRecorder.unsavedRecordings()` until it is saved or discarded. This recording does not change.
    ///
    /// The part is exact: it begins with the frame shown at `start` and ends at `end`, and its audio is cut to the
    /// sample. Only the frames from `start` to the next keyframe are encoded again; the rest is copied. Takes about as
    /// long as a file copy. Throws `outOfRange` if `end` is not after `start`, or for times outside the recording. A
    /// cancelled task throws `cancelled`, and leaves no file.
    /// - Parameters:
    ///   - start: since the recording's first frame.
    ///   - end: nil: the end of the recording.
    ///   - progress: gets the done part of the work, about, from 0 to 1, on any thread.
    public func trim(
        from start: Duration = .zero, to end: Duration? = nil, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(RecordingError) -> RecordingPreview {
        let input = try file().path
        try checkWithin([start, end ?? duration])
        guard start < end ?? duration else {
            throw RecordingError(.outOfRange, "The excerpt ends before it begins; let its end be later than its start.")
        }
        let request = TrimRequest(
            input: input, output: try store.newFile().path, start: MediaTime(start), end: end.map(MediaTime.init))
        let trimmed = try await RecordingError.translating { () async throws(ClientError) in
            try await store.editor.trim(request, progress: progress)
        }
        return RecordingPreview(
            .unsaved(URL(filePath: trimmed.path)), duration: trimmed.duration, size: trimmed.size, store: store)
    }

    /// An image that represents the recording, in the frames' size: the frame after a tenth of it, since in the first
    /// one the app may not have drawn yet.
    public var poster: Thumbnail {
        get async throws(RecordingError) {
            let images = try await thumbnails(at: [duration / 10])
            guard let poster = images.first else { throw RecordingError(.failed, "There is no image.") }
            return poster
        }
    }

    /// The frames shown at these times, in the order of the times. Throws `outOfRange` for times outside the recording.
    /// - Parameters:
    ///   - times: since the recording's first frame.
    ///   - maximumSize: in pixels; images keep their aspect ratio and are never enlarged; nil: the frames' size.
    ///   - format: the format of the images.
    public func thumbnails(
        at times: [Duration], maximumSize: PixelSize? = nil, format: Thumbnail.Format = .png
    ) async throws(RecordingError) -> [Thumbnail] {
        guard !times.isEmpty else { return [] }
        if let maximumSize, maximumSize.width < 1 || maximumSize.height < 1 {
            throw RecordingError(.invalidParameter, "An image has at least one pixel; choose a larger maximum size.")
        }
        let input = try file().path
        try checkWithin(times)
        let request = ImagesRequest(
            input: input, times: times.map(MediaTime.init), maximumSize: maximumSize, format: format.rawValue)
        let images = try await RecordingError.translating { () async throws(ClientError) in
            try await store.editor.images(request)
        }
        return images.map {
            Thumbnail(time: Duration($0.time), size: $0.size, format: format, data: $0.data)
        }
    }

    private func checkWithin(_ times: [Duration]) throws(RecordingError) {
        guard times.allSatisfy({ (.zero...duration).contains($0) }) else {
            throw RecordingError(
                .outOfRange, "The recording lasts from 0 to \(MediaTime(duration).seconds) s; choose times within it.")
        }
    }

    /// The file. Throws if the recording was discarded.
    func file() throws(RecordingError) -> URL {
        guard let url else { throw .discarded }
        return url
    }
}

/// An image that every toolkit can show.
public struct Thumbnail: Sendable, Equatable {
    public enum Format: String, Sendable, CaseIterable {
        /// Lossless. The better choice for text.
        case png
        /// Smaller if the screen shows photographs or video.
        case jpeg
    }

    /// The time from which the frame is shown.
    public let time: Duration
    /// In pixels.
    public let size: PixelSize
    public let format: Format
    /// The bytes of the image file.
    public let data: Data
}
