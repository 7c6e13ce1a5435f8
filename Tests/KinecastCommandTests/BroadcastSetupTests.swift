// What is kept of services for a broadcast, and the check of its servers.
import Glibc
import KineChoices
import KineMeasure
import KineMedia
import KinePlatform
import KineProgram
import KineServices
import KineText
import KineWire
import Testing

@testable import KinecastCommand

@Suite struct BroadcastSetupTests {
    static let rtmp: ServiceManifest = {
        var manifest = ServiceManifest(id: "rtmp", name: "RTMP", executable: "kinecast-publish")
        manifest.urlSchemes = ["rtmp", "rtmps"]
        manifest.setup = [
            .init(key: "url", title: "Address", isRequired: true), .init(key: "title", title: "Title"),
        ]
        return manifest
    }()

    static let meter: ServiceManifest = {
        var manifest = ServiceManifest(id: "org.example.meter", name: "Meter", executable: "meter")
        manifest.setup = [
            .init(key: "token", title: "Token", isRequired: true, isSecret: true),
            .init(key: "every", title: "Seconds", defaultValue: "1"),
        ]
        return manifest
    }()

    @Test func `what is kept of a service is used, but for what is typed, and by no other user's file`() throws {
        try TemporaryDirectory.with { directory in
            let kept = KeptSettings(in: directory)
            let installed = [Self.rtmp, Self.meter].map {
                Service(manifest: $0, origin: .builtIn, bundle: nil, executable: "/nowhere")
            }
            func destinations(_ plan: DestinationPlan) throws -> [[String: String]] {
                try plan.asking(installed, kept: kept).destinations(among: installed.map(\.manifest)).map(\.setupInfo)
            }
            try kept.keep(["url": "rtmp://kept/app/key", "title": "Kept"], of: "rtmp")
            var plan = DestinationPlan(services: ["rtmp"])
            #expect(try destinations(plan) == [["url": "rtmp://kept/app/key", "title": "Kept"]])
            plan.settings = [Setting(key: "rtmp.title", value: "Typed")]
            plan.addresses = [try #require(DestinationAddress("rtmp://typed/app/key"))]
            #expect(try destinations(plan) == [["url": "rtmp://typed/app/key", "title": "Typed"]])
            // With all that is required, nothing goes to another server than the one it was kept for.
            plan.settings = []
            #expect(try destinations(plan) == [["url": "rtmp://typed/app/key"]])
            plan = DestinationPlan(services: ["rtmp"])
            plan.settings = [Setting(key: "rtmp.title", value: "Typed")]
            #expect(try destinations(plan) == [["url": "rtmp://kept/app/key", "title": "Typed"]])
            // The address alone asks for no settings.
            plan.addresses = [try #require(DestinationAddress("rtmp://typed/app/key"))]
            plan = DestinationPlan(addresses: plan.addresses)
            #expect(try destinations(plan) == [["url": "rtmp://typed/app/key"]])
            plan = DestinationPlan(services: ["rtmp"])
            let file = try #require(kept.file(of: "rtmp"))
            try #require(chmod(file.string, 0o640) == 0)
            func failure() -> CommandFailure? { #expect(throws: CommandFailure.self) { try destinations(plan) } }
            #expect(failure()?.status == ExitStatus.noPermission)
            try kept.remove("rtmp")
            #expect(failure()?.message.contains("url") == true)
            try PrivateDirectory.write(Array("[]".utf8), to: file)
            #expect(failure()?.message.contains("delete it") == true)
        }
    }

    @Test func `an address and its two parts replace each other, wherever they come from`() throws {
        try TemporaryDirectory.with { directory in
            let kept = KeptSettings(in: directory)
            let rtmp = Service(manifest: BuiltInServices.rtmp, origin: .builtIn, bundle: nil, executable: "/nowhere")
            func setupInfo(_ set: [String: String] = [:], to address: String? = nil) throws -> [String: String]? {
                let plan = DestinationPlan(
                    addresses: try address.map { [try #require(DestinationAddress($0))] } ?? [], services: ["rtmp"],
                    settings: set.map { Setting(key: "rtmp.\($0.key)", value: $0.value) })
                return try plan.asking([rtmp], kept: kept).destinations(among: [rtmp.manifest]).first?.setupInfo
            }
            // As an earlier Kinecast has kept it.
            try kept.keep(["url": "rtmp://kept/app/key"], of: "rtmp")
            #expect(try setupInfo() == ["url": "rtmp://kept/app/key"])
            let parts = ["server": "rtmp://typed/app", "key": "new"]
            #expect(try setupInfo(parts) == parts)
            #expect(throws: CommandFailure.self) { try setupInfo(["key": "new"]) }
            try kept.keep(["server": "rtmp://kept/app", "key": "key", "max-reconnects": "3"], of: "rtmp")
            #expect(try setupInfo(to: "rtmp://typed/app/key") == ["url": "rtmp://typed/app/key"])
            #expect(try setupInfo(["url": "rtmp://typed/app/key"]) == ["url": "rtmp://typed/app/key"])
            #expect(
                try setupInfo(["key": "new"])
                    == ["server": "rtmp://kept/app", "key": "new", "max-reconnects": "3"])
        }
    }

    @Test func `a check is reported in a sentence`() {
        var report = DestinationReport()
        report.server = "FMS/3,0,1,123"
        report.address = "192.0.2.1:443"
        report.tls = "TLS 1.3"
        report.certificate = "*.example.org"
        report.roundTrip = 12.34
        #expect(
            DestinationCheck.sentence("rtmp (h/app)", report)
                == "rtmp (h/app): the server FMS/3,0,1,123 at 192.0.2.1:443 accepts the stream; TLS 1.3, certificate for "
                + "*.example.org; round trip 12.3 ms.")
        #expect(
            DestinationCheck.sentence("rtmp (h/app)", DestinationReport(problem: "The server is away."))
                == "kinecast: rtmp (h/app): The server is away.")
        let live = TakeConfiguration.Destination(service: "live", label: "live")
        let installed = BuiltInServices.manifests.map {
            Service(manifest: $0, origin: .builtIn, bundle: nil, executable: "/nowhere")
        }
        let failure = #expect(throws: CommandFailure.self) { try DestinationCheck([live], services: installed) }
        #expect(
            failure?.message
                == "--check asks servers of YouTube, Twitch and RTMP, and live has none; leave it out.")
    }
}
