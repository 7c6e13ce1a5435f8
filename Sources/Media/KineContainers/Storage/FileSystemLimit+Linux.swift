// How large a file may be on its file system: on FAT, as on most sticks and cards, 4 GiB.
import Glibc
import KinePlatform
import KineText
import SystemPackage

enum FileSystemLimit {
    /// A file's size has 32 bits: Microsoft's FAT specification of 2000, DIR_FileSize.
    private static let fatFile = Int64(UInt32.max)

    /// The most bytes that the file may have; `.max` where nothing is known. Changes the descriptor's offset.
    static func of(_ file: FileDescriptor) -> Int64 {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { return .max }
        let device = "\(major(status.st_dev)):\(minor(status.st_dev))"
        let mounts = PrivateDirectory.contents(of: "/proc/self/mountinfo", limit: 1 << 20) ?? []
        return min(largestOffset(of: file), isFAT(device: device, mounts: String(escaping: mounts)) ? fatFile : .max)
    }

    /// The kernel refuses offsets beyond the largest file of the file system (s_maxbytes) with EINVAL.
    private static func largestOffset(of file: FileDescriptor) -> Int64 {
        var (accepted, refused) = (off_t(0), off_t.max)
        if lseek(file.rawValue, refused, SEEK_SET) >= 0 { return .max }
        while refused - accepted > 1 {
            let middle = accepted + (refused - accepted) / 2
            if lseek(file.rawValue, middle, SEEK_SET) >= 0 { accepted = middle } else { refused = middle }
        }
        return accepted > 0 ? Int64(accepted) : .max
    }

    /// Whether a FUSE program mounts the device as FAT, which the kernel does not know. `mounts`: as in /proc/self/mountinfo (proc(5)).
    static func isFAT(device: String, mounts: String) -> Bool {
        mounts.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            guard fields.count > 2, fields[2] == device, let end = fields.firstIndex(of: "-"), fields.count > end + 1
            else { return false }
            return fields[end + 1] == "fuse.fusefat"
        }
    }

    private static func major(_ device: dev_t) -> dev_t { (device >> 8) & 0xfff | (device >> 32) & ~0xfff }
    private static func minor(_ device: dev_t) -> dev_t { device & 0xff | (device >> 12) & ~0xff }
}
