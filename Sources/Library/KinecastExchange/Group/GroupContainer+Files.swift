// The files in a group's container, and changes of them. Linux.
import FoundationEssentials
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// A file in a group's container.
public struct GroupFile: Sendable, Equatable {
    public var name: String
    /// In bytes.
    public var size: Int
    /// The time of its last change.
    public var modified: Date
}

/// A change in a group's container. Later reads see the state after that change, or a newer one.
public enum GroupChange: Sendable, Hashable {
    /// A file with this name is complete: it was published, or written and closed.
    case published(String)
    case removed(String)
    /// There were too many changes, and some were missed: list the files again.
    case several
}

extension GroupContainer {
    /// The regular files of the container, sorted by name, without directories, links and names that begin with a dot.
    public func files() throws(GroupError) -> [GroupFile] {
        guard access(path.cString, R_OK | X_OK) == 0 else {
            throw .system(operation: "Listing the group \(identifier)", .last)
        }
        return PrivateDirectory.entries(path).sorted().compactMap { name in
            guard !name.hasPrefix(".") else { return nil }
            guard let status = try? path.appending(name).stat(followTargetSymlink: false), status.type == .regular
            else { return nil }
            let time = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
            return GroupFile(name: name, size: Int(status.size), modified: Date(timeIntervalSince1970: time))
        }
    }

    /// The bytes of a file. Throws if there are more than `limit`.
    public func contents(of name: String, limit: Int = 64 << 20) throws(GroupError) -> [UInt8] {
        guard name.isGroupFileName else { throw .invalidName(name) }
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(
                path.appending(name), .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
        } catch {
            if error as? Errno == .noSuchFileOrDirectory { throw .noSuchFile(name) }
            throw .system(operation: "Opening \(name)", error as? Errno ?? .ioError)
        }
        defer { try? file.close() }
        guard let status = try? file.stat(), status.type == .regular else { throw .noSuchFile(name) }
        guard status.size <= limit else { throw .tooLarge(name, limit: limit) }
        do {
            let bytes = try file.readToEnd(atMost: limit + 1)
            guard bytes.count <= limit else { throw GroupError.tooLarge(name, limit: limit) }
            return bytes
        } catch let error as GroupError {
            throw error
        } catch {
            throw .system(operation: "Reading \(name)", error as? Errno ?? .ioError)
        }
    }

    /// Removes a file.
    public func remove(_ name: String) throws(GroupError) {
        guard name.isGroupFileName else { throw .invalidName(name) }
        guard unlink(path.appending(name).cString) == 0 else {
            if errno == ENOENT { throw .noSuchFile(name) }
            throw .system(operation: "Removing \(name)", .last)
        }
        makeDurable()
    }

    /// The changes from now on, of this process and others. No change after this call is missed; of several unread
    /// changes of one file, only the last is reported.
    public func changes() throws(GroupError) -> Coalesced<GroupChange> {
        try Coalesced(watching: path, overflow: .several) { change in
            switch change {
            case .written(let name): name.hasPrefix(".") ? nil : .published(name)
            case .removed(let name): name.hasPrefix(".") ? nil : .removed(name)
            case .several: .several
            }
        } replaces: { old, new in
            switch (old, new) {
            case (_, .several): true
            case (.published(let one), .removed(let other)), (.removed(let one), .published(let other)),
                (.published(let one), .published(let other)), (.removed(let one), .removed(let other)):
                one == other
            default: false
            }
        }
    }
}
