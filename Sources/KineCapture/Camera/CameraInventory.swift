// The cameras of the machine, as the kernel lists them: asking them themselves would switch some of them on.
import Glibc
import KinePlatform
import SystemPackage

/// A camera that is there now.
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
