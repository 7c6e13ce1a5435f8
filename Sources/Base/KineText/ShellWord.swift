// Names that a person copies into a shell, whatever is in them.
extension String {
    /// This text as one word of a shell command: in single quotes unless all its letters are plain (POSIX.1, Shell
    /// Command Language, section 2.2.2).
    public var shellWord: String {
        let isPlain = unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                || "/._-+@:,%=".unicodeScalars.contains($0)
        }
        if isPlain, !isEmpty { return self }
        // By code points: compared as characters, a quote followed by an accent is not a quote.
        let parts = unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}
