// Text from servers and other programs, made safe to show.

extension String {
    /// The bytes of the shortest secret that is looked for. Shorter ones are a part of many words.
    public static let shortestSecret = 4
    /// The bytes that are looked at; nobody reads more of them.
    private static let longestForeignText = 16384

    /// The text as a person may see it: on one line, without these secrets or characters that steer a terminal, and cut with
    /// "…" behind `limit` characters or `bytes` bytes of JSON.
    public func cleaned(of secrets: [String], limit: Int, bytes: Int = .max) -> String {
        let start = String(decoding: utf8.prefix(Self.longestForeignText), as: UTF8.self)
        let line = start.leavingOut(secrets).printable(limit: .max)
        // A character that `printable` left out may have stood inside a secret, or be a part of one.
        let shown = line.leavingOut(secrets + secrets.map { $0.printable(limit: .max) })
        // Cut last, or the beginning of a secret would be left.
        return shown.printable(limit: limit, bytes: bytes).leavingOut(secrets)
    }

    /// The text with "…" in place of each secret of at least `shortestSecret` bytes.
    public func leavingOut(_ secrets: [String]) -> String {
        let secrets = secrets.filter { $0.utf8.count >= Self.shortestSecret }
        var text = self
        // The text before a secret and the text behind it may form another one.
        while true {
            var shorter = text.leavingOutBytes(of: secrets)
            // The same characters can be written in other bytes (Unicode Standard Annex 15, canonical equivalence).
            for secret in secrets where !(shorter.isASCII && secret.isASCII) {
                shorter = shorter.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "…")
            }
            if shorter.utf8.elementsEqual(text.utf8) { return text }
            text = shorter
        }
    }

    private var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

    /// Compares bytes: in a comparison of strings, an accent behind a secret makes its last letter another one.
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

    /// Whether `printable` leaves it as it is.
    public var isPrintable: Bool { printable(limit: .max).utf8.elementsEqual(utf8) }

    /// The bytes of a printable text in JSON, without its quotation marks.
    public var jsonByteCount: Int { unicodeScalars.reduce(0) { $0 + $1.jsonByteCount } }

    /// On one line, without characters that steer a terminal, and no longer than `limit` characters and `bytes` bytes of JSON.
    public func printable(limit: Int, bytes: Int = .max) -> String {
        var result = ""
        var count = 0
        var bytesLeft = bytes
        for scalar in unicodeScalars {
            bytesLeft -= scalar.jsonByteCount
            guard count < limit, bytesLeft >= 0 else { return result + "…" }
            switch scalar.properties.generalCategory {
            // Characters that direct text or have no shape of their own could make a line read as another.
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

// Names that a person copies into a shell, whatever is in them.
extension String {
    /// This text as one word of a shell's command: in single quotes where it has anything but plain letters (POSIX.1, Shell
    /// Command Language, section 2.2.2).
    public var shellWord: String {
        let isPlain = unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                || "/._-+@:,%=".unicodeScalars.contains($0)
        }
        if isPlain, !isEmpty { return self }
        // By code points: in a comparison of characters, a quote with an accent behind it is no quote.
        let parts = unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}
