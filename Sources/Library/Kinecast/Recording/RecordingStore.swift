// The directory of recordings that the app has not saved yet.
import FoundationEssentials
import Glibc
import KineClient
import KineMedia
import KinePlatform
import SystemPackage

/// A directory for each app, `$XDG_DATA_HOME/kinecast/recordings/APP/`, which only this user can enter. After a crash
/// the restarted app finds its recordings there.
struct RecordingStore: Sendable {
    private enum Place: Sendable {
        case given(URL)
        /// Nil: the identity of this process.
        case app(AppIdentity?)
    }

    private let place: Place
    /// Trims recordings and makes images of them.
    var editor = RecordingEditor()
    /// Receives discarded recordings.
    var trash = Trash()

    init(directory: URL) { place = .given(directory) }

    /// - Parameter app: nil: the identity of this process.
    init(_ app: AppIdentity?) { place = .app(app) }

    private var directory: URL {
        get throws(RecordingError) {
            switch place {
            case .given(let directory): return directory
            case .app:
                let identifier = try app.identifier
                return URL(filePath: UserDirectories.data).appending(path: "kinecast/recordings/\(identifier)")
            }
        }
    }

    /// The app whose recordings these are.
    var app: AppIdentity {
        get throws(RecordingError) {
            if case .app(let app) = place { try AppIdentity.checked(app) } else { try AppIdentity.checked(nil) }
        }
    }

    /// A new file with a unique name.
    func newFile() throws(RecordingError) -> URL {
        let directory = try directory
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw RecordingError(.failedToSave, "\(directory.path) cannot be made (\(error)); set XDG_DATA_HOME.")
        }
        return directory.appending(path: "\(UUID().uuidString).mp4")
    }

    /// Whether a file with this path is in the directory.
    func contains(_ path: String) throws(RecordingError) -> Bool {
        FilePath(path).removingLastComponent().resolved == FilePath(try directory.path).resolved
    }

    /// The files in the directory, oldest first.
    func files() throws(RecordingError) -> [URL] {
        let directory = try directory.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let files = names.filter { $0.hasSuffix(".mp4") }.map { name in
            let path = directory + "/" + name
            return (path: path, seconds: (try? FilePath(path).stat())?.st_mtim.tv_sec ?? 0)
        }
        return files.sorted { ($0.seconds, $0.path) < ($1.seconds, $1.path) }.map { URL(filePath: $0.path) }
    }
}
