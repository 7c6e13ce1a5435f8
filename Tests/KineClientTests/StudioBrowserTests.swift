// Which program shows the studio's window.
import Glibc
import KineClient
import KineMeasure
import KineWire
import Testing

@Suite struct StudioBrowserTests {
    @Test func `a snap is passed over, and the address of the file is a valid one`() throws {
        let folder = try TemporaryDirectory()
        let snap = try folder.write("".utf8, to: "snap")
        for name in ["chromium", "chromium-browser"] { try #require(symlink(snap, folder.file(name)) == 0) }
        _ = try folder.write("".utf8, to: "brave-browser")
        let link = StudioLink(address: "", file: "/run/user/1000/a b%é.html")
        let command = StudioBrowser.command(for: link) { name in
            access(folder.file(name), F_OK) == 0 ? folder.file(name) : nil
        }
        #expect(command?.program == folder.file("brave-browser"))
        #expect(command?.arguments == ["--app=file:///run/user/1000/a%20b%25%C3%A9.html"])
        #expect(StudioBrowser.command(for: link) { $0 == "chromium" ? folder.file($0) : nil } == nil)
    }
}
