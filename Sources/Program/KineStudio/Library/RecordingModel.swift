// A recording as the page's library shows it, and how its file is known again.
import Glibc
import KineMedia
import KineText
import KineWire
import SystemPackage

/// The identity of a file's content, without reading it.
struct FileVersion: Hashable, Sendable, CustomStringConvertible {
    private let device: UInt64
    private let inode: UInt64
    /// Bytes.
    let size: Int64
    /// Nanoseconds since 1970.
    private let modified: Int64

    /// Nil if there is no regular file at the path. Symbolic links are not followed.
    init?(of path: String) {
        guard let status = try? FilePath(escaped: path).stat(followTargetSymlink: false), status.type == .regular
        else { return nil }
        self.init(status)
    }

    init?(of descriptor: FileDescriptor) {
        guard let status = try? descriptor.stat(), status.type == .regular, status.linkCount > 0 else { return nil }
        self.init(status)
    }

    private init(_ status: Stat) {
        (device, inode, size) = (UInt64(status.deviceID.rawValue), UInt64(status.inode.rawValue), status.size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    /// Milliseconds since 1970, as `Date.now()`.
    var modifiedMilliseconds: Int64 { modified / 1_000_000 }

    var description: String {
        [inode, UInt64(bitPattern: size), UInt64(bitPattern: modified)].map { String($0, radix: 36) }
            .joined(separator: "-")
    }
}

/// An absent key: not known, or not of this kind.
struct RecordingModel: Encodable, Equatable, Sendable {
    enum Place: String, Encodable, Sendable {
        /// The directory `Kinecast` of the user's directory for videos.
        case videos
        /// An app's recordings that it has not saved.
        case app
        /// A FILE of `kinecast studio FILE`.
        case given
    }

    enum State: String, Encodable, Sendable {
        case finished, recording, recoverable, unreadable
        /// Kinecast did not make it. A browser may play it.
        case foreign
    }

    struct Mark: Encodable, Equatable, Sendable {
        /// Seconds.
        let start: Double
        let title: String
    }

    let id: String
    let name: String
    /// Absent: it has characters that do not survive a copy, or that do harm in a terminal.
    let path: String?
    let place: Place
    /// The identifier of the app.
    let app: String?
    let bytes: Int64
    /// Milliseconds since 1970.
    let modified: Int64
    /// Seconds.
    let duration: Double?
    /// Pixels.
    let width: Int?
    let height: Int?
    let hasAudio: Bool?
    /// Absent for false.
    let hasInput: Bool?
    /// The first one begins with the recording.
    let chapters: [Mark]?
    let state: State
    /// One sentence, for `unreadable`.
    let problem: String?
    /// Changes when the file does.
    let version: String
}

/// A file of the library.
struct LibraryFile: Sendable {
    /// Absolute, in the form of `String(escaping:)`.
    let path: String
    let place: RecordingModel.Place
    let app: String?

    /// The same for the same path, also of another server, so that a page can keep it.
    var id: String { Self.id(of: path) }

    /// FNV-1a with 64 bits. The paths are this user's own, so no one gains by two with the same number.
    static func id(of path: String) -> String {
        let hash = path.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 36)
    }

    var name: String { FilePath(escaped: path).lastComponent.map { FilePath(root: nil, [$0]).escaped } ?? path }

    /// The media types of listed videos by the ends of their names. Kinecast makes MP4.
    private static let types = [
        ".mp4": "video/mp4", ".webm": "video/webm", ".mkv": "video/x-matroska", ".avi": "video/x-msvideo",
        ".mov": "video/quicktime",
    ]
    static let endings = Array(types.keys)

    /// The end of a name, in lowercase; nil: it is not a listed video's.
    static func ending(of name: String) -> String? {
        let name = name.lowercased()
        return endings.first { name.hasSuffix($0) }
    }

    static func mediaType(of name: String) -> String { ending(of: name).flatMap { types[$0] } ?? "video/mp4" }

    /// Whether its name says that another program made it.
    var isNamedForeign: Bool { ![nil, ".mp4"].contains(Self.ending(of: path)) }
}

extension FileContent {
    /// - Parameter isWritten: whether a take is writing the file.
    func state(isWritten: Bool) -> RecordingModel.State {
        if isWritten { return .recording }
        return switch self {
        case .summary(.finished): .finished
        case .summary(.unfinished): .recoverable
        case .summary(.foreign): .foreign
        case .summary(.empty), .unreadable: .unreadable
        }
    }

    var finished: RecordingSummary.Finished? {
        if case .summary(.finished(let summary)) = self { summary } else { nil }
    }

    var problem: String? {
        switch self {
        case .summary(.finished), .summary(.unfinished): nil
        case .summary(.empty): "This recording ended before its first frame; delete it."
        case .summary(.foreign): "Kinecast did not record this file, or it is damaged; open it with another program."
        case .unreadable(let sentence): sentence
        }
    }
}

extension RecordingModel {
    init(_ file: LibraryFile, _ version: FileVersion, _ content: FileContent, isWritten: Bool) {
        (id, place) = (file.id, file.place)
        (name, app) = (file.name.printable(limit: .max), file.app?.printable(limit: 100))
        path = file.path.printable(limit: .max) == file.path ? file.path : nil
        (bytes, modified, self.version) = (version.size, version.modifiedMilliseconds, version.description)
        state = content.state(isWritten: isWritten)
        let finished = isWritten ? nil : content.finished
        duration = finished?.duration.seconds
        (width, height) = (finished?.size.width, finished?.size.height)
        (hasAudio, hasInput) = (finished?.hasAudio, finished?.hasInput)
        let marks = finished?.chapters.map { Mark(start: $0.start.seconds, title: $0.title.printable(limit: .max)) }
        chapters = marks?.isEmpty == false ? marks : nil
        problem = state == .unreadable ? content.problem : nil
    }
}
