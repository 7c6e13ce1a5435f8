// Looking into a recording, and cutting it. An engine that is started for it does the work: no codec is linked into the app.
import FoundationEssentials
import KineClient
import KineContainers
import KineMedia
import KinePlatform
import KineWire

extension RecordingPreview {
    /// A preview of a recording that is in a file: one that was saved before, or that is left of an app that was killed.
    ///
    /// Throws `notARecording` where Kinecast has not recorded the file, where it is still being written, and where it first has to be
    /// recovered.
    /// - Parameters:
    ///   - url: a file on this machine.
    ///   - app: who the app is; nil: as `kinecast-app.json` beside its executable says, or else the executable's name. Its unsaved
    ///     recordings are moved by `save` and thrown away by `discard`; any other file is the person's.
    public static func open(_ url: URL, app: AppIdentity? = nil) async throws(RecordingError) -> RecordingPreview {
        try await open(url, in: RecordingStore(app))
    }

    static func open(_ url: URL, in store: RecordingStore) async throws(RecordingError) -> RecordingPreview {
        let path = try path(of: url)
        let place = try store.contains(path) ? Place.unsaved(URL(filePath: path)) : .saved(URL(filePath: path))
        return try await BlockingCall.run("kine-preview") { () throws(RecordingError) in
            let index: RecordingIndex
            do {
                index = try RecordingIndex(reading: DiskFile.openToRead(path))
            } catch {
                throw RecordingError(.notARecording, "\(error).")
            }
            return RecordingPreview(place, duration: index.duration, size: index.size, store: store)
        }
    }

    /// Makes another recording of a part of this one, and returns its preview. It is unsaved: its file lies in the app's own directory, and
    /// is among `ScreenRecorder.unsavedRecordings()` until it is saved or discarded. This recording stays as it is.
    ///
    /// The part is exact: it begins with the frame that is shown at `start` and ends at `end`, and its audio is cut to the sample. Only
    /// the frames from `start` to the next keyframe are encoded again; everything else is copied. Takes about as long as a copy of the
    /// file. Throws `outOfRange` where `end` is not after `start`, and for times outside of the recording. A task that is cancelled
    /// throws `cancelled`, and leaves nothing behind.
    /// - Parameters:
    ///   - start: since the recording's first frame.
    ///   - end: nil: that of the recording, `duration`.
    public func trim(
        from start: Duration = .zero, to end: Duration? = nil
    ) async throws(RecordingError) -> RecordingPreview {
        let input = try file().path
        try checkWithin([start, end ?? duration])
        guard start < end ?? duration else {
            throw RecordingError(.outOfRange, "The excerpt ends before it begins; let its end be later than its start.")
        }
        let request = TrimRequest(
            input: input, output: try store.newFile().path, start: MediaTime(start), end: end.map(MediaTime.init))
        do throws(ClientError) {
            let trimmed = try await store.editor.trim(request)
            return RecordingPreview(
                .unsaved(URL(filePath: trimmed.path)), duration: trimmed.duration, size: trimmed.size, store: store)
        } catch {
            throw RecordingError(error)
        }
    }

    /// An image that stands for the recording, in the frames' size: the frame shown after a tenth of it, since the first one often
    /// shows an app that has not drawn yet.
    public var poster: Thumbnail {
        get async throws(RecordingError) {
            let images = try await thumbnails(at: [duration / 10])
            guard let poster = images.first else { throw RecordingError(.failed, "There is no image.") }
            return poster
        }
    }

    /// The frames that are shown at these times, in the order of the times. Throws `outOfRange` for times outside of the recording.
    /// - Parameters:
    ///   - times: since the recording's first frame.
    ///   - maximumSize: in pixels: images keep their shape and fit into it, and are never enlarged; nil: the frames' size.
    ///   - format: of the images' bytes.
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
        do throws(ClientError) {
            return try await store.editor.images(request).map { image in
                Thumbnail(
                    time: Duration(image.time), size: image.size, format: format, data: image.data)
            }
        } catch {
            throw RecordingError(error)
        }
    }

    private func checkWithin(_ times: [Duration]) throws(RecordingError) {
        guard times.allSatisfy({ (.zero...duration).contains($0) }) else {
            throw RecordingError(
                .outOfRange, "The recording lasts from 0 to \(MediaTime(duration).seconds) s; choose times within it.")
        }
    }

    /// The file. Throws once it was discarded.
    func file() throws(RecordingError) -> URL {
        guard let url else { throw .discarded }
        return url
    }
}

/// An image that every toolkit can show.
public struct Thumbnail: Sendable, Equatable {
    public enum Format: String, Sendable, CaseIterable {
        /// Every pixel as it was recorded. The better choice for text.
        case png
        /// Smaller where the screen shows photographs or video.
        case jpeg
    }

    /// The time from which the frame is shown.
    public let time: Duration
    /// In pixels.
    public let size: PixelSize
    public let format: Format
    /// A file of that format.
    public let data: Data
}
