// Others' words, made fit to be shown.

extension String {
    /// With "…" in place of each of these.
    public func leavingOut(_ secrets: [String]) -> String {
        secrets.reduce(self) { text, secret in
            text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "…")
        }
    }

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
