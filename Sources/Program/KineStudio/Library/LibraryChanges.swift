// Changes of recordings' files: other names, the trash and back, recovery, and an app's recording that is saved.
import Glibc
import KineClient
import KineContainers
import KineMedia
import KinePlatform
import KineText
import Kinecast
import SystemPackage

extension Library {
    /// A file that a page has moved to the trash.
    struct Deleted: Sendable {
        let entry: Trash.Entry
        let file: LibraryFile
    }

    /// The most bytes of a name on Linux's file systems.
    private static let longestName = 255

    /// The name of a file that a person has typed, with its ending. It is one component of a path, and not hidden. Throws
    /// the rule that it breaks.
    static func fileName(_ typed: String, ending: String = ".mp4") throws(StudioProblem) -> String {
        let name = typed.lowercased().hasSuffix(ending) ? typed : typed + ending
        let excess = name.cString.count - 1 - longestName
        let problem: String? =
            if name.utf8.count == ending.utf8.count {
                "A name has at least one character; type one."
            } else if name.utf8.first == UInt8(ascii: ".") {
                "A name that begins with a dot is hidden; begin it with another character."
            } else if name.utf8.contains(UInt8(ascii: "/")) {
                "A name has no slash, which stands for a folder; leave it out."
            } else if !name.unicodeScalars.allSatisfy(isVisible) {
                "A name has no invisible characters, such as the end of a line; leave them out."
            } else if excess > 0 {
                "This name is too long; shorten it by \(Quantity.count(excess, "character"))."
            } else {
                nil
            }
        if let problem { throw StudioProblem(.badRequest, problem) }
        return name
    }

    /// Characters that turn text around could make a name look like another. An unassigned one may be a newer emoji.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .privateUse, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// Gives a recording another name in its directory.
    func rename(_ id: String, to typed: String) async throws -> RecordingModel {
        try await change { library in
            let entry = try library.unwritten(id)
            let old = entry.file.path
            let name = try Self.fileName(typed, ending: LibraryFile.ending(of: old) ?? ".mp4")
            let new = FilePath(escaped: old).removingLastComponent().escaped + "/" + name
            try DiskFile.move(old, to: new)
            library.media.rename(old, to: new)
            return try library.entry(at: new, like: entry.file).model
        }
    }

    /// Moves a recording to the desktop's trash. Returns the token of `restore`.
    func delete(_ id: String) async throws -> String {
        try await change { library in
            let entry = try library.unwritten(id)
            let trashed = try library.places.trash.move(entry.file.path)
            return library.undo.add(Deleted(entry: trashed, file: entry.file)).description
        }
    }

    /// Moves a recording back from the trash.
    func restore(_ token: String) async throws -> RecordingModel {
        guard let deleted = undo.value(of: token) else {
            throw StudioProblem(
                .notFound, "This deletion is too old to be undone here; look into the desktop's trash.")
        }
        return try await change { library in
            try library.places.trash.restore(deleted.entry)
            library.undo.remove(token)
            return try library.entry(at: deleted.entry.original, like: deleted.file).model
        }
    }

    /// Finishes a recording whose engine died.
    func recover(_ id: String) async throws -> RecordingModel {
        let entry = try await blocking { library in try library.unwritten(id) }
        return try await turns.take(isFirst: true) {
            _ = try await KnownTakes.recover(entry.file.path)
            return try await blocking { library in try library.entry(id).model }
        }
    }

    /// Moves an app's unsaved recording to the directory for videos.
    func save(_ id: String, as typed: String) async throws -> RecordingModel {
        try await change { library in
            let entry = try library.unwritten(id)
            guard entry.file.place == .app else { throw StudioProblem.saved }
            let new = try library.newPath(named: typed)
            let old = entry.file.path
            try DiskFile.move(old, to: new, permissions: .byUmask)
            library.media.rename(old, to: new)
            return try library.entry(at: new, like: entry.file, in: .videos).model
        }
    }

    /// The path of a new recording in the directory for videos, which is made. Throws if a file has that name.
    func newPath(named typed: String) throws -> String {
        guard let videos = places.videos, mkdir(videos.cString, 0o777) == 0 || errno == EEXIST else {
            throw StudioProblem.noVideos
        }
        let path = (FilePath(escaped: videos).resolved?.escaped ?? videos) + "/" + (try Self.fileName(typed))
        try DiskFile.checkTarget(path, ifTaken: .refuse)
        return path
    }

    func unwritten(_ id: String) throws(StudioProblem) -> Entry {
        let entry = try entry(id)
        if entry.isWritten { throw .beingRecorded }
        return entry
    }

    /// Changes files on a thread that may block, one change at a time.
    func change<Value: Sendable>(_ body: @escaping @Sendable (Library) throws -> Value) async throws -> Value {
        try await changes.take { try await blocking(body) }
    }
}
