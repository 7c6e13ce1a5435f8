// Changes of recordings' files: other names, the trash and back, recovery, and an app's recording that is saved.
import Glibc
import KineClient
import KineContainers
import KineLive
import KinePlatform
import Kinecast
import Synchronization
import SystemPackage

/// The files that pages have moved to the trash. Any thread may call.
final class UndoTokens: Sendable {
    private static let most = 100

    private struct Deleted {
        let token: LiveToken
        let entry: Trash.Entry
        let file: LibraryFile
    }

    private let deleted = Mutex<[Deleted]>([])

    func add(_ entry: Trash.Entry, _ file: LibraryFile) -> LiveToken {
        let token = LiveToken()
        deleted.withLock { $0 = Array(($0 + [Deleted(token: token, entry: entry, file: file)]).suffix(Self.most)) }
        return token
    }

    func find(_ token: String) -> (entry: Trash.Entry, file: LibraryFile)? {
        deleted.withLock { $0.first { $0.token.matches(token) } }.map { ($0.entry, $0.file) }
    }

    func remove(_ token: String) { deleted.withLock { $0.removeAll { $0.token.matches(token) } } }
}

extension Library {
    /// The most bytes of a name on Linux's file systems.
    private static let longestName = 255

    /// The name of a file that a person has typed, with `.mp4`. It is one component of a path, and not hidden.
    static func fileName(_ typed: String) throws(LibraryProblem) -> String {
        let name = typed.lowercased().hasSuffix(".mp4") ? typed : typed + ".mp4"
        let isPlain = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f && $0 != "/" }
        guard isPlain, !name.hasPrefix("."), name.cString.count - 1 <= longestName else {
            throw LibraryProblem(
                .badRequest,
                "A name has at most 251 bytes, does not begin with a dot, and has no slash or control character; "
                    + "write another one.")
        }
        return name
    }

    /// Gives a recording another name in its directory.
    func rename(_ id: String, to typed: String) async throws(LibraryProblem) -> RecordingModel {
        let name = try Self.fileName(typed)
        return try await change { library throws(LibraryProblem) in
            let entry = try library.unwritten(id)
            let old = entry.file.path
            let new = FilePath(escaped: old).removingLastComponent().escaped + "/" + name
            try Self.storing { () throws(StorageError) in try DiskFile.move(old, to: new) }
            library.media.rename(old, to: new)
            return try library.entry(at: new, like: entry.file).model
        }
    }

    /// Moves a recording to the desktop's trash. Returns the token of `restore`.
    func delete(_ id: String) async throws(LibraryProblem) -> String {
        try await change { library throws(LibraryProblem) in
            let entry = try library.unwritten(id)
            return library.undo.add(try library.trash(entry), entry.file).description
        }
    }

    /// Moves a recording back from the trash.
    func restore(_ token: String) async throws(LibraryProblem) -> RecordingModel {
        guard let (trashed, file) = undo.find(token) else {
            throw LibraryProblem(
                .notFound, "This deletion is too old to be undone here; look into the desktop's trash.")
        }
        return try await change { library throws(LibraryProblem) in
            do throws(RecordingError) { try library.places.trash.restore(trashed) } catch {
                throw LibraryProblem(error)
            }
            library.undo.remove(token)
            return try library.entry(at: trashed.original, like: file).model
        }
    }

    /// Finishes a recording whose engine died.
    func recover(_ id: String) async throws(LibraryProblem) -> RecordingModel {
        let entry = try await blocking { library throws(LibraryProblem) in try library.unwritten(id) }
        return try await turns.take(isFirst: true) { () throws(LibraryProblem) in
            do throws(ClientError) { _ = try await KnownTakes.recover(entry.file.path) } catch {
                throw LibraryProblem(error)
            }
            return try await blocking { library throws(LibraryProblem) in try library.entry(id).model }
        }
    }

    /// Moves an app's unsaved recording to the directory for videos.
    func save(_ id: String, as typed: String) async throws(LibraryProblem) -> RecordingModel {
        try await change { library throws(LibraryProblem) in
            let entry = try library.unwritten(id)
            guard entry.file.place == .app else { throw .saved }
            let new = try library.newPath(named: typed)
            let old = entry.file.path
            try Self.storing { () throws(StorageError) in try DiskFile.move(old, to: new, permissions: .byUmask) }
            library.media.rename(old, to: new)
            return try library.entry(at: new, like: entry.file, in: .videos).model
        }
    }

    /// The path of a new recording in the directory for videos. Throws if a file has that name.
    func newPath(named typed: String) throws(LibraryProblem) -> String {
        let path = try videosDirectory() + "/" + (try Self.fileName(typed))
        try Self.storing { () throws(StorageError) in try DiskFile.checkTarget(path, ifTaken: .refuse) }
        return path
    }

    /// The directory for saved recordings, which is made.
    private func videosDirectory() throws(LibraryProblem) -> String {
        guard let videos = places.videos, mkdir(videos.cString, 0o777) == 0 || errno == EEXIST else {
            throw LibraryProblem(
                .conflict, "There is no directory for videos that you can write to; make ~/Videos.")
        }
        return FilePath(escaped: videos).resolved?.escaped ?? videos
    }

    func trash(_ entry: Entry) throws(LibraryProblem) -> Trash.Entry {
        do throws(RecordingError) { return try places.trash.move(entry.file.path) } catch {
            throw LibraryProblem(error)
        }
    }

    static func storing(_ body: () throws(StorageError) -> Void) throws(LibraryProblem) {
        do throws(StorageError) { try body() } catch { throw LibraryProblem(error) }
    }

    func unwritten(_ id: String) throws(LibraryProblem) -> Entry {
        let entry = try entry(id)
        if entry.isWritten { throw .beingRecorded }
        return entry
    }

    /// Changes files on a thread that may block, one change at a time.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (Library) throws(LibraryProblem) -> Value
    ) async throws(LibraryProblem) -> Value {
        try await changes.take { () throws(LibraryProblem) in try await blocking(body) }
    }
}
