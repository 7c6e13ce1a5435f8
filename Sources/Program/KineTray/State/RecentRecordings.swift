// The newest recordings, for the menu: those in the directory of `kinecast record --toggle`, and the files of takes that
// have ended while the tray ran.
import Glibc
import KinePlatform
import KineText
import SystemPackage

struct RecentRecordings {
    private static let most = 5
    /// The most files of the directory that are looked at.
    private static let mostFiles = 10_000

    /// The newest first. `id`: the entry's number in the menu, which no other file gets.
    private(set) var entries: [(id: Int32, path: String)] = []
    private var ended: [String] = []
    private var lastID = TrayMenu.firstRecording
    private let directory: FilePath?

    /// - Parameter directory: of the recordings; nil: there is none.
    init(in directory: FilePath?) { self.directory = directory }

    mutating func add(_ files: [String]) { ended = Array((ended + files).suffix(Self.most)) }

    /// Looks at the files again.
    mutating func refresh() {
        let found = directory.map { directory in
            PrivateDirectory.entries(directory).filter { $0.hasSuffix(".mp4") }.prefix(Self.mostFiles)
                .map { directory.pushing(FilePath(escaped: $0)).escaped }
        }
        let times = Set((found ?? []) + ended).compactMap { path in Self.changed(path).map { (path: path, time: $0) } }
        let newest = times.sorted { ($0.time, $0.path) > ($1.time, $1.path) }.prefix(Self.most)
        entries = newest.map { file -> (id: Int32, path: String) in
            if let known = entries.first(where: { $0.path == file.path }) { return known }
            lastID += 1
            return (lastID, file.path)
        }
    }

    /// The time of a file's last change, nanoseconds since 1970; nil if there is no such file.
    private static func changed(_ path: String) -> Int? {
        guard let status = try? FilePath(escaped: path).stat(), status.type == .regular else { return nil }
        return status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
    }
}
