// Whole frames in the defaults that an extension and its app share: what the other published samples do (NetEase's NERtc
// screen share: a dictionary of width, height, data and timestamp under the key “frame” of an app group's NSUserDefaults,
// then `synchronize`; the app observes the key).
//
// Apple's cfprefsd takes the value over XPC, keeps it, writes a binary property list to a file of its own when it likes, and
// tells the observers, which ask it for the value. Here the extension writes the property list itself, to a file in memory
// (tmpfs), under another name first; inotify tells the app, which reads the file. That is one process and two copies less.
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import SystemPackage

/// The value under the key “frame”.
private struct DefaultsFrame: Codable {
    var width: Int
    var height: Int
    var data: Data
    var timestamp: Int64
}

private struct Defaults: Codable {
    var frame: DefaultsFrame
}

final class DefaultsSender: FrameSender {
    private(set) var movedBytes = 0
    private let path: FilePath
    private let temporary: FilePath
    private let small = SmallFrame()
    private let encoder = PropertyListEncoder()

    init(folder: String) {
        path = FilePath(folder).appending(DefaultsReceiver.name)
        temporary = FilePath(folder).appending(DefaultsReceiver.name + ".new")
        encoder.outputFormat = .binary
    }

    func send(_ frame: PlanarFrame, stamp: Int64) throws {
        small.scale(frame)
        let data = Data(small.serialized(stamp: stamp))
        let size = small.frame.size
        let value = Defaults(
            frame: DefaultsFrame(width: size.width, height: size.height, data: data, timestamp: stamp))
        let list = try encoder.encode(value)
        let file = try FileDescriptor.open(
            temporary, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
        defer { try? file.close() }
        try list.withUnsafeBytes { _ = try file.writeAll($0) }
        guard rename(temporary.string, path.string) == 0 else {
            throw WayError.system(doing: "Renaming the defaults", Errno(rawValue: errno))
        }
        // Scaled, as bytes, as Data, into the property list, into the file.
        movedBytes += data.count * 3 + list.count * 2
    }

    func finish() {
        unlink(path.string)
    }
}

final class DefaultsReceiver: FrameReceiver {
    static let name = "group.plist"

    let address: String
    private(set) var movedBytes = 0
    private let path: FilePath
    private let watch: FileDescriptor
    private let decoder = PropertyListDecoder()

    init(folder: String) throws {
        address = folder
        path = FilePath(folder).appending(DefaultsReceiver.name)
        let number = inotify_init1(0)
        guard number >= 0 else { throw WayError.system(doing: "inotify_init", Errno(rawValue: errno)) }
        watch = FileDescriptor(rawValue: number)
        guard inotify_add_watch(number, folder, UInt32(IN_MOVED_TO | IN_DELETE)) >= 0 else {
            throw WayError.system(doing: "Watching \(folder)", Errno(rawValue: errno))
        }
    }

    deinit { try? watch.close() }

    func receive(_ handler: (PlanarFrame, Int64) -> Void) throws -> Bool {
        // What several notifications tell of is one value: the newest.
        _ = try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { try watch.read(into: $0) }
        guard let file = try? FileDescriptor.open(path, .readOnly) else { return false }
        defer { try? file.close() }
        let length = Int(try file.seek(offset: 0, from: .end))
        try file.seek(offset: 0, from: .start)
        var list = Data(count: length)
        let read = try list.withUnsafeMutableBytes { try Tool.fill($0, from: file) }
        guard read == length else { throw WayError.malformed("a property list that ends early") }
        let value = try decoder.decode(Defaults.self, from: list)
        let small = SmallFrame()
        let stamp = try value.frame.data.withUnsafeBytes { try small.read($0) }
        // Out of the file, out of the property list, into the frame.
        movedBytes += length + SmallFrame.bytes * 2
        handler(small.frame, stamp)
        return true
    }
}
