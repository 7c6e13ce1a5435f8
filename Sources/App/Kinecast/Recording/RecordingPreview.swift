// A recording that has ended: to be looked at, kept or thrown away.
import FoundationEssentials
import KineClient
import KineContainers
import KineMedia
import KinePlatform
import Synchronization

/// A finished recording. Its file stays, also over the app's end, until the app saves or discards it.
///
/// Until it is saved, the file lies in the app's own directory: `save` moves it away, and `discard` throws it away. A file that was saved,
/// or whose name the app chose, belongs to the person: from then on `save` copies it, and `discard` leaves it where it is.
public final class RecordingPreview: Sendable, CustomStringConvertible {
    enum Place: Sendable {
        case unsaved(URL)
        /// The person's file.
        case saved(URL)
        case discarded
    }

    /// Without pauses.
    public let duration: Duration
    /// The frame in pixels; nil where the engine died before it could be told.
    public let size: PixelSize?
    /// Held while the file is moved, which may take as long as a copy; `url` is there meanwhile.
    private let changes = Mutex(())
    private let place: Mutex<Place>
    let store: RecordingStore
    let completed = Mutex<Set<ShareActivityType>>([])

    init(_ place: Place, duration: MediaTime, size: PixelSize?, store: RecordingStore) {
        self.duration = Duration(duration)
        self.size = size
        self.store = store
        self.place = Mutex(place)
    }

    /// The file, where it was saved last; nil after an unsaved recording was discarded.
    public var url: URL? {
        switch place.withLock({ $0 }) {
        case .unsaved(let file), .saved(let file): file
        case .discarded: nil
        }
    }

    /// Moves the file there the first time, to another file system too, and copies it each further time. A file that is there already is
    /// refused, unless it is `replacing` or this recording itself. The umask decides who may read the saved file.
    public func save(to url: URL, replacing: Bool = false) async throws(RecordingError) {
        let target = try Self.path(of: url)
        try await change { (place) throws(RecordingError) in
            do throws(StorageError) {
                switch place {
                case .unsaved(let file):
                    try DiskFile.move(file.path, to: target, replacing: replacing, permissions: .byUmask)
                case .saved(let file):
                    _ = try DiskFile.copy(
                        file.path, to: target, ifTaken: replacing ? .replace : .refuse, permissions: .byUmask)
                case .discarded: return place
                }
            } catch {
                throw RecordingError(error)
            }
            return .saved(URL(filePath: target))
        }
    }

    /// Moves a recording that was never saved to the desktop's trash, where a person finds it until the trash is emptied. Nothing happens
    /// to a file that was saved, or whose name the app chose.
    public func discard() async throws(RecordingError) {
        try await change { [store] (place) throws(RecordingError) in
            guard case .unsaved(let file) = place else { return place }
            try store.trash.move(file.path)
            return .discarded
        }
    }

    /// Changes the file's place, for one caller at a time, on a thread that may block. Throws where it was discarded.
    private func change(
        _ body: @escaping @Sendable (Place) throws(RecordingError) -> Place
    ) async throws(RecordingError) {
        try await BlockingCall.run("kine-preview") { [self] () throws(RecordingError) in
            try changes.withLock { _ throws(RecordingError) in
                let old = place.withLock { $0 }
                if case .discarded = old { throw .discarded }
                let new = try body(old)
                place.withLock { $0 = new }
            }
        }
    }

    /// The file, its duration and its size.
    public var description: String {
        let size = size.map { ", \($0.width)x\($0.height)" } ?? ""
        return "\(url?.path ?? "discarded") (\(MediaTime(duration).seconds) s\(size))"
    }

    static func path(of url: URL) throws(RecordingError) -> String {
        guard url.isFileURL, url.path.hasPrefix("/") else {
            throw RecordingError(
                .failedToSave, "\(url.absoluteString) is not the address of a file; give an absolute path.")
        }
        return url.path
    }
}
