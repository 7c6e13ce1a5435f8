// The place of recordings that the app has not saved yet.
import FoundationEssentials
import Glibc
import KineClient
import KineMedia
import KinePlatform
import SystemPackage

/// A directory for each app, `$XDG_DATA_HOME/kinecast/recordings/APP/`, which only this user can enter. What an app that was killed
/// left there is still there when it starts again.
struct RecordingStore: Sendable {
    private enum Place: Sendable {
        case given(URL)
        /// Nil: this process's.
        case app(AppIdentity?)
    }

    private let place: Place
    /// Cuts the recordings and makes images of them.
    var editor = RecordingEditor()
    /// The place of recordings that are discarded.
    var trash = Trash()

    init(directory: URL) { place = .given(directory) }

    /// - Parameter app: nil: as `kinecast-app.json` says.
    init(_ app: AppIdentity?) { place = .app(app) }

    private var directory: URL {
        get throws(RecordingError) {
            switch place {
            case .given(let directory): return directory
            case .app(let app):
                let identifier = try AppIdentity.checked(app).identifier
                return URL(filePath: UserDirectories.data).appending(path: "kinecast/recordings/\(identifier)")
            }
        }
    }

    /// A name that no file has.
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

    /// Whether that path is of a file in the directory.
    func contains(_ path: String) throws(RecordingError) -> Bool {
        FilePath(path).removingLastComponent().resolved == FilePath(try directory.path).resolved
    }

    /// The files that are there, oldest first.
    func files() throws(RecordingError) -> [URL] {
        let directory = try directory.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let files = names.filter { $0.hasSuffix(".mp4") }.map { name in
            let path = directory + "/" + name
            var status = stat()
            return (path: path, seconds: stat(path, &status) == 0 ? status.st_mtim.tv_sec : 0)
        }
        return files.sorted { ($0.seconds, $0.path) < ($1.seconds, $1.path) }.map { URL(filePath: $0.path) }
    }
}
