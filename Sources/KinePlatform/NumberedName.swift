// Names that Kinecast gives to files itself.
import SystemPackage

public enum NumberedName {
    /// The most bytes of a name (NAME_MAX).
    private static let longest = 255

    /// The paths to try for a file, one after the other, until one is free: `a.mp4`, `a 2.mp4`, `a 3.mp4` …
    public static func candidates(for path: String) -> some Sequence<String> {
        (1...9999).lazy.map { $0 == 1 ? path : adding(" \($0)", to: FilePath(path)).string }
    }

    /// The path of a file beside `path`: its name, and `words` before the extension. A name that gets too long is cut before them.
    public static func adding(_ words: String, to path: FilePath) -> FilePath {
        let end = words + (path.extension.map { ".\($0)" } ?? "")
        var stem = path.stem ?? "recording"
        while stem.utf8.count + end.utf8.count > longest, !stem.isEmpty { stem.removeLast() }
        return path.removingLastComponent().appending(stem + end)
    }
}
