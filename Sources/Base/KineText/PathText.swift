// Paths are bytes to the kernel, and not always UTF-8. As text they keep their bytes, by a reversible escape.
import SystemPackage

// `String(escaping:)` makes text of what may be a path: arguments, variables, names in directories. `cString` or
// `FilePath(escaped:)` makes a path for the kernel. In between, in messages and in JSON, a path is an ordinary String.
//
// A byte that is not part of a UTF-8 character becomes the code point U+EF00 plus the byte: U+EF80 to U+EFFF, in
// private use. A name's own code points of that range are escaped byte by byte.

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

    /// - Parameter string: null-terminated.
    public init(escaping string: UnsafePointer<CChar>) {
        self.init(
            escaping: sequence(first: string) { $0 + 1 }.lazy.map { UInt8(bitPattern: $0.pointee) }.prefix { $0 != 0 })
    }

    private static let escapes: ClosedRange<Unicode.Scalar> = "\u{ef80}"..."\u{efff}"

    /// The original bytes.
    public var unescaped: [UInt8] {
        unicodeScalars.flatMap { scalar in
            Self.escapes.contains(scalar) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(scalar.utf8)
        }
    }

    /// The original bytes and a terminating zero, for C calls.
    public var cString: [CChar] { unescaped.map { CChar(bitPattern: $0) } + [0] }

    /// A path as in an address (RFC 3986, section 3.3).
    package var addressPath: String {
        unescaped.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~/".utf8.contains(byte)
            let hexadecimal = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (hexadecimal.count < 2 ? "0" : "") + hexadecimal
        }.joined()
    }
}

extension FilePath {
    public init(escaped text: String) { self.init(platformString: text.cString) }

    public var escaped: String { withPlatformString { String(escaping: $0) } }

    /// For C calls.
    public var cString: [CChar] { escaped.cString }
}

extension DefaultStringInterpolation {
    public mutating func appendInterpolation(_ path: FilePath) { appendLiteral(path.escaped) }
}
