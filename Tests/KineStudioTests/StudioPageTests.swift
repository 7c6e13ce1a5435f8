// The page's files against the server: the description of its API, the languages, and its weight.
import KineMedia
import KinePlatform
import KinePublish
import KineWire
import SystemPackage
import Testing

@testable import KineStudio

@Suite struct StudioPageTests {
    /// The top of this package, from Tests/KineStudioTests/StudioPageTests.swift on.
    private static let checkout = (0..<3).reduce(into: FilePath(#filePath)) { path, _ in path.removeLastComponent() }
    private static let directory = checkout.appending("Sources/Program/CStudioPage/Page")

    /// The paths of the page's files, in its folders too. Not served: what tells tsc of types (scripts/check-page).
    private static let paths = PrivateDirectory.entries(directory).filter { $0 != "tsconfig.json" && $0 != "types" }
        .flatMap { name in
            name.contains(".") ? [name] : PrivateDirectory.entries(directory.appending(name)).map { "\(name)/\($0)" }
        }

    private static func text(_ path: String) -> String {
        String(decoding: PrivateDirectory.contents(of: directory.appending(path), limit: 1 << 20) ?? [], as: UTF8.self)
    }

    @Test func `openapi_json describes each route, and no other`() throws {
        let description = try StudioDescription.served.get()
        #expect(description.openapi == "3.1.0")
        let described = description.paths.flatMap { path, operations in
            operations.keys.map { "\($0.uppercased()) \(path)" }
        }
        let routes = StudioRoute.all.filter { $0.path.hasPrefix("/api/") }
        #expect(Set(described) == Set(routes.map { "\($0.method) \($0.path)" }))
        for route in routes {
            let operation = try #require(description[route])
            let schemes = Set((operation.security ?? description.security).flatMap(\.keys))
            let wanted: Set<String> =
                switch route.access {
                case .session: ["cookie", "key"]
                case .events: ["cookie", "key", "query"]
                case .media: ["cookie"]
                case .document, .page: []
                }
            #expect(schemes == wanted, "\(route.path)")
            #expect(operation.responses["default"]?.reference?.hasSuffix("Problem") == true, "\(route.path)")
            #expect(description.shared(by: route).isDisjoint(with: operation.responses.keys), "\(route.path)")
        }
        let names = description.paths.values.flatMap(\.values).map(\.operationId)
        #expect(Set(names).count == routes.count)
    }

    @Test func `openapi_json refers to each of its parts, and stays short`() throws {
        let text = Self.text("openapi.json")
        #expect(text.utf8.count <= 81_600)
        let references = text.matches(of: #/"\$ref": "([^"]+)"/#).map { String($0.1) }
        // The type of a stream cannot refer to the schemas of its events.
        let events: Set = ["Choice", "Disk"]
        let named = Set(references).union(events.map { "#/components/schemas/\($0)" })
        let components = try StudioDescription.served.get().components
        #expect(named == components.references)
        let kinds = Set(components.problems.keys).subtracting(components.responses.keys)
        #expect(kinds == ["any", "session", "path", "post"])
    }

    @Test func `each file is served, and nothing of another host is named`() throws {
        try #require(Self.paths.count > 50)
        for path in Self.paths where path != "openapi.json" && path != "index.html" {
            let separator = path.hasSuffix(".css") ? "" : "\n"
            let text = Self.text(path)
            let served = path.hasSuffix(".svg") ? text : StudioPage.compact(text, joining: separator)
            #expect(StudioPage.files[path]?.body == Array(served.utf8), "\(path)")
        }
        for path in Self.paths where !path.hasSuffix(".svg") && path != "openapi.json" {
            #expect(!Self.text(path).contains("://"), "\(path)")
        }
        #expect(StudioPage.files["openapi.json"] == nil, "it needs a session")
    }

    @Test func `the lines of styles can be joined`() {
        for (path, file) in StudioPage.files where path.hasSuffix(".css") {
            let style = Self.text(path)
            #expect(style.contains("{"))
            for line in style.split(separator: "\n") where !line.contains("*/") {
                #expect(line.hasPrefix("/*") || "{};,".contains(line.last ?? " "), "\(path): \(line)")
            }
            #expect(!file.body.contains(UInt8(ascii: "\n")))
        }
    }

    @Test func `a script is served without comments and indentation`() {
        let script = """
            // @ts-check
            /**
             * Says "// no".
             */
            export const a = "/* no */";  // kept
              /** @type {number} */ (b).c();
              /* a comment
                 of two lines */ d();
            /** one */
            e("//");
            """
        #expect(
            StudioPage.compact(script) == """
                export const a = "/* no */";  // kept
                (b).c();
                of two lines */ d();
                e("//");
                """)
    }

    /// Bytes until Record is shown, and of each view with all that it can come to load, at most.
    private static let firstLimit = 108_000
    private static let viewLimit = 128_000
    private static let libraryLimit = 123_500
    private static let servicesLimit = 142_000
    private static let wholeLimit = 202_500

    @Test(arguments: ["english", "chinese"])
    func `no view comes to load more than its limit`(_ language: String) throws {
        let page = [
            "page.js", "index.html", "page.css", "old.js", "icon.svg", "icon-recording.svg", "words/\(language).js",
        ]
        let other: Set = language == "english" ? Self.foreign : ["words/english.js"]
        func files(_ names: [String], without others: Set<String>) -> Set<String> {
            Self.files(from: page + names, later: false, language, without: other)
                .union(Self.files(from: names, later: true, language, without: other.union(others)))
        }
        let first = Self.files(
            from: page + ["record/studio.js", "record/recording.js"], later: false, language, without: other)
        Self.expect(first, "Record at first", atMost: Self.firstLimit)
        // The form, the picture of a take, the camera, and another source. A browser plays by WebCodecs; the few that cannot load
        // another player instead.
        let views: Set = ["library/library.js", "record/services.js"]
        for (unused, limit) in [("mediasource.js", Self.viewLimit), ("webcodecs.js", Self.viewLimit + 6000)] {
            let record = files(["record/studio.js"], without: views.union([unused]))
            let shown = ["takes", "recording", "rows", "cameraframe"].map { "record/\($0).js" } + ["player.js"]
            #expect(record.isSuperset(of: shown))
            Self.expect(record, "Record without \(unused)", atMost: limit)
        }
        let services = files(
            ["record/studio.js"], without: ["library/library.js", "mediasource.js", "sheet/review.js"])
        #expect(services.isSuperset(of: ["record/services.js", "sheet/form.js", "sheet/sheet.css"]))
        Self.expect(services, "Record with services", atMost: Self.servicesLimit)
        let library = files(
            ["record/studio.js", "library/library.js"],
            without: ["record/recording.js", "player.js", "record/gallery.js", "record/cameraframe.js"])
        let shown = ["words/\(language)-library.js", "library/library.css", "library/viewer.js", "library/trim.js"]
        #expect(library.isSuperset(of: shown))
        Self.expect(library, "Recordings", atMost: Self.libraryLimit)
        let sheet = files(["sheet/sheet.js"], without: [])
        let asked = ["words/\(language)-sheet.js", "sheet/form.js", "sheet/review.js", "library/trim.js"]
        #expect(sheet.isSuperset(of: asked))
        Self.expect(sheet, "an app's window", atMost: Self.viewLimit)
        Self.expect(files(["record/studio.js"], without: []), "all files", atMost: Self.wholeLimit)
    }

    @Test func `all that a window may come to load is fetched in the background`() {
        let named = Self.text("page.js").matches(of: #/"([a-z/-]+)"/#).map { "\($0.1).js" }
        let names = ["page.js", "record/studio.js", "sheet/sheet.js"] + named.filter { StudioPage.files[$0] != nil }
        let fetched = Self.files(from: names, later: false, "english", without: Self.foreign)
        let all = Self.files(from: ["page.js"], later: true, "english", without: Self.foreign)
        #expect(names.count > 10 && all.subtracting(fetched).isEmpty, "\(all.subtracting(fetched))")
    }

    private static func expect(_ files: Set<String>, _ name: String, atMost limit: Int) {
        let weight = files.map(size).reduce(0, +)
        #expect(weight <= limit, "\(name): \(files.sorted())")
    }

    /// The files that these lead to. `later`: with those that are loaded after them.
    private static func files(
        from names: [String], later: Bool, _ language: String, without others: Set<String>
    ) -> Set<String> {
        var found: Set<String> = []
        var rest = names
        while let name = rest.popLast() {
            guard !others.contains(name), found.insert(name).inserted else { continue }
            #expect(Self.size(name) > 0, "\(name) is served")
            let further = Self.names(in: name)
            rest += further.first + (later ? further.later : [])
            rest += further.parts.flatMap { ["words/\(language)-\($0).js", "\($0)/\($0).css"] }
        }
        return found
    }

    /// The files that a script loads: with it, workers included, and later; and the parts whose words and style it loads.
    private static func names(in script: String) -> (first: [String], later: [String], parts: [String]) {
        guard script.hasSuffix(".js") else { return ([], [], []) }
        let text = String(decoding: StudioPage.files[script]?.body ?? [], as: UTF8.self)
        let folder = FilePath(script).removingLastComponent()
        let path = { (relative: Substring) in folder.appending(String(relative)).lexicallyNormalized().string }
        let first = text.matches(of: #/ from "([^"]+)";|Worker\("([^"]+)"/#)
        let later = text.matches(of: #/import\("([^"]+)"\)/#).map { path($0.1) }
        let shared = text.matches(of: #/loadModule\("([^"]+)"\)/#).map { "\($0.1).js" }
        let parts = text.matches(of: #/load\("(\w+)"\)/#)
        return (
            // A worker's path begins at the document.
            first.compactMap { $0.1.map(path) ?? $0.2.map(String.init) }, later + shared,
            parts.map { String($0.1) }
        )
    }

    @Test func `a browser without JavaScript, or that is too old, is told so before it loads anything else`() throws {
        let document = Self.text("index.html")
        let sentence = try #require(document.firstMatch(of: #/<noscript>.+</noscript>/#))
        for text in [String(sentence.0), Self.text("old.js")] {
            #expect(text.contains("Kinecast") && text.contains("lang=") && text.contains("；"), "\(text)")
        }
        let loads = document.matches(of: #/<(?:script|link rel="stylesheet").*(?:src|href)="([^"]+)"/#).map { $0.1 }
        #expect(loads == ["old.js", "page.css", "page.js"])
        #expect(document.contains(#"<script src="old.js">"#), "no module, which such a browser would pass over")
    }

    /// Bytes.
    private static func size(_ name: String) -> Int {
        name == "index.html" ? StudioPage.document.body.count : StudioPage.files[name]?.body.count ?? 0
    }

    /// What an English page does not load.
    private static let foreign: Set = ["words/chinese.js", "words/chinese-problems.js"]

    @Test func `each problem with a code has a Chinese sentence`() {
        let codes = ProblemCode.Name.allCases.filter { $0 != .cancelled }.map(\.rawValue)
        let written = Self.text("words/chinese-problems.js").matches(of: #/\n  (\w+): "/#).map { String($0.1) }
        #expect(written.sorted() == codes.sorted())
    }

    @Test func `both languages have all words, and scripts name no other`() throws {
        let english = Self.words(of: "english")
        let chinese = Self.words(of: "chinese")
        #expect(english.count > 50 && Set(english.keys) == Set(chinese.keys))
        for (name, words) in english {
            let translated = chinese[name] ?? ""
            #expect(Self.values(in: words) == Self.values(in: translated), "\(name)")
            // An engine's own sentence.
            if words != "{text}" { #expect(words != translated, "\(name)") }
        }
        for file in Self.paths where file.hasSuffix(".js") {
            for name in Self.text(file).matches(of: #/say\("([^"]+)"/#).map({ String($0.1) }) {
                #expect(english[name] != nil, "\(file) says \(name)")
            }
        }
        // Words that only the library's scripts say come with the library.
        let early = Self.words(of: "english", ["", "-sheet"])
        let late: Set = ["library/library.js", "sheet/review.js"]
        for file in Self.files(from: ["page.js"], later: true, "english", without: late) {
            for name in Self.text(file).matches(of: #/say\("([^"]+)"/#).map({ String($0.1) }) {
                #expect(early[name] != nil, "\(file) says \(name) before the library is shown")
            }
        }
        for right in SheetRight.Kind.allCases { #expect(english["right.\(right.rawValue)"] != nil, "\(right)") }
        for kind in PermissionKind.allCases { #expect(english["kind.\(kind.rawValue)"] != nil, "\(kind)") }
        for control in TakeNotice.Kind.allCases { #expect(english["event.\(control.rawValue)"] != nil, "\(control)") }
    }

    private static func words(
        of language: String, _ parts: [String] = ["", "-library", "-sheet"]
    ) -> [String: String] {
        let tables = parts.map { text("words/\(language)\($0).js") }
        let lines = tables.flatMap { $0.matches(of: #/\n  "?([\w.]+)"?: "([^"\n]*)",/#) }
        return Dictionary(lines.map { (String($0.1), String($0.2)) }, uniquingKeysWith: { $1 })
    }

    private static func values(in words: String) -> Set<String> {
        Set(words.matches(of: #/\{(\w+)\}/#).map { String($0.1) })
    }
}
