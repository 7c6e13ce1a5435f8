// The settings of the live page, as they arrive: text.
import KineLive
import KineText
import Testing

@testable import KinePublish

@Suite struct LiveSettingsTests {
    @Test func `the default is a free port on this machine only`() throws {
        let settings = try LiveSettings(setupInfo: [:])
        #expect(settings.listen == .standard)
        #expect(settings.certificate == nil && !settings.title.isEmpty && !settings.hasPlayerLink)
        #expect(settings.listen.isLoopback && !settings.listen.isEverywhere && !settings.isOpenAndPlain)
    }

    @Test(arguments: [
        ("0.0.0.0:8080", "0.0.0.0", 8080), ("127.0.0.1", "127.0.0.1", 0), (":81", "127.0.0.1", 81),
        ("[::1]:8080", "::1", 8080), ("[::]:1", "::", 1), ("localhost:65535", "localhost", 65535), ("", "127.0.0.1", 0),
        ("8080", "127.0.0.1", 8080),
    ])
    func `addresses are read`(_ text: String, _ host: String, _ port: Int) throws {
        let settings = try LiveSettings(setupInfo: ["listen": text])
        #expect(settings.listen.host == host && settings.listen.port == port)
        #expect(ListenAddress(settings.listen.description) == settings.listen)
    }

    @Test(arguments: [
        "0.0.0.0:", "0.0.0.0:65536", "::1:80", "[::1:80", "[host]:80", "a b:80", "host:80/", "1.2.3.4:-1", ":",
        "65536", "host:٣",
    ])
    func `text that is no address is named`(_ text: String) {
        #expect(throws: LiveSettings.Error.listen(text)) { try LiveSettings(setupInfo: ["listen": text]) }
    }

    @Test func `a certificate needs its key, and a key its certificate`() throws {
        #expect(throws: LiveSettings.Error.keyMissing) { try LiveSettings(setupInfo: ["tls-cert": "a.pem"]) }
        #expect(throws: LiveSettings.Error.certificateMissing) { try LiveSettings(setupInfo: ["tls-key": "a.pem"]) }
        let both = try LiveSettings(setupInfo: ["tls-cert": "a.pem", "tls-key": "b.pem", "listen": "0.0.0.0:1"])
        #expect(both.certificate?.key == "b.pem" && !both.isOpenAndPlain)
        #expect(try LiveSettings(setupInfo: ["listen": "0.0.0.0:1"]).isOpenAndPlain)
    }

    @Test func `a public address needs a fixed port`() throws {
        let settings = try LiveSettings(setupInfo: ["public-url": "https://Live.example/a", "listen": "8080"])
        #expect(settings.publicURL?.description == "https://live.example/a/")
        #expect(throws: LiveSettings.Error.portMissing) {
            try LiveSettings(setupInfo: ["public-url": "https://live.example/"])
        }
        #expect(throws: LiveSettings.Error.publicURL("live.example")) {
            try LiveSettings(setupInfo: ["public-url": "live.example", "listen": "8080"])
        }
    }

    @Test(arguments: [
        ("http://a", "http://a/", "a"), ("HTTPS://A.b:443/", "https://a.b/", "a.b"),
        ("https://a:8443/x/y", "https://a:8443/x/y/", "a"), ("http://[::1]:80/", "http://[::1]/", "::1"),
        ("http://a:80/%20", "http://a/%20/", "a"),
    ])
    func `public addresses are read`(_ text: String, _ whole: String, _ host: String) {
        #expect(PublicURL(text)?.description == whole)
        #expect(PublicURL(text)?.host == host)
    }

    @Test(arguments: [
        "", "a", "ftp://a/", "http://", "http:///x", "https://a/?b", "https://a/#b", "https://u@a/", "https://a:x/",
        "https://a//b", "https://a b/", "https://ä/", "https:a", "https://[::1/",
    ])
    func `text that is no public address is refused`(_ text: String) { #expect(PublicURL(text) == nil) }

    @Test func `players get a link only where it is asked for`() throws {
        #expect(try LiveSettings(setupInfo: ["player-link": "yes"]).hasPlayerLink)
        #expect(try !LiveSettings(setupInfo: ["player-link": "no"]).hasPlayerLink)
        #expect(throws: LiveSettings.Error.playerLink("perhaps")) {
            try LiveSettings(setupInfo: ["player-link": "perhaps"])
        }
    }

    @Test func `links of an earlier run are read`() throws {
        let (token, players) = (RandomToken(), RandomToken())
        let links = LiveLinks(base: "http://127.0.0.1:4711/", token: token, playerToken: players)
        let again = try LiveSettings(
            setupInfo: ["previousLink": links.page, "previousPlayerLink": try #require(links.player)])
        #expect(again.previous == .init(port: 4711, token: token, playerToken: players))
        let named = try LiveSettings(setupInfo: ["previousLink": "https://h/a/#\(token)"])
        #expect(named.previous == .init(port: nil, token: token, playerToken: nil))
        for link in ["", "http://127.0.0.1:1/\(token)/", "http://127.0.0.1:4711/#short", "ftp://h:1/#\(token)"] {
            #expect(try LiveSettings(setupInfo: ["previousLink": link]).previous == nil)
        }
    }

    @Test func `tokens are long and differ`() {
        #expect(RandomToken() != RandomToken())
        #expect(RandomToken().description.utf8.count == 32)
        let token = RandomToken()
        #expect(token.matches(token.description) && !token.matches(token.description.dropLast()))
        #expect(!token.matches("") && !token.matches(RandomToken().description))
    }
}
