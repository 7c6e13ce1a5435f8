// The place of recordings that the app has not saved yet.
import FoundationEssentials
import Glibc
import KinePlatform
import KineRelay
import SystemPackage

/// A directory for each app, `$XDG_DATA_HOME/kinecast/recordings/APP/`, which only this user can enter. What an app that was killed
/// left there is still there when it starts again.
struct RecordingStore: Sendable {
    var directory: URL

    init(directory: URL) { self.directory = directory }

    init(_ app: AppIdentity) {
        directory = URL(filePath: UserDirectories.data).appending(path: "kinecast/recordings/\(app.identifier)")
    }

    /// A name that no file has.
    func newFile() throws(RecordingError) -> URL {
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw RecordingError(.failedToSave, "\(directory.path) cannot be made (\(error)); set XDG_DATA_HOME.")
        }
        return directory.appending(path: "\(UUID().uuidString).mp4")
    }

    /// Whether that path is of a file in the directory.
    func contains(_ path: String) -> Bool {
        FilePath(path).removingLastComponent().resolved == FilePath(directory.path).resolved
    }

    /// The files that are there, oldest first.
    func files() -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let files = names.filter { $0.hasSuffix(".mp4") }.map { name in
            let path = directory.path + "/" + name
            var status = stat()
            return (path: path, seconds: stat(path, &status) == 0 ? status.st_mtim.tv_sec : 0)
        }
        return files.sorted { ($0.seconds, $0.path) < ($1.seconds, $1.path) }.map { URL(filePath: $0.path) }
    }
}
