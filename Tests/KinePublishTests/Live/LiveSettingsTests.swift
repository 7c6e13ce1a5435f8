// The settings of the live page, as they arrive: text.
import Testing

@testable import KinePublish

@Suite struct LiveSettingsTests {
    @Test func nothingSetIsAFreePortOnThisMachineOnly() throws {
        let settings = try LiveSettings(setupInfo: [:])
        #expect(settings.host == "127.0.0.1" && settings.port == 0)
        #expect(settings.certificate == nil && !settings.title.isEmpty)
        #expect(settings.isLoopback && !settings.isEverywhere)
    }

    @Test(arguments: [
        ("0.0.0.0:8080", "0.0.0.0", 8080), ("127.0.0.1", "127.0.0.1", 0), (":81", "127.0.0.1", 81),
        ("[::1]:8080", "::1", 8080), ("[::]:1", "::", 1), ("localhost:65535", "localhost", 65535), ("", "127.0.0.1", 0),
    ])
    func addressesAreRead(_ text: String, _ host: String, _ port: Int) throws {
        let settings = try LiveSettings(setupInfo: ["listen": text])
        #expect(settings.host == host && settings.port == port)
    }

    @Test(arguments: [
        "0.0.0.0:", "0.0.0.0:65536", "::1:80", "[::1:80", "[host]:80", "a b:80", "host:80/", "1.2.3.4:-1",
    ])
    func addressesThatAreNoneAreNamed(_ text: String) {
        let error = #expect(throws: LiveSettings.Error.self) { try LiveSettings(setupInfo: ["listen": text]) }
        #expect(error?.description.contains("“\(text)”") == true)
    }

    @Test func aCertificateNeedsItsKeyAndAKeyItsCertificate() throws {
        #expect(throws: LiveSettings.Error.self) { try LiveSettings(setupInfo: ["cert": "a.pem"]) }
        #expect(throws: LiveSettings.Error.self) { try LiveSettings(setupInfo: ["key": "a.pem"]) }
        #expect(try LiveSettings(setupInfo: ["cert": "a.pem", "key": "b.pem"]).certificate?.key == "b.pem")
    }

    @Test func aLinkIsTakenUpAgain() throws {
        let token = LiveToken()
        let again = try LiveSettings(setupInfo: ["previousLink": "http://127.0.0.1:4711/\(token)/"])
        #expect(again.token == token && again.previousPort == 4711)
        let fixed = try LiveSettings(setupInfo: ["previousLink": "https://h:4711/\(token)/", "listen": "0.0.0.0:80"])
        #expect(fixed.token == token && fixed.previousPort == nil && fixed.port == 80)
        for link in ["", "http://127.0.0.1/\(token)/", "http://127.0.0.1:4711/short/", "ftp://h:1/\(token)/"] {
            #expect(try LiveSettings(setupInfo: ["previousLink": link]).token != token)
        }
    }

    @Test func tokensAreLongAndDiffer() {
        #expect(LiveToken() != LiveToken())
        #expect(LiveToken().description.utf8.count == 32)
        let token = LiveToken()
        #expect(token.matches(token.description) && !token.matches(token.description.dropLast()))
        #expect(!token.matches("") && !token.matches(LiveToken().description))
    }
}
