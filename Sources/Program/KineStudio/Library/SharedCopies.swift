// Copies of recordings that are shared in another form than they are kept in.
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// Each copy has the recording's name, in a directory of its own in the cache, where later calls remove what is older than a day.
enum SharedCopies {
    private static let age = 86_400

    /// Makes the directory for a copy, and returns the copy's path.
    static func place(
        named name: String, in cache: FilePath = FilePath(escaped: UserDirectories.cache)
    ) throws -> String {
        let directory = cache.appending("kinecast/shared")
        removeOld(in: directory)
        let own = directory.appending(RandomToken().description)
        try PrivateDirectory.makeMissing(own)
        return own.appending(name).escaped
    }

    /// Removes a copy with its directory.
    static func remove(_ path: String) { PrivateDirectory.remove(FilePath(escaped: path).removingLastComponent()) }

    private static func removeOld(in directory: FilePath) {
        for name in PrivateDirectory.entries(directory) {
            var status = stat()
            let own = directory.appending(name)
            guard stat(own.cString, &status) == 0, time(nil) - status.st_mtim.tv_sec > age else { continue }
            PrivateDirectory.remove(own)
        }
    }
}
