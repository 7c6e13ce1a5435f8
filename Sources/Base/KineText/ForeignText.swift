// Text from servers and other programs, made safe to show.

extension String {
    /// The bytes of the shortest secret that is removed. Shorter ones occur in many words.
    public static let shortestSecret = 4
    /// Only this many bytes are kept: no message shows more.
    private static let longestForeignText = 16384

    /// The text on one line, without these secrets and without characters that control a terminal. It is cut with "…"
    /// after `limit` characters or `bytes` bytes of JSON.
    public func cleaned(of secrets: [String], limit: Int, bytes: Int = .max) -> String {
        let start = String(decoding: utf8.prefix(Self.longestForeignText), as: UTF8.self)
        let line = start.leavingOut(secrets).printable(limit: .max)
        // A character that `printable` removed may have split a secret, or be a part of one.
        let shown = line.leavingOut(secrets + secrets.map { $0.printable(limit: .max) })
        // Cutting comes last: before the removal, it could leave the beginning of a secret.
        return shown.printable(limit: limit, bytes: bytes).leavingOut(secrets)
    }

    /// The text with "…" in place of each secret of at least `shortestSecret` bytes.
    public func leavingOut(_ secrets: [String]) -> String {
        let secrets = secrets.filter { $0.utf8.count >= Self.shortestSecret }
        var text = self
        // The text before a secret and the text after it can form another secret.
        while true {
            var shorter = text.leavingOutBytes(of: secrets)
            // Other bytes can encode the same characters (Unicode Standard Annex 15, canonical equivalence).
            for secret in secrets where !(shorter.isASCII && secret.isASCII) {
                shorter = shorter.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "…")
            }
            if shorter.utf8.elementsEqual(text.utf8) { return text }
            text = shorter
        }
    }

    private var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

    /// Compares bytes: as strings, an accent after a secret would change its last letter, and it would not be found.
    private func leavingOutBytes(of secrets: [String]) -> String {
        let bytes = Array(utf8)
        var isSecret = [Bool](repeating: false, count: bytes.count)
        for secret in secrets.map({ Array($0.utf8) }) where secret.count <= bytes.count {
            for start in 0...(bytes.count - secret.count)
            where bytes[start] == secret[0] && bytes[start..<(start + secret.count)].elementsEqual(secret) {
                for index in start..<(start + secret.count) { isSecret[index] = true }
            }
        }
        var shown: [UInt8] = []
        for index in bytes.indices {
            if !isSecret[index] {
                shown.append(bytes[index])
            } else if index == 0 || !isSecret[index - 1] {
                shown += Array("…".utf8)
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Whether `printable` returns the text unchanged.
    public var isPrintable: Bool { printable(limit: .max).utf8.elementsEqual(utf8) }

    /// The number of bytes of a printable text in JSON, without quotation marks.
    public var jsonByteCount: Int { unicodeScalars.reduce(0) { $0 + $1.jsonByteCount } }

    /// The text for XML and for the markup of desktops, outside of tags.
    public var escapedMarkup: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// The text with % and two hexadecimal digits for each byte that is not an ASCII letter, a digit or one of `others`.
    public func percentEncoded(except others: String) -> String {
        utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || others.contains(character))
            return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// The bytes of a text with % and two hexadecimal digits for some of them (RFC 3986, section 2.1); nil if a % has none.
    public var percentDecoded: [UInt8]? { self[...].percentDecoded }

    /// The text on one line, without characters that control a terminal, at most `limit` characters, `bytes` of JSON.
    public func printable(limit: Int, bytes: Int = .max) -> String {
        var result = ""
        var count = 0
        var bytesLeft = bytes
        for scalar in unicodeScalars {
            bytesLeft -= scalar.jsonByteCount
            guard count < limit, bytesLeft >= 0 else { return result + "…" }
            switch scalar.properties.generalCategory {
            // Characters that change the direction of text or are invisible could make a line look like another.
            case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                if result.last != " " { result.append(" ") }
            default: result.unicodeScalars.append(scalar)
            }
            count += 1
        }
        return result
    }
}

extension Unicode.Scalar {
    fileprivate var jsonByteCount: Int { UTF8.width(self) + (self == "\"" || self == "\\" ? 1 : 0) }
}

extension StringProtocol {
    /// Whether the text is a name that needs no quotation marks in the user's files: ASCII letters, digits, `-`, `_` and `.`.
    public var isPlainName: Bool {
        !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }
}

extension Substring {
    /// As for a whole text.
    public var percentDecoded: [UInt8]? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let value = UInt8(String(Substring(digits)), radix: 16)
            else { return nil }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return bytes
    }
}
