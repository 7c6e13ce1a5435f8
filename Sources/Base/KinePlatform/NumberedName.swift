// Names that Kinecast gives to files itself.
import SystemPackage

public enum NumberedName {
    /// The most bytes of a name (NAME_MAX).
    private static let longest = 255

    /// The paths to try for a file, one after the other, until one is free: `a.mp4`, `a 2.mp4`, `a 3.mp4` …
    public static func candidates(for path: String) -> some Sequence<String> {
        (1...9999).lazy.map { $0 == 1 ? path : adding(" \($0)", to: FilePath(escaped: path)).escaped }
    }

    /// The path of a file beside `path`: its name, and `words` before the extension. A name that gets too long is cut before them.
    public static func adding(_ words: String, to path: FilePath) -> FilePath {
        // Of its text, since what is no UTF-8 in it is kept too.
        let text = FilePath(path.escaped)
        let end = words + (text.extension.map { ".\($0)" } ?? "")
        var stem = text.stem ?? "recording"
        while (stem + end).unescaped.count > longest, !stem.isEmpty { stem.removeLast() }
        return path.removingLastComponent().pushing(FilePath(escaped: stem + end))
    }
}
