// The arguments that select the tests of a run.

package struct SelectionOptions: Sendable, Equatable {
    package private(set) var filters: [String] = []
    package private(set) var skips: [String] = []
    /// All other arguments, the program's name first.
    package private(set) var others: [String] = []

    /// Reads `--filter VALUE` and `--filter=VALUE`, as swift-testing does, and the same of `--skip`.
    package init(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--filter", let value = rest.popFirst() {
                filters.append(value)
            } else if argument == "--skip", let value = rest.popFirst() {
                skips.append(value)
            } else if argument.hasPrefix("--filter=") {
                filters.append(String(argument.dropFirst("--filter=".count)))
            } else if argument.hasPrefix("--skip=") {
                skips.append(String(argument.dropFirst("--skip=".count)))
            } else {
                others.append(argument)
            }
        }
    }

    /// Whether to list the suites and their tags instead of running tests.
    package var listsSuites: Bool { others.contains("--list-suites") }

    private var listsTests: Bool { others.contains("--list-tests") || others.dropFirst().first == "list" }

    package var selectsUnitTests: Bool { filters.isEmpty && !listsSuites && !listsTests }

    /// Whether swift-testing alone cannot apply these options.
    package var needsCatalog: Bool {
        listsSuites || selectsUnitTests || (filters + skips).contains { $0.hasPrefix("tag:") }
    }
}
