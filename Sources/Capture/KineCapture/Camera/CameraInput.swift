// A camera by its name, or its substitute on a machine without one.
import Glibc
import KineMedia
import KinePlatform
import KineText
import SystemPackage

/// The origin of a camera's frames.
public enum CameraInput: Equatable, Sendable {
    /// A Video4Linux device, by its path.
    case device(String)
    /// A video file, by its path. Played at its own speed, repeatedly.
    case file(String)
    /// A generated moving picture.
    case pattern

    /// The input with that name: "default", "pattern", a camera's name or the path of its device, or a file's path. If
    /// several cameras have the name, the first one; case does not matter.
    public init(named name: String, among cameras: [SourceList.Camera]) throws(VideoSourceError) {
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
            // A link to a camera is a camera too; as a file it would need no permission.
            if status.st_mode & S_IFMT == S_IFCHR { throw .noCamera(name, existing: cameras.map(\.name)) }
            if status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 { throw .cameraFileEmpty(name) }
            self = .file(name)
        } else {
            throw .noCamera(name, existing: cameras.map(\.name))
        }
    }

    /// Whether its frames must be read at their own time, because reading does not wait for it.
    var isPaced: Bool {
        switch self {
        case .device: false
        case .file, .pattern: true
        }
    }
}

public enum CameraInventory {
    /// The cameras, as the kernel lists them, in the order of their numbers: querying the devices themselves would switch
    /// some cameras on. A camera's name is its driver's. `directory` is sysfs's directory for Video4Linux.
    public static func cameras(in directory: String = "/sys/class/video4linux") -> [SourceList.Camera] {
        let numbers = PrivateDirectory.entries(FilePath(directory)).compactMap { name in
            name.hasPrefix("video") ? Int(name.dropFirst("video".count)) : nil
        }
        return numbers.sorted().compactMap { number in
            let device = "\(directory)/video\(number)"
            // A camera has several devices; those after the first give metadata instead of frames.
            guard text("\(device)/index") ?? "0" == "0" else { return nil }
            return SourceList.Camera(name: text("\(device)/name") ?? "video\(number)", path: "/dev/video\(number)")
        }
    }

    /// The first line of a small file; nil if it cannot be read.
    private static func text(_ path: String) -> String? {
        FilePath(path).start(limit: 256).map {
            String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }
}
