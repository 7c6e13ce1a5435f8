// Others' words, made fit to be shown.

extension String {
    /// Bytes of the shortest secret that is looked for; what is shorter is a part of many words.
    public static let shortestSecret = 4
    /// Bytes of others' words that are looked at; nobody reads more of them.
    private static let longestForeignText = 16384

    /// What a person may be shown of it: none of these secrets, one line, nothing that steers a terminal, and no more than
    /// `limit` characters, with "…" behind them where there were more.
    public func cleaned(of secrets: [String], limit: Int) -> String {
        let start = String(decoding: utf8.prefix(Self.longestForeignText), as: UTF8.self)
        let line = start.leavingOut(secrets).printable(limit: .max)
        // A character that is not shown may have stood inside a secret, or be a part of one.
        let shown = line.leavingOut(secrets + secrets.map { $0.printable(limit: .max) })
        // Cutting comes last, or the beginning of a secret would be left.
        return shown.printable(limit: limit).leavingOut(secrets)
    }

    /// With "…" in place of each of these, but for those under four bytes.
    public func leavingOut(_ secrets: [String]) -> String {
        let secrets = secrets.filter { $0.utf8.count >= Self.shortestSecret }
        var text = self
        // What is left on both sides of one may be another.
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

    /// By bytes: to a string's comparison, the last letter of a secret is another one when an accent stands behind it.
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

    /// Whether all of it can be shown as it is: on one line, and without characters that steer a terminal.
    public var isPrintable: Bool { printable(limit: .max).utf8.elementsEqual(utf8) }

    /// On one line, without characters that steer a terminal, and no longer than `limit` characters.
    public func printable(limit: Int) -> String {
        var result = ""
        var count = 0
        for scalar in unicodeScalars {
            guard count < limit else { return result + "…" }
            switch scalar.properties.generalCategory {
            // What directs text or has no shape of its own could make a line read as another.
            case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                if result.last != " " { result.append(" ") }
            default: result.unicodeScalars.append(scalar)
            }
            count += 1
        }
        return result
    }
}
