// Looking into a recording, and cutting it. An engine that is started for it does the work: no codec is linked into the app.
import FoundationEssentials
import KineClient
import KineContainers
import KineControl
import KineMedia
import KinePlatform
import SystemPackage

extension RecordingPreview {
    /// A preview of a recording that is in a file: one that was saved before, or that is left of an app that was killed.
    ///
    /// Throws `notARecording` where Kinecast has not recorded the file, where it is still being written, and where it first has to be
    /// recovered.
    public static func open(_ url: URL) async throws(RecordingError) -> RecordingPreview {
        try await open(url, editor: RecordingEditor())
    }

    static func open(_ url: URL, editor: RecordingEditor) async throws(RecordingError) -> RecordingPreview {
        let path = try path(of: url)
        return try await BlockingCall.run("kine-preview") { () throws(RecordingError) in
            let index: RecordingIndex
            do {
                index = try RecordingIndex(reading: DiskFile.openToRead(path))
            } catch {
                throw RecordingError(.notARecording, "\(error).")
            }
            return RecordingPreview(
                URL(filePath: path), duration: index.duration, size: index.size, editor: editor)
        }
    }

    /// Saves a part of the recording in a new file beside this one, and returns its preview. This recording stays as it is until it is
    /// saved or discarded.
    ///
    /// The part is exact: it begins with the frame that is shown at `start` and ends at `end`, and its audio is cut to the sample. Only
    /// the frames from `start` to the next keyframe are encoded again; everything else is copied. Takes about as long as a copy of the
    /// file. Throws `outOfRange` where `end` is not after `start` or the recording has ended by `start`. A task that is cancelled
    /// throws `cancelled`, and leaves nothing behind.
    /// - Parameters:
    ///   - start: since the recording's first frame.
    ///   - end: nil, or later than the recording's end: to the end.
    public func trim(
        from start: Duration = .zero, to end: Duration? = nil
    ) async throws(RecordingError) -> RecordingPreview {
        let input = FilePath(try file().path)
        guard start >= .zero, end.map({ $0 > start }) ?? true else {
            throw RecordingError(.outOfRange, "The excerpt ends before it begins; let its end be later than its start.")
        }
        let request = TrimRequest(
            input: input.string, output: NumberedName.adding(" trimmed", to: input).string, start: MediaTime(start),
            end: end.map(MediaTime.init), isNumbered: true)
        do throws(ClientError) {
            let trimmed = try await editor.trim(request)
            return RecordingPreview(
                URL(filePath: trimmed.path), duration: trimmed.duration, size: trimmed.size, editor: editor)
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

    /// The frames that are shown at these times, in the order of the times. Throws `outOfRange` for a time after the recording's end.
    /// - Parameters:
    ///   - times: since the recording's first frame.
    ///   - maximumSize: in pixels: images keep their shape and fit into it, and are never enlarged; nil: the frames' size.
    ///   - format: of the images' bytes.
    public func thumbnails(
        at times: [Duration], maximumSize: PixelSize? = nil, format: Thumbnail.Format = .png
    ) async throws(RecordingError) -> [Thumbnail] {
        guard !times.isEmpty else { return [] }
        if let maximumSize, maximumSize.width < 1 || maximumSize.height < 1 {
            throw RecordingError(.outOfRange, "An image has at least one pixel; choose a larger maximum size.")
        }
        let request = ImagesRequest(
            input: try file().path, times: times.map(MediaTime.init), maximumSize: maximumSize, format: format.rawValue)
        do throws(ClientError) {
            return try await editor.images(request).map { image in
                Thumbnail(
                    time: .nanoseconds(image.time.nanoseconds), size: image.size, format: format, data: image.data)
            }
        } catch {
            throw RecordingError(error)
        }
    }

    /// The file. Throws once it was discarded.
    func file() throws(RecordingError) -> URL {
        guard let url else { throw .discarded }
        return url
    }
}
