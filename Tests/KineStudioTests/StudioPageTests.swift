// The page's files against the server: the description of its API, the languages, and its weight.
import FoundationEssentials
import KinePlatform
import KinePublish
import KineWire
import SystemPackage
import Testing

@testable import KineStudio

@Suite struct StudioPageTests {
    private struct Description: Decodable {
        struct Operation: Decodable {
            var operationId: String
            var responses: [String: Ignored]
            var security: [[String: [String]]]?
        }

        struct Ignored: Decodable {}

        var openapi: String
        var paths: [String: [String: Operation]]
    }

    /// The top of this package, from Tests/KineStudioTests/StudioPageTests.swift on.
    private static let checkout = (0..<3).reduce(into: FilePath(#filePath)) { path, _ in path.removeLastComponent() }
    private static let directory = checkout.appending("Sources/App/KineStudio/Page")

    private static func text(_ name: String) -> String {
        String(decoding: PrivateDirectory.contents(of: directory.appending(name), limit: 1 << 20) ?? [], as: UTF8.self)
    }

    @Test func `openapi_json describes each route, and no other`() throws {
        let description = try JSONDecoder().decode(Description.self, from: Data(StudioPage.description.body))
        #expect(description.openapi == "3.1.0")
        var described: [String: Description.Operation] = [:]
        for (path, operations) in description.paths {
            for (method, operation) in operations { described["\(method.uppercased()) \(path)"] = operation }
        }
        let routes = StudioRoute.all.filter { $0.path.hasPrefix("/api/") }
        #expect(Set(described.keys) == Set(routes.map { "\($0.method) \($0.path)" }))
        for route in routes {
            let operation = try #require(described["\(route.method) \(route.path)"])
            let schemes = Set((operation.security ?? []).flatMap(\.keys))
            let keys: Set<String> = route.operation == .events ? ["cookie", "key", "query"] : ["cookie", "key"]
            let wanted = route.access == .session ? keys : route.access == .media ? ["cookie"] : []
            #expect(schemes == wanted, "\(route.path)")
            #expect(operation.responses.keys.contains("403"), "\(route.path)")
        }
        #expect(Set(described.values.map(\.operationId)).count == routes.count)
    }

    @Test func `each file is served, and nothing of another host is named`() throws {
        try #require(PrivateDirectory.entries(Self.directory).count > 12)
        for name in PrivateDirectory.entries(Self.directory) where name != "openapi.json" && name != "index.html" {
            #expect(StudioPage.file(name)?.body == Array(Self.text(name).utf8), "\(name)")
        }
        for name in PrivateDirectory.entries(Self.directory) where !name.hasSuffix(".svg") && name != "openapi.json" {
            #expect(!Self.text(name).contains("://"), "\(name)")
        }
        #expect(StudioPage.file("openapi.json") == nil, "it needs a session")
    }

    @Test func `the page with any one of the parts that it loads later has at most 120 KB`() throws {
        // A reader loads one language.
        let language = ["english.js", "chinese.js"].max { Self.size($0) < Self.size($1) }
        let always = ["index.html", "page.css", "icon.svg", "icon-recording.svg", try #require(language)]
        let first = Self.files(from: ["page.js"] + always, later: false)
        #expect(first.isSuperset(of: ["takes.js", "views.js", "events-worker.js"]))
        let modules = Set(first.flatMap { Self.names(in: $0).later })
        #expect(modules.isSuperset(of: ["recording.js", "library.js", "player.js"]))
        for module in modules {
            let loaded = first.union(Self.files(from: [module], later: true))
            let weight = loaded.map(Self.size).reduce(0, +)
            #expect(weight <= 120_000, "\(module) with the page: \(loaded.sorted())")
        }
        let library = Self.files(from: ["library.js"], later: true)
        #expect(library.isSuperset(of: ["library.css", "viewer.js", "trim.js"]))
    }

    /// The files that these lead to. `later`: with those that are loaded after them.
    private static func files(from names: [String], later: Bool) -> Set<String> {
        var found: Set<String> = []
        var rest = names
        while let name = rest.popLast() {
            guard found.insert(name).inserted else { continue }
            let further = Self.names(in: name)
            rest += further.first + (later ? further.later : [])
        }
        return found
    }

    /// The files that a script loads: with it, workers and styles included, and later.
    private static func names(in script: String) -> (first: [String], later: [String]) {
        guard script.hasSuffix(".js") else { return ([], []) }
        let text = String(decoding: StudioPage.file(script)?.body ?? [], as: UTF8.self)
        let first = text.matches(of: #/ from "\.\/([^"]+)";|Worker\("([^"]+)"|href: "([^"]+\.css)"/#)
        let later = text.matches(of: #/import\("\.\/([^"]+)"\)/#)
        return (first.compactMap { ($0.1 ?? $0.2 ?? $0.3).map(String.init) }, later.map { String($0.1) })
    }

    /// Bytes.
    private static func size(_ name: String) -> Int {
        name == "index.html" ? StudioPage.document.body.count : StudioPage.file(name)?.body.count ?? 0
    }

    @Test func `both languages have all words, and scripts name no other`() throws {
        let english = Self.words(in: Self.text("english.js"))
        let chinese = Self.words(in: Self.text("chinese.js"))
        #expect(english.count > 50 && Set(english.keys) == Set(chinese.keys))
        for (name, words) in english {
            let translated = chinese[name] ?? ""
            #expect(Self.values(in: words) == Self.values(in: translated), "\(name)")
            // An engine's own sentence.
            if words != "{text}" { #expect(words != translated, "\(name)") }
        }
        for file in PrivateDirectory.entries(Self.directory) where file.hasSuffix(".js") {
            for name in Self.text(file).matches(of: #/say\("([^"]+)"/#).map({ String($0.1) }) {
                #expect(english[name] != nil, "\(file) says \(name)")
            }
        }
        for right in SheetRight.Kind.allCases { #expect(english["right.\(right.rawValue)"] != nil, "\(right)") }
        for control in TakeNotice.Kind.allCases { #expect(english["event.\(control.rawValue)"] != nil, "\(control)") }
    }

    private static func words(in table: String) -> [String: String] {
        let lines = table.matches(of: #/\n    "?([\w.]+)"?: "([^"\n]*)",/#)
        return Dictionary(lines.map { (String($0.1), String($0.2)) }, uniquingKeysWith: { $1 })
    }

    private static func values(in words: String) -> Set<String> {
        Set(words.matches(of: #/\{(\w+)\}/#).map { String($0.1) })
    }
}
