// The files that lead a browser to a window.
import KineLive
import KineMeasure
import KinePlatform
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
}
