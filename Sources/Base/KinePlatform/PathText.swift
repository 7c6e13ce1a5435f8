// Paths are bytes to the kernel, and not always UTF-8. As text they keep their bytes, by one escape that can be undone.
import SystemPackage

// Text from outside that may be a path (arguments, variables, names in directories) is made by `String(escaping:)`, and paths go to the
// kernel as `cString` or as a `FilePath(escaped:)`. In between, in messages and in JSON, a path is an ordinary String.
//
// A byte that is no part of a character in UTF-8 stands as the code point U+EF00 plus the byte: U+EF80 to U+EFFF, in private use. Where a
// name has one of these itself, each of its three bytes stands so.

extension String {
    public init(escaping bytes: some Sequence<UInt8>) {
        self.init()
        let bytes = Array(bytes)
        var (rest, parser, position) = (bytes.makeIterator(), Unicode.UTF8.ForwardParser(), 0)
        while true {
            let length: Int
            switch parser.parseScalar(from: &rest) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                length = encoded.count
                if !Self.escapes.contains(scalar) {
                    unicodeScalars.append(scalar)
                    position += length
                    continue
                }
            case .error(let count): length = count
            case .emptyInput: return
            }
            unicodeScalars += bytes[position..<position + length].compactMap { Unicode.Scalar(0xef00 + UInt32($0)) }
            position += length
        }
    }

    /// - Parameter string: ends with a zero byte.
    public init(escaping string: UnsafePointer<CChar>) {
        self.init(
            escaping: sequence(first: string) { $0 + 1 }.lazy.map { UInt8(bitPattern: $0.pointee) }.prefix { $0 != 0 })
    }

    private static let escapes: ClosedRange<Unicode.Scalar> = "\u{ef80}"..."\u{efff}"

    /// The bytes that this text was made of.
    public var unescaped: [UInt8] {
        unicodeScalars.flatMap { scalar in
            Self.escapes.contains(scalar) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(scalar.utf8)
        }
    }

    /// The bytes that this text was made of and a zero, for calls of C.
    public var cString: [CChar] { unescaped.map { CChar(bitPattern: $0) } + [0] }
}

extension FilePath {
    public init(escaped text: String) { self.init(platformString: text.cString) }

    public var escaped: String { withPlatformString { String(escaping: $0) } }

    /// For calls of C.
    public var cString: [CChar] { escaped.cString }
}

extension DefaultStringInterpolation {
    public mutating func appendInterpolation(_ path: FilePath) { appendLiteral(path.escaped) }
}

// Names that Kinecast gives to files itself.
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
