// Recordings leave the app: into directories, to other programs and to a real server.
import CoreTesting
import FoundationEssentials
import Glibc
import KineClient
import KineMeasure
import KineMedia
import KinePlatform
import Synchronization
import Testing

@testable import Kinecast

@Suite(.tags(.real)) struct ShareTests {
    private let folder: TemporaryDirectory
    private let preview: RecordingPreview
    private let bytes: [UInt8]

    init() throws {
        folder = try TemporaryDirectory()
        bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        preview = RecordingPreview(
            .unsaved(URL(filePath: try folder.write(bytes, to: "a.mp4"))), duration: .seconds(1),
            size: PixelSize(width: 2, height: 2),
            store: RecordingStore(directory: URL(filePath: folder.file("recordings"))))
    }

    private func isWhole(_ path: String) -> Bool { FileManager.default.contents(atPath: path) == Data(bytes) }

    /// An activity of an app's own.
    private struct OwnActivity: ShareActivity {
        let type = ShareActivityType(rawValue: "org.example.own")
        let title = "Own"
        var error: (any Error)?

        func perform(
            with recording: SharedRecording, progress: @escaping @Sendable (ShareProgress) -> Void
        ) async throws -> URL? {
            if let error { throw error }
            progress(ShareProgress(completedBytes: 1, totalBytes: recording.byteCount))
            return nil
        }
    }

    @Test func `copies have a name that says when, replace nothing, and leave the recording`() async throws {
        let target = URL(filePath: folder.file("copies"))
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        var names: Set<String> = []
        for _ in 0..<2 {
            let result = try await preview.share(via: .copy(to: target))
            guard case .completed(.copy, let url?) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(isWhole(url.path))
            #expect(url.lastPathComponent.hasPrefix("Recording 20"))
            names.insert(url.lastPathComponent)
        }
        #expect(names.count == 2)
        var videos = SaveToVideosActivity()
        videos.directory = target
        #expect(try await preview.share(via: videos) != .cancelled(.saveToVideos))
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).count == 3)
        #expect(preview.completedActivities == [.copy, .saveToVideos])
        #expect(isWhole(preview.url?.path ?? ""))
    }

    @Test func `a directory that cannot be written is an error, and nothing was done`() async throws {
        for place in [folder.file("nowhere"), "/proc"] {
            let error = await #expect(throws: RecordingError.self) {
                try await preview.share(via: .copy(to: URL(filePath: place)))
            }
            #expect(error?.code == .failedToSave)
            #expect(error?.message.contains(place) == true)
        }
        #expect(preview.completedActivities.isEmpty)
    }

    @Test func `an app's own activity is carried out and reported, and so are its cancel and its failure`() async throws
    {
        struct Fault: Error {}
        let type = ShareActivityType(rawValue: "org.example.own")
        let seen = Mutex<[ShareProgress]>([])
        let result = try await preview.share(via: OwnActivity()) { progress in seen.withLock { $0.append(progress) } }
        #expect(result == .completed(type, url: nil))
        #expect(seen.withLock { $0 } == [ShareProgress(completedBytes: 1, totalBytes: 3_000_000)])
        #expect(try await preview.share(via: OwnActivity(error: CancellationError())) == .cancelled(type))
        let error = await #expect(throws: RecordingError.self) {
            try await preview.share(via: OwnActivity(error: Fault()))
        }
        #expect(error?.code == .failedToShare && error?.message.contains("“Own” failed") == true)
    }

    @Test func `a program gets the recording's path, and one that fails is told with its words`() async throws {
        let program = try script("echo \"$@\" >\"$0.seen\"", "player")
        #expect(try await preview.share(via: .open(with: program)) == .completed(.open, url: nil))
        #expect(
            try String(contentsOf: URL(filePath: program + ".seen"), encoding: .utf8) == folder.file("a.mp4") + "\n")
        var failing = OpenActivity(with: try script("echo no such codec >&2; exit 3", "broken"))
        failing.timeout = WaitLimit.nanoseconds
        let error = await #expect(throws: RecordingError.self) { try await preview.share(via: failing) }
        #expect(error?.code == .failedToShare)
        #expect(error?.message.contains("exit status 3: no such codec") == true)
        let missing = await #expect(throws: RecordingError.self) {
            try await preview.share(via: .open(with: "kinecast-no-such-program"))
        }
        #expect(missing?.code == .unavailable && missing?.message.contains("kinecast-no-such-program") == true)
    }

    @Test func `a program that runs on has opened the recording`() async throws {
        let program = try script("echo $$ >\"$0.part\"; mv \"$0.part\" \"$0.pid\"; exec sleep 1000", "window")
        var open = OpenActivity(with: program)
        open.timeout = 0
        #expect(try await preview.share(via: open) == .completed(.open, url: nil))
        try await wait(for: "the program") { FileManager.default.fileExists(atPath: program + ".pid") }
        let text = try String(contentsOf: URL(filePath: program + ".pid"), encoding: .utf8)
        kill(try #require(pid_t(text.filter(\.isNumber))), SIGKILL)
    }

    @Test func `an address that could be an option is refused`() async throws {
        let error = await #expect(throws: RecordingError.self) {
            try await preview.share(via: .email(to: ["--attach=/etc/passwd"]))
        }
        #expect(error?.code == .failedToShare)
    }

    private func script(_ text: String, _ name: String) throws -> String {
        try folder.write("#!/bin/sh\n\(text)\n".utf8, to: name, permissions: .ownerReadWriteExecute)
    }

    // MARK: Uploads

    private func address(_ server: UploadServer, _ path: String, scheme: String = "http") throws -> URL {
        try #require(URL(string: "\(scheme)://127.0.0.1:\(server.port)/\(path)"))
    }

    @Test func `a recording is uploaded with its headers, and progress grows to the end`() async throws {
        let server = try UploadServer()
        let seen = Mutex<[ShareProgress]>([])
        let url = try address(server, "closed/b.mp4?token=top%20secret")
        let result = try await preview.share(via: .upload(to: url, headers: ["Authorization": "Bearer secret"])) {
            progress in
            seen.withLock { $0.append(progress) }
        }
        #expect(result == .completed(.upload, url: url))
        #expect(isWhole(server.file("closed/b.mp4")))
        let progress = seen.withLock { $0 }
        #expect(progress.first?.completedBytes == 0 && progress.last?.fraction == 1)
        #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.completedBytes <= $1.completedBytes })
        #expect(progress.allSatisfy { $0.totalBytes == 3_000_000 })
    }

    @Test func `a server's refusal is told without what is secret in the address`() async throws {
        let server = try UploadServer()
        let url = try address(server, "closed/b.mp4?token=topsecret")
        let error = await #expect(throws: RecordingError.self) { try await preview.share(via: .upload(to: url)) }
        #expect(error?.code == .failedToShare)
        #expect(error?.message.contains("HTTP status 403") == true && error?.message.contains("topsecret") == false)
        #expect(preview.completedActivities.isEmpty)
    }

    @Test func `a certificate that nobody vouches for is refused, and a trusted one is not`() async throws {
        let certificate = try SelfSignedCertificate(name: "127.0.0.1", alternativeName: "IP:127.0.0.1")
        let server = try UploadServer(certificate: certificate)
        var upload = UploadActivity(to: try address(server, "open/b.mp4", scheme: "https"))
        let error = await #expect(throws: RecordingError.self) { try await preview.share(via: upload) }
        #expect(error?.message.contains("certificate is not trusted") == true)
        upload.certificates = certificate.path
        #expect(try await preview.share(via: upload) != .cancelled(.upload))
        #expect(isWhole(server.file("open/b.mp4")))
    }

    @Test func `nothing is sent unencrypted over a network, and nothing with a forged header`() async throws {
        let plain = try #require(URL(string: "http://example.invalid/b.mp4"))
        let local = try #require(URL(string: "http://127.0.0.1:9/b.mp4"))
        let file = try #require(URL(string: "ftp://127.0.0.1/b.mp4"))
        for upload in [
            UploadActivity(to: plain), UploadActivity(to: file), UploadActivity(to: local, headers: ["A": "b\r\nC: d"]),
            UploadActivity(to: local),
        ] {
            let error = await #expect(throws: RecordingError.self) { try await preview.share(via: upload) }
            #expect(error?.code == .failedToShare)
        }
    }

    @Test func `an upload that is cancelled is reported as that`() async throws {
        // It takes the connection, and then nothing.
        let (listener, port) = try Loopback.bind(listening: true)
        defer { close(listener) }
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/b.mp4"))
        let task = Task { [preview] in try await preview.share(via: .upload(to: url)) }
        try await wait(for: "a client") { WakeSignal.poll([listener], until: MonotonicClock.now())[0] }
        task.cancel()
        #expect(try await task.value == .cancelled(.upload))
    }

    @Test func `curl's configuration keeps every character of a value`() {
        let text = CurlUpload.text([("url", "a\"b\\c\nd"), ("globoff", nil)])
        #expect(text == "url = \"a\\\"b\\\\c\\nd\"\ngloboff\n")
    }
}
