// The services that come with Kinecast: what a person fills in, what an address stands for, and how far a link leads.
import KineWire
import Testing

@testable import KineServices

@Suite struct BuiltInServicesTests {
    private func service(_ id: String) throws -> Service {
        let manifest = try #require(BuiltInServices.manifests.first { $0.id == id })
        return Service(manifest: manifest, origin: .builtIn, bundle: nil, executable: "/nowhere")
    }

    @Test(arguments: ["youtube", "twitch"])
    func `a platform needs its key alone, and its server can be changed`(id: String) throws {
        let platform = try service(id)
        #expect(platform.manifest.fields.filter { !$0.isAdvanced }.map(\.key) == ["key"])
        let info = try platform.setupInfo(from: ["key": "abcd-efgh"])
        #expect(info["key"] == "abcd-efgh" && info["server"]?.hasPrefix("rtmps://") == true)
        #expect(platform.manifest.label(for: info) == platform.manifest.name)
        #expect(platform.secrets(in: info).contains("abcd-efgh"))
        let own = try platform.setupInfo(from: ["key": "k", "server": "rtmp://127.0.0.1:1/live"])
        #expect(own["server"] == "rtmp://127.0.0.1:1/live")
        for given in [[:], ["url": "rtmp://host/app/key"]] {
            #expect(throws: Service.SetupProblem.missing(key: "key", title: "Stream key", service: id)) {
                try platform.setupInfo(from: given)
            }
        }
    }

    @Test func `a server and a key are given as two, or as one address`() throws {
        let rtmp = try service("rtmp")
        #expect(rtmp.manifest.fields.filter { !$0.isAdvanced }.map(\.key) == ["server", "key"])
        #expect(try rtmp.setupInfo(from: ["url": "rtmp://host/app/key"]) == ["url": "rtmp://host/app/key"])
        // Servers such as MediaMTX have paths of one part, which only an address can name.
        #expect(try rtmp.setupInfo(from: ["url": "rtmp://host/name?user=me"])["server"] == nil)
        for (given, key, title) in [
            (["key": "k"], "server", "Server"), (["server": "rtmp://host/app"], "key", "Stream key"),
            (["url": ""], "server", "Server"),
        ] {
            #expect(throws: Service.SetupProblem.missing(key: key, title: title, service: "rtmp")) {
                try rtmp.setupInfo(from: given)
            }
        }
        #expect(throws: Service.SetupProblem.scheme("srt", service: "rtmp", schemes: ["rtmp", "rtmps"])) {
            try rtmp.setupInfo(from: ["url": "srt://host/app/key"])
        }
    }

    @Test func `a label has the server without its secrets, and all of these are known`() throws {
        let rtmp = try service("rtmp")
        let info = try rtmp.setupInfo(
            from: ["server": "rtmp://me:pass-word@host/live", "key": "first/stream-key?sign=1"])
        #expect(rtmp.manifest.label(for: info) == "RTMP (host/live)")
        #expect(
            Set(rtmp.secrets(in: info)) == ["first/stream-key?sign=1", "stream-key?sign=1", "stream-key", "pass-word"])
        #expect(rtmp.manifest.label(for: ["url": "rtmp://host/live/stream-key"]) == "RTMP (host/live)")
    }

    @Test func `only an installed service has rights that a person has to judge`() throws {
        for manifest in BuiltInServices.manifests { #expect(try service(manifest.id).rights == []) }
        let installed = Service(
            manifest: BuiltInServices.rtmp, origin: .user, bundle: "/a.kinext", executable: "/a.kinext/run")
        #expect(installed.rights == [.connect])
    }

    @Test func `how far a live page's link leads follows from its settings`() {
        let settings: [([String: String], LinkReach?)] = [
            ([:], .computer), (["listen": ""], .computer), (["listen": "8080"], .computer),
            (["listen": "0.0.0.0"], .network), (["listen": "192.0.2.1:80"], .network), (["listen": "a b"], nil),
            (["listen": "8080", "public-url": "https://live.example.org/"], .public),
            (["listen": "0.0.0.0", "public-url": ""], .network),
        ]
        for (info, reach) in settings { #expect(BuiltInServices.live.reach(with: info) == reach, "\(info)") }
        #expect(BuiltInServices.rtmp.reach(with: [:]) == nil)
    }
}
