// `kinecast broadcast` to a real RTMP server, nginx: what arrives there is what was recorded here.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct RTMPBroadcastTests {
    /// A packet of a finished file, as ffprobe reads it.
    private struct Packet {
        var isVideo: Bool
        /// Seconds.
        var time: Double
        var isKeyframe: Bool
        /// Of its bytes.
        var hash: String
    }

    private func packets(_ path: String) throws -> [Packet] {
        let text = try Tool.output(
            "ffprobe",
            [
                "-v", "error", "-show_packets", "-show_data_hash", "md5", "-show_entries",
                "packet=codec_type,pts_time,flags,data_hash", "-of", "default=nw=1", path,
            ])
        var packets: [Packet] = []
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let pair = line.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { continue }
            values[pair[0]] = pair[1]
            // The last of a packet's lines.
            guard pair[0] == "data_hash", let time = values["pts_time"].flatMap(Double.init) else { continue }
            packets.append(
                Packet(
                    isVideo: values["codec_type"] == "video", time: time,
                    isKeyframe: values["flags"]?.hasPrefix("K") == true, hash: pair[1]))
        }
        return packets
    }

    /// The times of what arrived less the recording's, from the one with which it begins. Everything that was recorded from
    /// there on has to be there, but for `forgiven` at the end.
    private func offsets(of arrived: [Packet], from recorded: [Packet], forgiven: Int) throws -> [Double] {
        let first = try #require(arrived.first)
        let start = try #require(
            recorded.indices.first { index in
                recorded[index].hash == first.hash
                    && zip(recorded[index...], arrived).allSatisfy { $0.hash == $1.hash }
            }, "what arrived is not what was recorded")
        let rest = recorded[start...]
        #expect(rest.count >= arrived.count && rest.count - arrived.count <= forgiven, "\(rest.count) \(arrived.count)")
        return zip(arrived, rest).map { $0.time - $1.time }
    }

    private func range(_ offsets: [Double]) -> ClosedRange<Double> {
        (offsets.min() ?? 0)...max(offsets.min() ?? 0, offsets.max() ?? 0)
    }

    private func width(_ offsets: [Double]) -> Double { range(offsets).upperBound - range(offsets).lowerBound }

    @Test func `every frame and access unit of audio arrives at the server, at the time that the recording has`() throws
    {
        let server = try MediaServer()
        try TestPlace.with { place in
            let take = try place.start(
                "broadcast", "--pattern", "640x360", "--fps", "25", "--to", server.address("show"), "--record", "a.mp4",
                "--json")
            try take.event("progress") { progress in
                progress.destinations?.first.map { $0.phase == "live" && ($0.frames ?? 0) >= 100 } == true
            }
            try #require(try place.run("stop").status == 0)
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.events.last?.destinations?.first?.ending == "finished")
            // nginx has written everything once it has seen the end of the connection.
            var log = ""
            try wait("the server to see the end") {
                let all = server.log
                log = all.firstRange(of: "publish: name='show'").map { String(all[$0.upperBound...]) } ?? ""
                return log.contains("disconnect")
            }
            let goodbye = try #require(log.firstRange(of: "deleteStream"), "no goodbye: \(log)")
            #expect(log[goodbye.upperBound...].contains("disconnect"))
            // A recording has no access unit delimiters, and a server gets one with each frame.
            let arrivedFile = place.path("arrived.flv")
            _ = try Tool.output(
                "ffmpeg",
                [
                    "-v", "error", "-i", server.file("show"), "-map", "0", "-c", "copy", "-copyts", "-bsf:v",
                    "filter_units=remove_types=9", arrivedFile,
                ])
            let (recorded, arrived) = (try packets(place.path("a.mp4")), try packets(arrivedFile))
            let frames = arrived.filter(\.isVideo)
            #expect(frames.first?.isKeyframe == true && frames.count >= 90)
            let video = try offsets(of: frames, from: recorded.filter(\.isVideo), forgiven: 0)
            // The audio encoder's last words are a moment behind the last frame: the file has them.
            let audio = try offsets(
                of: arrived.filter { !$0.isVideo }, from: recorded.filter { !$0.isVideo }, forgiven: 4)
            // nginx counts from the first sample that it got, and FLV in milliseconds: all are off by the same, within those.
            let found = "video \(range(video)), audio \(range(audio))"
            #expect(width(video) <= 0.003, "\(found)")
            #expect(width(video + audio) <= 0.02, "video and audio have moved apart: \(found)")
            print("Offsets of what arrived from the recording, in seconds: \(found)")
        }
    }

    @Test func `a screen of noise at 1080p is no more than nginx takes, and the connection holds`() throws {
        let server = try MediaServer()
        try TestPlace.with { place in
            let take = try place.start(
                "broadcast", "--virtual", "1920x1080", "--audio", "none", "--to", server.address("noise"), "--json",
                "--", VirtualScreenTests.scene, "noise", "--seconds", "600")
            let started = try take.event("started")
            #expect(started.maximumBitrate == 6_000_000)
            try take.event("progress") { ($0.destinations?.first?.frames ?? 0) >= 90 }
            try #require(try place.run("stop").status == 0)
            let summary = try #require(try take.wait().events.last)
            #expect(summary.exitStatus == 0)
            let destination = try #require(summary.destinations?.first)
            #expect(destination.ending == "finished" && destination.reconnects == 0, "\(destination)")
            #expect(destination.framesSkipped == 0)
            #expect(!server.log.contains("too big"))
            let frames = try server.recorded("noise").filter { $0.type == 9 }
            #expect(frames.count >= 80)
            #expect(try #require(frames.map(\.payload.count).max()) < 1 << 20)
        }
    }

    @Test func `a check says what the server is, and leaves no stream there`() throws {
        let server = try MediaServer()
        try TestPlace.with { place in
            let port = try Loopback.freePort()
            let ended = try place.run(
                "broadcast", "--check", "--json", "--to", server.address("hush-key"), "--to",
                "rtmp://127.0.0.1:\(port)/live/hush-key")
            #expect(ended.status == 75, "\(ended)")
            let checks = ended.events.filter { $0.event == "check" }
            #expect(checks.map(\.label) == [server.port, port].map { "RTMP (127.0.0.1:\($0)/live)" })
            #expect(ended.errors.contains(" accepts the stream; round trip "))
            #expect(ended.errors.contains("Connection refused"))
            #expect(!(ended.output + ended.errors).contains("hush"))
            // Both answers, and what is said of a key that was typed.
            #expect(ended.events.map(\.event).sorted() == ["check", "check", "warning"])
            #expect(try place.run("broadcast", "--check", "--to", server.address("hush-key")).status == 0)
            // There is no frame to write down.
            #expect(try server.recorded("hush-key").isEmpty)
        }
    }

    @Test func `a platform is checked and gets the stream by its name and key, here at a server of the test's own`()
        throws
    {
        let server = try MediaServer()
        try TestPlace.with { place in
            try place.write("hush-key\n", to: "key")
            let platform = [
                "--service", "youtube", "--set", "youtube.key=@key", "--set",
                "youtube.server=rtmp://127.0.0.1:\(server.port)/live",
            ]
            let checked = try place.run(["broadcast", "--check"] + platform)
            #expect(checked.status == 0 && checked.errors.contains("YouTube: the server "), "\(checked)")
            let take = try place.start(["broadcast", "--pattern", "320x240", "--json"] + platform)
            try take.event("progress") { progress in
                progress.destinations?.first.map { $0.phase == "live" && ($0.frames ?? 0) >= 10 } == true
            }
            let status = try place.run("status", "--json").output
            #expect(status.contains(#""label":"YouTube""#) && status.contains(#""service":"youtube""#), "\(status)")
            try #require(try place.run("stop").status == 0)
            let ended = try take.wait()
            #expect(ended.status == 0 && ended.events.last?.destinations?.first?.ending == "finished", "\(ended)")
            #expect(!(checked.errors + status + ended.output + ended.errors).contains("hush"))
            try wait("the frames") { try server.recorded("hush-key").contains { $0.type == 9 } }
        }
    }

    @Test func `a test trusts the authority that it is given`() throws {
        try TestPlace.with { place in
            _ = try SelfSignedCertificate(
                name: "server", alternativeName: "IP:127.0.0.1", in: place.directory.string)
            let port = try Loopback.freePort()
            // It speaks TLS and sends zeros: a client that complains of the protocol has accepted the certificate.
            let server = try RunningKinecast(
                arguments: [
                    "-c", "exec openssl s_server -accept 127.0.0.1:\(port) -cert cert.pem -key key.pem </dev/zero >&2",
                ], environment: ProcessEnvironment.current, directory: place.directory, executable: "/bin/sh")
            try server.words("ACCEPT")
            let address = "rtmps://127.0.0.1:\(port)/live/key"
            let stranger = try place.run("broadcast", "--check", "--to", address)
            #expect(stranger.status == 75 && stranger.errors.contains("is not trusted"), "\(stranger)")
            let known = try place.run("broadcast", "--check", "--ca-file", "cert.pem", "--to", address)
            #expect(known.status == 75 && known.errors.contains(" of RTMP, not 3;"), "\(known)")
        }
    }
}
