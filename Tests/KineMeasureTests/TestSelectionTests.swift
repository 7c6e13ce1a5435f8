// The tests that a run's options select, and the options that swift-testing gets.
import CoreTesting
import Testing

@Suite struct TestSelectionTests {
    private static let catalog = TestCatalog(entries: [
        .init(id: "A.Mixed/`one (or two)`()/M.swift:1:2", tags: []),
        .init(id: "A.Mixed/three()/M.swift:5:2", tags: ["real"]),
        .init(id: "A.Pure/four()/P.swift:1:2", tags: ["margins"]),
        .init(id: "B.Long/Inner/five()/L.swift:1:2", tags: ["real", "long"]),
    ])

    private func selection(_ options: String...) throws -> TestSelection {
        try TestSelection(SelectionOptions(["tests"] + options), from: Self.catalog)
    }

    private func expression(_ options: String...) throws -> Regex<AnyRegexOutput> {
        try Regex(TestSelection(SelectionOptions(["tests"] + options), from: Self.catalog).expression(in: Self.catalog))
    }

    @Test func `without a filter the unit tests are taken, and the others counted`() throws {
        let units = try selection()
        #expect(units.selected.map(\.id) == ["A.Mixed/`one (or two)`()/M.swift:1:2", "A.Pure/four()/P.swift:1:2"])
        #expect(units.omitted.count == 2)
        #expect(units.summary.hasPrefix("2 suites ran; 2 tests of 2 suites need real parts or take long"))
        #expect(try selection("--skip", "Mixed").selected.map(\.suite) == ["A.Pure"])
    }

    @Test func `a filter takes what it names, by identifier or by tag`() throws {
        #expect(try selection("--filter", ".").selected == Self.catalog.entries)
        #expect(try selection("--filter", "tag:real").selected.map(\.suite) == ["A.Mixed", "B.Long"])
        #expect(try selection("--filter=tag:real", "--skip=tag:long").selected.map(\.suite) == ["A.Mixed"])
        #expect(
            try selection("--filter", "tag:long", "--filter", "four").selected.map(\.suite) == ["A.Pure", "B.Long"])
        #expect(try selection("--filter", "tag:real").omitted.isEmpty)
    }

    @Test func `a tag that no test has is refused`() throws {
        #expect(throws: TestSelection.Error.unknownTag("lnog")) { try selection("--skip", "tag:lnog") }
    }

    @Test func `suites are listed with the tags of their selected tests`() throws {
        #expect(try selection("--list-suites").suiteLines == ["A.Mixed real", "A.Pure margins", "B.Long long real"])
        #expect(try selection("--list-suites", "--skip", "tag:real").suiteLines == ["A.Mixed", "A.Pure margins"])
    }

    @Test func `a whole suite is named by its name, others by their tests`() throws {
        let some = try expression("--filter", "one|four")
        #expect("A.Pure".contains(some) && "A.Mixed/`one (or two)`()/M.swift:1:2".contains(some))
        #expect(!"A.Mixed".contains(some) && !"A.Mixed/three()/M.swift:5:2".contains(some))
        #expect(!"A.Pure2".contains(some) && !"BA.Pure".contains(some))
    }

    @Test func `swift-testing's own options need no catalog`() {
        #expect(!SelectionOptions(["tests", "--filter", "A"]).needsCatalog)
        #expect(!SelectionOptions(["tests", "--list-tests"]).needsCatalog)
        #expect(SelectionOptions(["tests", "--no-parallel"]).needsCatalog)
        let options = SelectionOptions(["tests", "--no-parallel", "--filter", "tag:real", "--verbose"])
        #expect(options.needsCatalog && options.others == ["tests", "--no-parallel", "--verbose"])
    }

    @Test func `tags are those of a test and of the suites around it`() throws {
        let events = """
            {"kind":"test","payload":{"id":"B.Long","kind":"suite","_tags":[".long"]},"version":0}
            {"kind":"test","payload":{"id":"B.Long\\/Inner","kind":"suite"},"version":0}
            {"kind":"test","payload":{"id":"B.Long\\/Inner\\/f()\\/L.swift:1:2","kind":"function","_tags":[".real"]},"version":0}
            {"kind":"event","payload":{"kind":"runEnded"},"version":0}

            """
        #expect(
            try TestCatalog(events: Array(events.utf8)).entries
                == [.init(id: "B.Long/Inner/f()/L.swift:1:2", tags: ["long", "real"])])
    }
}
