// Options that had another name before version 0.2. Anyone who types the old one is told the new one; this file goes with
// version 0.3.

enum RenamedOptions {
    /// The new name for each old one.
    private static let replacements = [
        "--for": "--duration", "--screen": "--monitor", "--test": "--check", "--retry": "--max-reconnects",
        "--ca": "--ca-file", "--cert": "--tls-cert", "--key": "--tls-key", "--preset replaykit": "--settings replaykit",
    ]

    /// Options whose value could be left out.
    private static let required = [
        "--mic": "default or a microphone's name", "--pattern": "a size, such as 1280x720",
        "--record": "a file, or . for this directory",
    ]

    /// One sentence on the first old name in arguments that could not be understood; nil where there is none. Everything behind
    /// `--` is COMMAND's.
    static func hint(for arguments: [String]) -> String? {
        let arguments = arguments.prefix { $0 != "--" }
        for (index, argument) in arguments.enumerated() {
            let name = String(argument.prefix { $0 != "=" })
            let value = argument.contains("=") ? String(argument.drop { $0 != "=" }.dropFirst()) : nil
            let next = value ?? arguments.dropFirst(index + 1).first
            if let new = replacements[name] { return "\(name) is now \(new); use that." }
            if let next, let new = replacements["\(name) \(next)"] { return "\(name) \(next) is now \(new); use that." }
            if let what = required[name], next != "-", next?.hasPrefix("-") ?? true {
                return "\(name) needs a value now: \(what)."
            }
        }
        return nil
    }
}
