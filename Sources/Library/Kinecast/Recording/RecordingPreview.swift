// A finished recording, which the app shows, saves or discards.
import FoundationEssentials
import KineContainers
import KineMedia
import KinePlatform
import Synchronization

/// A finished recording. Its file is kept, even after the app has ended, until the app saves or discards it.
///
/// An unsaved file is in the app's own directory: `save` moves it, and `discard` moves it to the trash. A saved file,
/// or one whose name the app chose, belongs to the person: `save` copies it, and `discard` leaves it.
public final class RecordingPreview: Sendable, Equatable, CustomStringConvertible {
    enum Place: Sendable {
        case unsaved(URL)
        /// The person's file.
        case saved(URL)
        case discarded
    }

    /// The frame size in pixels; nil if the engine died before it reported the size.
    public let size: PixelSize?
    /// Held while the file is moved, which may take as long as a copy; `url` can be read meanwhile.
    private let changes = Mutex(())
    private let place: Mutex<Place>
    private let length: Mutex<Duration>
    let store: RecordingStore
    let completed = Mutex<Set<ShareActivityType>>([])

    init(_ place: Place, duration: MediaTime, size: PixelSize?, store: RecordingStore) {
        length = Mutex(Duration(duration))
        self.size = size
        self.store = store
        self.place = Mutex(place)
    }

    public static func == (one: RecordingPreview, other: RecordingPreview) -> Bool { one === other }

    /// The duration without pauses.
    public var duration: Duration { length.withLock { $0 } }

    /// Whether the file belongs to the person.
    var isSaved: Bool { if case .saved = place.withLock({ $0 }) { true } else { false } }

    /// The file, where it was saved last; nil if the recording was discarded unsaved.
    public var url: URL? {
        switch place.withLock({ $0 }) {
        case .unsaved(let file), .saved(let file): file
        case .discarded: nil
        }
    }

    /// Moves the file there the first time, also to another file system, and copies it each further time. Throws if
    /// another file exists there, unless `replacing` is true. The umask decides who may read the saved file.
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

    /// Moves an unsaved recording to the desktop's trash. Does nothing with a file that was saved, or whose name the
    /// app chose.
    public func discard() async throws(RecordingError) {
        try await change { [store] (place) throws(RecordingError) in
            guard case .unsaved(let file) = place else { return place }
            try store.trash.move(file.path)
            return .discarded
        }
    }

    /// Puts an unsaved excerpt in the place of this recording, which moves to the desktop's trash. If this throws, both
    /// are where they were.
    func replace(with excerpt: RecordingPreview) async throws(RecordingError) {
        let new = try excerpt.file()
        try await change { [store] (place) throws(RecordingError) in
            switch place {
            case .unsaved(let file):
                try store.trash.move(file.path)
                return .unsaved(new)
            case .saved(let file):
                let trashed = try store.trash.move(file.path)
                do throws(StorageError) {
                    try DiskFile.move(new.path, to: file.path)
                } catch {
                    try? store.trash.restore(trashed)
                    throw RecordingError(error)
                }
                return place
            case .discarded: return place
            }
        }
        let duration = excerpt.duration
        length.withLock { $0 = duration }
    }

    /// Changes the file's place, for one caller at a time, on a thread that may block. Throws if it was discarded.
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

    /// Whether that path leads to this recording's file.
    func isFile(at path: String) throws(RecordingError) -> Bool {
        let file = try file()
        do throws(StorageError) { return try DiskFile.openToRead(file.path).isFile(at: path) } catch {
            throw RecordingError(error)
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
