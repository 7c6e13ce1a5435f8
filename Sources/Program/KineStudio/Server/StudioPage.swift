// The page's files, which CStudioPage puts into the executable.
import CStudioPage
import KinePublish

enum StudioPage {
    static let document = own["index.html"] ?? StudioAnswer(body: [])
    static let description = own["openapi.json"] ?? StudioAnswer(body: [])

    private static let types = [
        "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
        "html": "text/html; charset=utf-8", "json": "application/json",
    ]

    private static let own: [String: StudioAnswer] = {
        var files: [String: StudioAnswer] = [:]
        for index in 0... {
            let file = studio_page_file(index)
            guard let path = file.name.map({ String(cString: $0) }), let text = file.text else { break }
            let ending = path.split(separator: ".").last.map(String.init) ?? ""
            // Each line of a style ends with a mark, so that the next one may follow at once.
            let separator = ["js": "\n", "css": ""][ending]
            let content = separator.map { compact(String(cString: text), joining: $0) } ?? String(cString: text)
            files[path] = StudioAnswer(type: types[ending] ?? "text/plain", body: Array(content.utf8))
        }
        return files
    }()

    /// A script or style without indentation, without the lines that are empty or hold nothing but a comment, and without the types that
    /// are named within lines: a third of it is for who reads the source. No string of the page spans lines.
    static func compact(_ text: String, joining separator: String = "\n") -> String {
        var isInside = false
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        return lines.filter { line in
            guard isInside || line.hasPrefix("//") || line.hasPrefix("/*") else { return true }
            // Code may follow a comment on its line.
            let end = line.firstRange(of: "*/")?.upperBound
            if isInside || line.hasPrefix("/*") { isInside = end == nil }
            return end.map { $0 != line.endIndex } ?? false
        }.map(untyped).joined(separator: separator)
    }

    /// The line without the comments in it that name types.
    private static func untyped(_ line: Substring) -> Substring {
        guard let begin = line.firstRange(of: "/** @type ") else { return line }
        let rest = line[begin.upperBound...]
        let code = rest.firstRange(of: "*/ ").map { rest[$0.upperBound...] } ?? rest
        return line[..<begin.lowerBound] + untyped(code)
    }

    /// By their paths below the page's address, such as `words/english.js`. The document has a path of its own, and the
    /// description needs a session.
    static let files: [String: StudioAnswer] = {
        var files = own.filter { $0.key != "index.html" && $0.key != "openapi.json" }
        for module in LivePage.modules {
            files[module.rawValue] = LivePage.file(module).map { StudioAnswer(type: $0.type, body: $0.bytes) }
        }
        return files
    }()
}
