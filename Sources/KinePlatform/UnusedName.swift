// Names for files that are made beside others.
import Glibc
import SystemPackage

public enum UnusedName {
    /// The path of a file beside `path` that does not exist: its name, `word` and, if need be, a number.
    public static func beside(_ path: FilePath, adding word: String) -> String {
        inDirectory(path.removingLastComponent(), "\(path.stem ?? "recording") \(word)", path.extension)
    }

    /// The path of a file in `directory` that does not exist: `stem` and, if need be, a number.
    public static func inDirectory(_ directory: FilePath, _ stem: String, _ suffix: String?) -> String {
        for number in 1... {
            let name = (number == 1 ? stem : "\(stem) \(number)") + (suffix.map { ".\($0)" } ?? "")
            let path = directory.appending(name).string
            var status = stat()
            if lstat(path, &status) != 0 { return path }
        }
        return directory.appending(stem).string
    }
}
