// A camera by the name that a person gives it, or what stands in for one on a machine without.
import Glibc
import KineMedia
import KinePlatform
import SystemPackage

/// What a camera's frames come from.
public enum CameraInput: Equatable, Sendable {
    /// A device of Video4Linux, by its path.
    case device(String)
    /// A file with video, by its path. It is shown in its own time, again and again.
    case file(String)
    /// A generated picture in motion.
    case pattern

    /// The input of that name: "default", "pattern", a camera's name or the path of its device, or a file's path. Where several
    /// cameras have the name, it is the first; case does not matter.
    public init(named name: String, among cameras: [CameraDescription]) throws(VideoSourceError) {
        if name == "pattern" {
            self = .pattern
        } else if name == "default" {
            guard let first = cameras.first else { throw .noCamera(nil, existing: []) }
            self = .device(first.path)
        } else if let camera = cameras.first(where: { $0.path == name || $0.name.lowercased() == name.lowercased() }) {
            self = .device(camera.path)
        } else if name.hasPrefix("/"), !name.hasPrefix("/dev/") {
            var status = stat()
            guard access(name.cString, R_OK) == 0, stat(name.cString, &status) == 0 else {
                throw .cameraFileUnreadable(name, Errno(rawValue: errno))
            }
            if status.st_mode & S_IFMT == S_IFDIR { throw .cameraFileUnreadable(name, .isDirectory) }
            // A link to a camera is a camera too. As a file it would need no permission.
            if status.st_mode & S_IFMT == S_IFCHR { throw .noCamera(name, existing: cameras.map(\.name)) }
            if status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 { throw .cameraFileEmpty(name) }
            self = .file(name)
        } else {
            throw .noCamera(name, existing: cameras.map(\.name))
        }
    }

    /// Whether it gives frames as fast as they are read, so that they must be read at their own time.
    var isPaced: Bool {
        switch self {
        case .device: false
        case .file, .pattern: true
        }
    }
}

/// A camera that is there now.
///
/// The cameras of the machine, as the kernel lists them: asking them themselves would switch some of them on.
public struct CameraDescription: Equatable, Sendable {
    /// The path of its device.
    public let path: String
    /// Its name for a person, as its driver gives it.
    public let name: String

    public init(path: String, name: String) {
        self.path = path
        self.name = name
    }
}

public enum CameraInventory {
    /// The cameras, in the order of their numbers. `directory` is sysfs's of Video4Linux.
    public static func cameras(in directory: String = "/sys/class/video4linux") -> [CameraDescription] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var numbers: [Int] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix("video"), let number = Int(name.dropFirst("video".count)) else { continue }
            numbers.append(number)
        }
        return numbers.sorted().compactMap { number in
            let device = "\(directory)/video\(number)"
            // A camera has several devices, and the ones after the first give no frames but what belongs to them.
            guard text("\(device)/index") ?? "0" == "0" else { return nil }
            return CameraDescription(path: "/dev/video\(number)", name: text("\(device)/name") ?? "video\(number)")
        }
    }

    /// The first line of a small file; nil where it cannot be read.
    private static func text(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open(path, .readOnly) else { return nil }
        defer { try? file.close() }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer -> String? in
            guard let count = try? file.read(into: buffer) else { return nil }
            return String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }
}
