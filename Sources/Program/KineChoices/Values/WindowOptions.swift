// Parses typed ids and titles of windows.
import KineMedia

/// A window's id, also as `window:ID`, or `above:ID`; `title:TEXT`, `app:NAME` or `process:PID` for several windows; or `none`.
package struct WindowRuleOption: OptionValue, Equatable {
    package static var form: String {
        "give an id that kinecast sources lists, above:ID, title:TEXT, app:NAME, process:PID or none"
    }

    /// Absent with `none`.
    package var rule: TakeConfiguration.WindowRule?

    package init?(argument: String) {
        if argument == "none" { return }
        if argument.hasPrefix("app:") {
            let name = String(argument.dropFirst("app:".count))
            guard !name.isEmpty, name.utf8.count <= 1000 else { return nil }
            rule = .application(name)
            return
        }
        if argument.hasPrefix("process:") {
            let digits = argument.dropFirst("process:".count)
            guard digits.allSatisfy(\.isASCII), digits.first?.isNumber == true, let process = Int32(digits), process > 0
            else { return nil }
            rule = .process(process)
            return
        }
        let prefix = ["window:", "above:"].first { argument.hasPrefix($0) }
        switch WindowOption(argument: String(argument.dropFirst(prefix?.count ?? 0)))?.source {
        case .window(let id): rule = prefix == "above:" ? .above(id) : .id(id)
        case .windowTitled(let title) where prefix == nil: rule = .titled(title)
        default: return nil
        }
    }
}

/// A window: its X id, decimal or `0x…`, as `kinecast sources`, xwininfo and wmctrl print it; or `title:TEXT`,
/// `focused`, `ask` or `command`.
package struct WindowOption: OptionValue, Equatable {
    package static var form: String { "give an id that kinecast sources lists, title:TEXT, focused, ask or command" }

    package var source: TakeConfiguration.Source

    package init?(argument: String) {
        switch argument {
        case "focused": source = .focusedWindow
        case "ask": source = .chosenWindow
        case "command": source = .commandWindow(TakeConfiguration.CommandWindow(.first))
        case _ where argument.hasPrefix("title:"):
            let title = String(argument.dropFirst("title:".count))
            guard !title.isEmpty, title.utf8.count <= 1000 else { return nil }
            source = .windowTitled(title)
        default:
            let text = argument.lowercased()
            let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
            guard digits.allSatisfy(\.isASCII), digits.first?.isHexDigit == true,
                let id = UInt32(digits, radix: text.hasPrefix("0x") ? 16 : 10), id != 0
            else { return nil }
            source = .window(id)
        }
    }
}
