// Whom the live page answers, and whom it refuses.
import Testing

@testable import KinePublish

@Suite struct RequestGateTests {
    private static let token = LiveToken()
    private static let page = "/\(token)/"
    private let gate = RequestGate(
        token: token, hosts: ["localhost", "127.0.0.1", "::1", "192.168.1.7"], acceptsAnyAddress: false)

    private func judge(
        _ target: String, method: String = "GET", host: String? = "127.0.0.1:8080", origin: String? = nil
    ) -> RequestGate.Verdict {
        gate.judge(method: method, target: target, host: host, origin: origin)
    }

    @Test(arguments: RequestGate.Resource.allCases)
    func theTokenOpensEverything(_ resource: RequestGate.Resource) {
        #expect(judge(Self.page + resource.rawValue) == .give(resource))
        #expect(judge(Self.page + resource.rawValue + "?play=mse") == .give(resource))
    }

    @Test func withoutTheTokenThereIsNothing() {
        let wrong = String(repeating: "0", count: 32)
        for target in ["/", "", "/page.js", "/\(wrong)/", "/\(wrong)", Self.page.uppercased(), "*", "/..\(Self.page)"] {
            #expect(judge(target) == .notFound)
        }
        #expect(judge(Self.page + "other") == .notFound)
        #expect(judge(Self.page + "/samples") == .notFound)
        #expect(judge(Self.page + "../samples") == .notFound)
    }

    @Test func aMissingSlashIsAdded() { #expect(judge("/\(Self.token)") == .addSlash) }

    @Test func onlyReadingIsPossible() {
        #expect(judge(Self.page, method: "HEAD") == .give(.page))
        #expect(judge(Self.page, method: "POST") == .wrongMethod)
        // A stranger learns nothing from the method either.
        #expect(judge("/x/", method: "POST") == .notFound)
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:9", "localhost:8080", "LOCALHOST", "localhost.", "[::1]:80", "192.168.1.7:1",
    ])
    func ownNamesAreTaken(_ host: String) { #expect(judge(Self.page, host: host) == .give(.page)) }

    @Test(
        arguments: [
            nil, "", "evil.example", "127.0.0.1.evil.example", "localhost:x", "[::1", "192.168.1.8", "localhost:80:80",
            "@localhost",
        ] as [String?])
    func namesThatCanBeReboundAreNot(_ host: String?) { #expect(judge(Self.page, host: host) == .forbidden) }

    @Test func everyAddressOfTheMachineIsTakenWhereItListensOnAll() {
        let gate = RequestGate(token: Self.token, hosts: ["localhost"], acceptsAnyAddress: true)
        for host in ["10.0.0.3:80", "[fe80::1]:80"] {
            #expect(gate.judge(method: "GET", target: Self.page, host: host, origin: nil) == .give(.page))
        }
        for host in ["evil.example", "10.0.0.3.evil.example", "10.0.0.256", "1.2.3", "+1.2.3.4"] {
            #expect(gate.judge(method: "GET", target: Self.page, host: host, origin: nil) == .forbidden)
        }
    }

    @Test func onlyItsOwnPageMayAsk() {
        #expect(judge(Self.page, origin: "http://127.0.0.1:8080") == .give(.page))
        for origin in [
            "http://127.0.0.1:8081", "http://evil.example", "null", "https://127.0.0.1:8080.evil.example", "",
        ] {
            #expect(judge(Self.page, origin: origin) == .forbidden)
        }
    }
}
