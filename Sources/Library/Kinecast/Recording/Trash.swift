// The desktop's trash (freedesktop.org, Trash specification 1.0), from which a person can restore files.
import FoundationEssentials
import Glibc
import KineContainers
import KinePlatform
import KineText
import SystemPackage

/// The trash in this user's home, and those at the tops of other file systems, where files are moved without a copy. Only files of a
/// file system that can have none are copied into the one at home.
package struct Trash: Sendable {
    /// A file in the trash. All are absolute paths.
    package struct Entry: Sendable, Equatable {
        package let original: String
        fileprivate let file: String
        fileprivate let information: String
    }

    /// One trash directory, with `files` and `info` in it.
    private struct Place {
        let directory: String
        /// The top of its file system; nil: the trash at home, which has absolute paths.
        var top: String?

        func information(of name: String) -> String { "\(directory)/info/\(name).trashinfo" }

        func make() throws {
            for part in ["files", "info"] {
                try FileManager.default.createDirectory(
                    atPath: "\(directory)/\(part)", withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
        }
    }

    private let home: Place

    /// - Parameter directory: the trash directory at home.
    package init(_ directory: String = UserDirectories.data + "/Trash") { home = Place(directory: directory) }

    /// Moves the file at this absolute path into the trash.
    @discardableResult
    package func move(_ path: String, at date: Date = Date()) throws(RecordingError) -> Entry {
        do {
            let (place, name) = try reserve(path, date)
            do throws(StorageError) {
                try DiskFile.move(path, to: "\(place.directory)/files/\(name)")
            } catch {
                unlink(place.information(of: name))
                throw error
            }
            return Entry(
                original: path, file: "\(place.directory)/files/\(name)", information: place.information(of: name))
        } catch let error as StorageError {
            throw RecordingError(error)
        } catch {
            throw RecordingError(
                .failedToSave,
                "\(path) cannot be moved to the trash in \(home.directory) (\(error)); delete it instead.")
        }
    }

    /// A place in the first trash that takes the file, and the file's name there.
    private func reserve(_ path: String, _ date: Date) throws -> (Place, String) {
        for place in Self.places(near: path, besides: home.directory) {
            if let name = try? writeInformation(path, date, in: place) { return (place, name) }
        }
        return (home, try writeInformation(path, date, in: home))
    }

    /// The trashes at the top of a file's own file system, the better one first. None: the file is in the file system of
    /// `directory`.
    private static func places(near path: String, besides directory: String) -> [Place] {
        guard var top = FilePath(escaped: path).removingLastComponent().resolved, let own = device(of: top),
            own != device(of: FilePath(escaped: directory))
        else { return [] }
        while !top.components.isEmpty, device(of: top.removingLastComponent()) == own { top.removeLastComponent() }
        // A directory for the trashes of all users has to be one, and sticky.
        let shared = top.appending(".Trash")
        let status = try? shared.stat(followTargetSymlink: false)
        let isShared = status?.type == .directory && status?.permissions.contains(.saveText) == true
        let directories = (isShared ? [shared.appending("\(getuid())")] : []) + [top.appending(".Trash-\(getuid())")]
        return directories.compactMap { directory in
            // Another user may have made the directory, or a link in its place.
            let status = try? directory.stat(followTargetSymlink: false)
            guard status.map({ $0.type == .directory && $0.userID.rawValue == getuid() }) ?? true else { return nil }
            return Place(directory: directory.escaped, top: top.escaped)
        }
    }

    /// The file system of a path, or of the directory in which it would be made.
    private static func device(of path: FilePath) -> DeviceID? {
        if let status = try? path.stat(followTargetSymlink: false) { return status.deviceID }
        return path.components.isEmpty ? nil : device(of: path.removingLastComponent())
    }

    /// Moves a file back to where it was. Throws if another file is there, or if it has left the trash.
    package func restore(_ entry: Entry) throws(RecordingError) {
        do throws(StorageError) {
            try DiskFile.move(entry.file, to: entry.original)
        } catch {
            throw RecordingError(error)
        }
        unlink(entry.information)
    }

    /// Makes the trash, and writes the file's path and the time of deletion. Returns its name in the trash: creating this file reserves the
    /// name.
    private func writeInformation(_ path: String, _ date: Date, in place: Place) throws -> String {
        try place.make()
        let file = FilePath(path)
        let (stem, suffix) = (file.stem ?? "recording", file.extension.map { ".\($0)" } ?? "")
        for count in 1... {
            let name = count == 1 ? stem + suffix : "\(stem) \(count)\(suffix)"
            let descriptor: FileDescriptor
            do {
                descriptor = try FileDescriptor.open(
                    place.information(of: name), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                    permissions: .ownerReadWrite)
            } catch Errno.fileExists {
                continue
            }
            defer { try? descriptor.close() }
            do {
                try descriptor.writeAll(Self.information(Self.path(path, in: place), date).utf8)
            } catch {
                unlink(place.information(of: name))
                throw error
            }
            return name
        }
        return stem
    }

    /// Outside of home, the path is relative to the top of the file system.
    private static func path(_ path: String, in place: Place) -> String {
        guard let top = place.top else { return path }
        let directory = FilePath(escaped: path).removingLastComponent()
        let name = path.split(separator: "/").last ?? ""
        let whole = (directory.resolved ?? directory).escaped + "/" + name
        let prefix = top.hasSuffix("/") ? top : top + "/"
        return whole.hasPrefix(prefix) ? String(whole.dropFirst(prefix.count)) : path
    }

    /// The path is percent-encoded (RFC 2396), the time is local.
    static func information(_ path: String, _ date: Date) -> String {
        let time = LocalTime.text("%Y-%m-%dT%H:%M:%S", at: time_t(date.timeIntervalSince1970))
        return "[Trash Info]\nPath=\(path.percentEncoded(except: "-./_~"))\nDeletionDate=\(time)\n"
    }
}
