// The sentences for a person when the live page cannot be served, or not as it should be.
import SystemPackage
import Testing

@testable import KinePublish

@Suite struct LiveSentencesTests {
    @Test(
        arguments: [
            (.listen("a b"), ["“a b”", "127.0.0.1:8080"]),
            (.publicURL("x"), ["“public-url”", "“x”"]), (.playerLink("x"), ["“player-link”", "“x”", "yes or no"]),
            (.portMissing, ["“public-url”", "set “listen” to one"]), (.keyMissing, ["set “tls-key”"]),
            (.certificateMissing, ["set “tls-cert”"]),
        ] as [(LiveSettings.Error, [String])])
    func `a setting that cannot be used is named, and what to give instead`(
        _ error: LiveSettings.Error, _ parts: [String]
    ) { expect("\(error)", has: parts) }

    @Test(
        arguments: [
            (.certificateUnreadable(file: "/c.pem"), ["/c.pem", "“tls-cert”"]),
            (.keyUnusable(file: "/k.pem", certificate: "/c.pem"), ["/k.pem", "/c.pem", "“tls-key”"]),
            (.hostUnknown(place: "h:1"), ["on h:1", "no address is known", "set “listen”"]),
            (.cannotListen(place: "h:1", .addressInUse), ["on h:1", "something else listens there"]),
            (.cannotListen(place: "h:1", .permissionDenied), ["below 1024", "set “listen”"]),
            (.cannotListen(place: "h:1", .addressNotAvailable), ["no such address", "set “listen”"]),
            (.cannotListen(place: "h:1", .networkDown), [Errno.networkDown.description, "set “listen”"]),
            (.cannotListen(place: "h:1", nil), ["on h:1", "set “listen”"]),
        ] as [(LiveServer.Error, [String])])
    func `what keeps the server from running is named, and what to do`(
        _ error: LiveServer.Error, _ parts: [String]
    ) { expect("\(error)", has: parts) }

    @Test(
        arguments: [
            (.notEncrypted(host: "0.0.0.0"), ["on 0.0.0.0 without TLS", "“tls-cert”", "“tls-key”"]),
            (.foreignHost(authority: "h:1", scheme: "https"), ["as h:1 was refused", "“public-url” to https://h:1/"]),
        ] as [(LiveServer.Warning, [String])])
    func `a warning says what to do`(_ warning: LiveServer.Warning, _ parts: [String]) {
        expect("\(warning)", has: parts)
    }

    private func expect(_ sentence: String, has parts: [String]) {
        for part in parts { #expect(sentence.contains(part)) }
        #expect(sentence.hasSuffix(".") && !sentence.hasSuffix("..") && !sentence.contains("\n"))
    }
}
