// The largest file that a file system takes.
import CoreTesting
import KineMeasure
import Testing

@testable import KineContainers

@Suite struct FileSystemLimitTests {
    private static let mounts = """
        22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
        80 22 0:55 / /media/stick rw,nosuid,nodev shared:7 - fuse.fusefat /dev/sdb1 rw,user_id=0
        81 22 0:56 / /home/u/far rw,nosuid,nodev - fuse.sshfs u@far: rw,user_id=1000
        82 22 0:57 / /x rw -
        """

    @Test(arguments: [("0:55", true), ("0:56", false), ("254:0", false), ("0:57", false), ("0:5", false)])
    func `fusefat is found by its device`(device: String, isFAT: Bool) {
        #expect(FileSystemLimit.isFAT(device: device, mounts: Self.mounts) == isFAT)
    }

    @Test func `an ordinary file system takes large files`() throws {
        let folder = try TemporaryDirectory()
        let file = try DiskFile.create(folder.file("a"))
        #expect(FileSystemLimit.of(file.descriptor) >= 1 << 40)
    }
}
