// The files that lead a browser to a window.
import KineLive
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@testable import KineStudio

@Suite struct StudioLinksTests {
    @Test func `a program that asks for link after link has no more files than links that work`() throws {
        try TemporaryDirectory.with { directory in
            var secrets = StudioSecrets()
            let links = StudioLinks(in: directory, base: "http://127.0.0.1:1/") {
                secrets.makeLink(to: $0, at: 0)
            }
            var last = ""
            for _ in 0..<100 { last = try links.make(to: .studio, at: 0).file }
            let files = PrivateDirectory.entries(directory)
            #expect(files.count == StudioSecrets.mostLinks && files.contains { last.hasSuffix($0) })
            links.removeExpired(at: StudioSecrets.linkLifetime)
            #expect(PrivateDirectory.entries(directory) == [])
        }
    }

    @Test func `the file leads to the link by itself, and has it for a person in either colour scheme`() throws {
        try TemporaryDirectory.with { directory in
            var secrets = StudioSecrets()
            let links = StudioLinks(in: directory, base: "https://h.example/a&b/") { secrets.makeLink(to: $0, at: 0) }
            let link = try links.make(to: .sheet("s"), at: 0)
            let bytes = try #require(PrivateDirectory.contents(of: FilePath(link.file), limit: 4096))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(bytes.count < 600 && text.contains("<title>Kinecast</title>"))
            #expect(text.contains(#"<meta name="color-scheme" content="light dark">"#))
            #expect(text.contains("location.replace(\"\(link.address)\")"))
            let shown = text.firstMatch(of: #/<a href="([^"]+)">/#)?.1
            #expect(shown.map(String.init) == link.address.replacing("&", with: "&amp;"))
        }
    }
}
