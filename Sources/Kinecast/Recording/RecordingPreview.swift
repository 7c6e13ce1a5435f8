// A recording that has ended: to be looked at, kept or thrown away.
import FoundationEssentials
import KineClient
import KineContainers
import KineMedia
import KinePlatform
import Synchronization

/// A finished recording. Its file stays, also over the app's end, until it is saved elsewhere or discarded.
public final class RecordingPreview: Sendable {
    /// Without pauses.
    public let duration: Duration
    /// The frame in pixels; nil where the engine died before it could be told.
    public let size: PixelSize?
    /// Held while the file is moved, which may take as long as a copy; `url` is there meanwhile.
    private let changes = Mutex(())
    private let place: Mutex<URL?>
    let editor: RecordingEditor
    let completed = Mutex<Set<ShareActivityType>>([])

    init(_ file: URL, duration: MediaTime, size: PixelSize?, editor: RecordingEditor) {
        self.duration = .nanoseconds(duration.nanoseconds)
        self.size = size
        self.editor = editor
        place = Mutex(file)
    }

    /// The file, where it is now; nil after `discard`.
    public var url: URL? { place.withLock { $0 } }

    /// Moves the file there, to another file system too. A file that is there already is refused, unless it is `replacing`.
    public func save(to url: URL, replacing: Bool = false) async throws(RecordingError) {
        let target = try Self.path(of: url)
        try await change { (file) throws(RecordingError) in
            do throws(StorageError) {
                try DiskFile.move(file.path, to: target, replacing: replacing)
            } catch {
                throw RecordingError(.failedToSave, error.description)
            }
            return URL(filePath: target)
        }
    }

    /// Moves the file to the desktop's trash, where a person finds it until the trash is emptied.
    public func discard() async throws(RecordingError) {
        try await change { (file) throws(RecordingError) in
            try Trash().move(file.path)
            return nil
        }
    }

    /// Has the file changed by one caller at a time, on a thread that may block.
    private func change(
        _ body: @escaping @Sendable (URL) throws(RecordingError) -> URL?
    ) async throws(RecordingError) {
        try await BlockingCall.run("kine-preview") { [self] () throws(RecordingError) in
            try changes.withLock { _ throws(RecordingError) in
                guard let file = url else { throw .discarded }
                let new = try body(file)
                place.withLock { $0 = new }
            }
        }
    }

    static func path(of url: URL) throws(RecordingError) -> String {
        guard url.isFileURL, url.path.hasPrefix("/") else {
            throw RecordingError(
                .failedToSave, "\(url.absoluteString) is not the address of a file; give an absolute path.")
        }
        return url.path
    }
}
