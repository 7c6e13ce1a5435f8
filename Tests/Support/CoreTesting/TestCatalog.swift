// The program's tests, and the tags of each.
import Foundation
import Testing

package struct TestCatalog: Sendable {
    package struct Entry: Sendable, Equatable {
        /// As swift-testing writes it: `Module.Suite/function()/File.swift:line:column`.
        package var id: String
        /// Its own tags and those of the suites around it, without the dot.
        package var tags: Set<String>

        /// The outermost suite, which has a process to itself in scripts/test: `Module.Suite`.
        package var suite: String { String(id.prefix { $0 != "/" }) }

        package init(id: String, tags: Set<String>) { (self.id, self.tags) = (id, tags) }
    }

    /// The test functions, in the order of their identifiers.
    package let entries: [Entry]

    package init(entries: [Entry]) { self.entries = entries.sorted { $0.id < $1.id } }

    /// A record of swift-testing's event stream (Documentation/ABI/JSON.md in its repository).
    private struct Record: Decodable {
        struct Payload: Decodable {
            var id: String?
            var kind: String
            /// Not yet part of the format in Swift 6.3, hence the underscore.
            var _tags: [String]?
        }
        var kind: String
        var payload: Payload
    }

    /// - Parameter events: An event stream, one JSON object to a line.
    package init(events: some DataProtocol) throws {
        let decoder = JSONDecoder()
        let tests = try events.split(separator: UInt8(ascii: "\n"))
            .map { try decoder.decode(Record.self, from: Data($0)) }
            .filter { $0.kind == "test" }
            .compactMap { record in record.payload.id.map { (id: $0, payload: record.payload) } }
        // swift-testing writes a tag as in the source, with its dot.
        let own = Dictionary(
            tests.map { ($0.id, Set(($0.payload._tags ?? []).map { $0.trimmingPrefix(".") }.map(String.init))) },
            uniquingKeysWith: { $0.union($1) })
        self.init(
            entries: tests.filter { $0.payload.kind == "function" }
                .map { test in
                    let enclosing = test.id.indices.filter { test.id[$0] == "/" }.map { String(test.id[..<$0]) }
                    return Entry(
                        id: test.id, tags: enclosing.reduce(own[test.id] ?? []) { $0.union(own[$1] ?? []) })
                })
    }

    /// Lists the tests of this program. `--list-tests` prints no tags; the event stream has them in its version 0.
    package static func load() async throws -> TestCatalog {
        let file = FileManager.default.temporaryDirectory.appending(component: "tests-\(UUID().uuidString).jsonl")
        try Data().write(to: file, options: .withoutOverwriting)
        defer { try? FileManager.default.removeItem(at: file) }
        var listing = __CommandLineArguments_v0()
        listing.listTests = true
        listing.verbosity = .min
        listing.eventStreamOutputPath = file.path
        listing.eventStreamSchemaVersion = "0"
        _ = await __swiftPMEntryPoint(passing: listing) as CInt
        return try TestCatalog(events: Data(contentsOf: file))
    }
}
