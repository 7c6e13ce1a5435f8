// Names that Kinecast gives to files itself.
import SystemPackage

public enum NumberedName {
    /// The most bytes of a file name (NAME_MAX).
    private static let longest = 255

    /// The paths to try for a file, in order, until one is free: `a.mp4`, `a 2.mp4`, `a 3.mp4` …
    public static func candidates(for path: String) -> some Sequence<String> {
        (1...9999).lazy.map { $0 == 1 ? path : adding(" \($0)", to: FilePath(escaped: path)).escaped }
    }

    /// The path of one file of a split recording, counted from 1: `a-001.mp4`, `a-002.mp4` …
    public static func part(_ number: Int, of path: String) -> String {
        let zeros = number < 10 ? "00" : number < 100 ? "0" : ""
        return adding("-\(zeros)\(number)", to: FilePath(escaped: path)).escaped
    }

    /// A path in the same directory, with `words` inserted before the extension. A name that is too long is shortened.
    public static func adding(_ words: String, to path: FilePath) -> FilePath {
        // Works on the escaped text, so that bytes that are not UTF-8 are kept.
        let text = FilePath(path.escaped)
        let end = words + (text.extension.map { ".\($0)" } ?? "")
        var stem = text.stem ?? "recording"
        while (stem + end).unescaped.count > longest, !stem.isEmpty { stem.removeLast() }
        return path.removingLastComponent().pushing(FilePath(escaped: stem + end))
    }
}
