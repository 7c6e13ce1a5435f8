// Texts in properties of windows, by the properties' types (ICCCM, 2.7.1). Any program on the display may have written
// the bytes. Pure.
import Glibc

/// A text that is safe to print.
public struct X11Text: Equatable, Sendable {
    /// The encoding of a property's bytes, by the property's type.
    public enum Encoding: CaseIterable, Sendable {
        /// STRING: ISO 8859-1.
        case latin1
        /// UTF8_STRING.
        case utf8
        /// COMPOUND_TEXT (Compound Text Encoding, 1.1).
        case compound
        /// Another type, for example C_STRING, which does not tell the encoding.
        case unknown
    }

    public let text: String
    /// False if bytes are in an unknown character set. U+FFFD replaces them.
    public let isWhole: Bool

    public static let empty = X11Text([], .utf8)

    public init(_ bytes: [UInt8], _ encoding: Encoding) {
        var decoder = Decoder()
        switch encoding {
        case .utf8: decoder.append(utf8: bytes)
        // A program in the C locale writes its input as STRING, mostly UTF-8. Text in Latin-1 is never valid UTF-8.
        case .latin1, .unknown:
            if let text = String(validating: bytes, as: UTF8.self) {
                decoder.append(text)
            } else {
                decoder.append(latin1: bytes)
                decoder.isWhole = encoding == .latin1
            }
        case .compound: decoder.append(compound: bytes[...])
        }
        text = String(decoder.scalars)
        isWhole = decoder.isWhole
    }
}

private struct Decoder {
    var scalars = String.UnicodeScalarView()
    var isWhole = true

    /// Control characters, and those that change the writing direction, become spaces: they could control a terminal.
    mutating func append(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
    }

    mutating func append(utf8 bytes: some Collection<UInt8>) { append(String(decoding: bytes, as: UTF8.self)) }

    mutating func append(latin1 bytes: some Collection<UInt8>) {
        append(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
    }

    private mutating func appendUnknown() {
        isWhole = false
        if scalars.last != "\u{fffd}" { scalars.append("\u{fffd}") }
    }

    /// The character set of one half of the byte values.
    private enum Half {
        case ascii
        /// The right half of this part of ISO 8859.
        case latin(Int)
        case unknown
    }

    private static let (escape, controlSequence): (UInt8, UInt8) = (0x1b, 0x9b)

    mutating func append(compound bytes: ArraySlice<UInt8>) {
        // The initial sets of a text.
        var (left, right) = (Half.ascii, Half.latin(1))
        var rest = bytes
        while let first = rest.first {
            switch first {
            case Self.escape: readEscape(&rest, &left, &right)
            case Self.controlSequence: Self.skipDirection(&rest)
            default:
                let isRight = first >= 0x80
                let run = rest.prefix { ($0 >= 0x80) == isRight && $0 != Self.escape && $0 != Self.controlSequence }
                rest = rest.dropFirst(run.count)
                append(run, in: isRight ? right : left)
            }
        }
    }

    /// Reads an escape sequence of ISO 2022: a designation of a half, or a segment in another encoding.
    private mutating func readEscape(_ rest: inout ArraySlice<UInt8>, _ left: inout Half, _ right: inout Half) {
        rest = rest.dropFirst()
        let intermediates = String(decoding: rest.prefix { (0x20...0x2f).contains($0) }, as: UTF8.self)
        rest = rest.dropFirst(intermediates.utf8.count)
        guard let final = rest.popFirst() else { return isWhole = false }
        switch (intermediates, final) {
        case ("(", UInt8(ascii: "B")), ("(", UInt8(ascii: "J")): left = .ascii
        case ("(", _), ("$", _), ("$(", _): left = .unknown
        case ("-", _): right = Self.parts[final].map(Half.latin) ?? .unknown
        case (")", _), ("$)", _): right = .unknown
        case ("%", UInt8(ascii: "G")):
            let run = rest.prefix { $0 != Self.escape }
            rest = rest.dropFirst(run.count)
            append(utf8: run)
        case ("%", UInt8(ascii: "@")): break  // the end of that
        case ("%/", _):
            // A segment in a named encoding, after the number of its bytes.
            let length = rest.prefix(2).reduce(0) { $0 << 7 | Int($1 & 0x7f) }
            rest = rest.dropFirst(2 + length)
            appendUnknown()
        default: isWhole = false
        }
    }

    /// The parts of ISO 8859 by the bytes that designate their right halves (section 4 there, and ISO's registry).
    private static let parts: [UInt8: Int] = [
        "A": 1, "B": 2, "C": 3, "D": 4, "L": 5, "G": 6, "F": 7, "H": 8, "M": 9, "V": 10, "T": 11, "Y": 13, "_": 14,
        "b": 15, "f": 16,
    ].reduce(into: [:]) { $0[$1.key.utf8.first ?? 0] = $1.value }

    /// Skips CSI, parameters, and a last byte: the direction of the following text.
    private static func skipDirection(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.dropFirst().drop { (0x20...0x3f).contains($0) }.dropFirst()
    }

    private mutating func append(_ run: ArraySlice<UInt8>, in half: Half) {
        switch half {
        case .ascii, .latin(1): append(latin1: run)
        case .latin(let part):
            guard let text = Self.text(of: run, part: part) else { return appendUnknown() }
            append(text)
        case .unknown:
            // Spaces and control characters are the same in every set.
            if run.allSatisfy({ $0 <= 0x20 }) { append(latin1: run) } else { appendUnknown() }
        }
    }

    /// Decodes by the C library; nil if it does not know the part, or if bytes have no meaning in it.
    private static func text(of run: ArraySlice<UInt8>, part: Int) -> String? {
        let converter = iconv_open("UTF-8", "ISO-8859-\(part)")
        guard let converter, Int(bitPattern: converter) != -1 else { return nil }
        defer { iconv_close(converter) }
        var source = run.map { CChar(bitPattern: $0) }
        return String(unsafeUninitializedCapacity: 3 * run.count) { target in
            target.withMemoryRebound(to: CChar.self) { target in
                source.withUnsafeMutableBufferPointer { source in
                    var (input, inputLeft, output, outputLeft) = (
                        source.baseAddress, source.count, target.baseAddress, target.count
                    )
                    guard iconv(converter, &input, &inputLeft, &output, &outputLeft) == 0 else { return 0 }
                    return target.count - outputLeft
                }
            }
        }.nonEmpty
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
