// The live stream where no page of ours plays it, and the page where nobody may listen in: ffmpeg, and TLS.
import Glibc
import KineMeasure
import Testing

@Suite(.serialized, .tags(.real, .programs, .margins)) struct LiveStreamTests {
    /// Has ffmpeg decode two seconds of a live address. Returns how many frames and pieces of audio it decoded, and whatever
    /// it said.
    private func decode(
        _ address: String, _ options: [String] = []
    ) throws -> (frames: Int, audioUnits: Int, complaints: [Substring]) {
        let command =
            // A server that says nothing is not waited for longer than this: microseconds.
            ["ffmpeg", "-v", "warning", "-nostdin", "-xerror", "-rw_timeout", "300000000"] + options
            + ["-i", address, "-map", "0", "-t", "2", "-enc_time_base:v", "1:90000", "-f", "framecrc", "-"]
        let lines = try Tool.output("sh", ["-c", "exec \"$@\" 2>&1", "sh"] + command).split(separator: "\n")
        // One line for each frame, which begins with its stream's number; those with # are the form's head.
        return (
            lines.count { $0.hasPrefix("0, ") }, lines.count { $0.hasPrefix("1, ") },
            lines.filter { line in !["0, ", "1, ", "#"].contains { line.hasPrefix($0) } }
        )
    }

    @Test func `ffmpeg plays the players' link without a word`() throws {
        try TestPlace.with { place in
            let take = try place.start("broadcast", "--pattern", "640x360", "--json", "--player-link")
            let link = try #require(try take.event("destination") { $0.kind == "playerLink" }.link)
            let heard = try decode(link)
            #expect(heard.complaints == [])
            // The pattern has 30 frames a second, and audio has 47 access units.
            #expect(heard.frames > 0 && heard.audioUnits >= 60, "\(heard)")
            Margin.atLeast(30, Double(heard.frames), "frames", "in two seconds at 30 a second")
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `over TLS the page plays, and ffmpeg trusts the certificate`() throws {
        try TestPlace.with { place in
            _ = try SelfSignedCertificate(
                name: "live", alternativeName: "IP:127.0.0.1", in: place.directory.string)
            // Named as a person would, relative to where they are.
            let take = try place.start(
                "broadcast", "--pattern", "640x360", "--json", "--tls-cert", "cert.pem", "--tls-key", "key.pem",
                "--player-link")
            let link = try #require(try take.event("destination") { $0.kind == "link" }.link)
            #expect(link.hasPrefix("https://127.0.0.1:"))
            let player = try #require(try take.event("destination") { $0.kind == "playerLink" }.link)
            let heard = try decode(player, ["-tls_verify", "1", "-ca_file", place.path("cert.pem")])
            #expect(heard.complaints == [])
            #expect(heard.frames > 0 && heard.audioUnits >= 60, "\(heard)")
            Margin.atLeast(30, Double(heard.frames), "frames", "in two seconds at 30 a second")

            let browser = try Browser(arguments: ["--ignore-certificate-errors"], environment: place.environment)
            defer { browser.end() }
            try browser.open(link)
            #expect(try browser.wait(until: "return document.body.dataset.phase === 'live'"))
            #expect(try browser.run("return document.body.dataset.way") == "webcodecs")
            #expect(
                try browser.wait(
                    until: """
                        const canvas = document.getElementById("canvas");
                        return canvas.getContext("2d").getImageData(137, 60, 1, 1).data[0] > 150;
                        """))
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }
}
