// The desktop's trash (freedesktop.org, Trash specification 1.0), from which a person can restore files.
import FoundationEssentials
import Glibc
import KineContainers
import KinePlatform
import SystemPackage

/// The trash in this user's home. Files of other file systems are copied into it.
package struct Trash: Sendable {
    /// A file in the trash. All are absolute paths.
    package struct Entry: Sendable, Equatable {
        package let original: String
        fileprivate let file: String
        fileprivate let information: String
    }

    private let directory: String

    /// - Parameter directory: the trash directory, with `files` and `info` in it.
    package init(_ directory: String = UserDirectories.data + "/Trash") { self.directory = directory }

    /// Moves the file at this absolute path into the trash.
    @discardableResult
    package func move(_ path: String, at date: Date = Date()) throws(RecordingError) -> Entry {
        do {
            for part in ["files", "info"] {
                try FileManager.default.createDirectory(
                    atPath: "\(directory)/\(part)", withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            let name = try writeInformation(path, date)
            do throws(StorageError) {
                try DiskFile.move(path, to: "\(directory)/files/\(name)")
            } catch {
                unlink(information(of: name))
                throw error
            }
            return Entry(original: path, file: "\(directory)/files/\(name)", information: information(of: name))
        } catch let error as StorageError {
            throw RecordingError(error)
        } catch {
            throw RecordingError(
                .failedToSave, "\(path) cannot be moved to the trash in \(directory) (\(error)); delete it instead.")
        }
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

    /// Writes the file's path and the time of deletion. Returns its name in the trash: creating this file reserves the
    /// name.
    private func writeInformation(_ path: String, _ date: Date) throws -> String {
        let file = FilePath(path)
        let (stem, suffix) = (file.stem ?? "recording", file.extension.map { ".\($0)" } ?? "")
        for count in 1... {
            let name = count == 1 ? stem + suffix : "\(stem) \(count)\(suffix)"
            let descriptor: FileDescriptor
            do {
                descriptor = try FileDescriptor.open(
                    information(of: name), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                    permissions: .ownerReadWrite)
            } catch Errno.fileExists {
                continue
            }
            defer { try? descriptor.close() }
            try descriptor.writeAll(Self.information(path, date).utf8)
            return name
        }
        return stem
    }

    private func information(of name: String) -> String { "\(directory)/info/\(name).trashinfo" }

    /// The path is percent-encoded (RFC 2396), the time is local.
    static func information(_ path: String, _ date: Date) -> String {
        let time = LocalTime.text("%Y-%m-%dT%H:%M:%S", at: time_t(date.timeIntervalSince1970))
        return "[Trash Info]\nPath=\(path.percentEncoded(except: "-./_~"))\nDeletionDate=\(time)\n"
    }
}
