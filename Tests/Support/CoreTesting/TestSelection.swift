// Selects the tests of a run. `--filter` and `--skip` also take `tag:NAME`, as swift-testing does after Swift 6.3
// (swiftlang/swift-testing#1531). Without a filter, the unit tests run; with `--filter .`, all.
package struct TestSelection: Sendable {
    /// The tests to run.
    package private(set) var selected: [TestCatalog.Entry]
    /// Tests that a run of the unit tests leaves out.
    package private(set) var omitted: [TestCatalog.Entry] = []

    /// Tests with one of these tags are no unit tests.
    package static let omittedTags: Set<String> = ["real", "slow", "long"]

    package enum Error: Swift.Error, Equatable, CustomStringConvertible {
        case unknownTag(String)

        package var description: String {
            switch self {
            case .unknownTag(let name):
                "No test has the tag \(name); Tests/Support/CoreTesting/Tags.swift has them all."
            }
        }
    }

    /// - Throws: `Error`, or the error of `Regex` for an invalid expression.
    package init(_ options: SelectionOptions, from catalog: TestCatalog) throws {
        let tags = catalog.entries.reduce(into: Set<String>()) { $0.formUnion($1.tags) }
        let filters = try options.filters.map { try Pattern($0, knownTags: tags) }
        let skips = try options.skips.map { try Pattern($0, knownTags: tags) }
        selected = catalog.entries.filter { entry in
            (filters.isEmpty || filters.contains { $0.matches(entry) }) && !skips.contains { $0.matches(entry) }
        }
        if options.selectsUnitTests {
            omitted = selected.filter { !$0.tags.isDisjoint(with: Self.omittedTags) }
            selected.removeAll { !$0.tags.isDisjoint(with: Self.omittedTags) }
        }
    }

    /// Each suite that has tests to run, and their tags: `Module.Suite tag tag`.
    package var suiteLines: [String] {
        Dictionary(grouping: selected, by: \.suite)
            .map { suite, tests in
                ([suite] + tests.reduce(Set<String>()) { $0.union($1.tags) }.sorted()).joined(separator: " ")
            }
            .sorted()
    }

    /// One regular expression that matches the selection: a whole suite by its name, others test by test.
    package func expression(in catalog: TestCatalog) -> String {
        let whole = Dictionary(grouping: catalog.entries, by: \.suite).mapValues(\.count)
        let names = Dictionary(grouping: selected, by: \.suite)
            .flatMap { suite, tests in tests.count == whole[suite] ? [suite] : tests.map(\.id) }
        return "^(?:" + names.sorted().map(Self.escape).joined(separator: "|") + ")$"
    }

    private static func escape(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if character.isASCII && !character.isLetter && !character.isNumber { result.append("\\") }
            result.append(character)
        }
    }

    /// The last line of a run of unit tests.
    package var summary: String {
        let ran = Set(selected.map(\.suite)).count
        let left = Set(omitted.map(\.suite)).count
        return "\(ran) suites ran; \(omitted.count) tests of \(left) suites need real parts or take long: "
            + "scripts/test runs them."
    }
}

/// The value of a `--filter` or a `--skip`.
private enum Pattern {
    case tag(String)
    case identifier(Regex<AnyRegexOutput>)

    init(_ text: String, knownTags: Set<String>) throws {
        guard text.hasPrefix("tag:") else {
            self = .identifier(try Regex(text))
            return
        }
        let name = String(text.dropFirst("tag:".count))
        guard knownTags.contains(name) else { throw TestSelection.Error.unknownTag(name) }
        self = .tag(name)
    }

    func matches(_ entry: TestCatalog.Entry) -> Bool {
        switch self {
        case .tag(let name): entry.tags.contains(name)
        case .identifier(let expression): entry.id.contains(expression)
        }
    }
}
