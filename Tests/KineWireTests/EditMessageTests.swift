// Requests about finished recordings, and their answers, as every version writes them: app and engine may be of different builds.
import FoundationEssentials
import KineMedia
import Testing

@testable import KineWire

@Suite struct EditMessageTests {
    private static let requests: [EditRequest] = [
        .trim(TrimRequest(input: "/a.mp4", output: "/b.mp4", start: nil, end: nil)),
        .trim(
            TrimRequest(
                input: "/ü.mp4", output: "/b.mp4", start: .milliseconds(1500), end: .seconds(4), overwrite: true)),
        .images(ImagesRequest(input: "/a.mp4", times: [.zero, .seconds(2)], maximumSize: nil, format: "png")),
        .images(
            ImagesRequest(
                input: "/a.mp4", times: [], maximumSize: PixelSize(width: 320, height: 180), format: "jpeg")),
        .chapters("/a.mp4"),
        .frames(FramesRequest(input: "/a.mp4", time: .milliseconds(500), offset: -1)),
        .contents(["/a.mp4", "/ü.mp4"]),
        .images(
            ImagesRequest(
                input: "/a.mp4", times: [.zero], maximumSize: nil, format: "jpeg", mostDecoded: 1500)),
    ]

    private static let answers: [EditAnswer] = [
        .trimmed(
            TrimmedRecording(
                path: "/b.mp4", bytes: 1_234_567, duration: .milliseconds(2500),
                size: PixelSize(width: 641, height: 480),
                frames: 75, framesEncoded: 12)),
        .images([
            RecordedImage(
                time: .milliseconds(33), size: PixelSize(width: 2, height: 1), data: Data([0x89, 0x50, 0xff]))
        ]),
        .failed(EditFailure(code: .notARecording, message: "/a.mp4 is not a recording of Kinecast's.")),
        .chapters([Chapter(start: .zero, title: "Start"), Chapter(start: .seconds(2), title: "ü")]),
        .frames(
            RecordedFrames(
                duration: .seconds(2), size: PixelSize(width: 2, height: 1), count: 9, found: 4, first: 3,
                starts: [.milliseconds(400), .milliseconds(500)])),
        .contents([
            .summary(
                .finished(.init(duration: .seconds(2), size: PixelSize(width: 2, height: 1), hasAudio: true))),
            .summary(.unfinished), .summary(.empty), .summary(.foreign), .unreadable("/a.mp4 cannot be opened."),
        ]),
        .contents([
            .summary(
                .finished(
                    .init(
                        duration: .seconds(2), size: PixelSize(width: 2, height: 1), hasAudio: false,
                        chapters: [Chapter(start: .zero, title: "Start"), Chapter(start: .seconds(1), title: "ü")])))
        ]),
    ]

    private func lines(_ bytes: [UInt8]) -> [Data] {
        bytes.split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }

    @Test func `requests of earlier versions are understood`() throws {
        let recorded = try lines(PackageResources.edit_requests_jsonl).map {
            try JSONDecoder().decode(EditRequest.self, from: $0)
        }
        #expect(recorded == Self.requests)
    }

    @Test func `answers of earlier versions are understood`() throws {
        let recorded = try lines(PackageResources.edit_answers_jsonl).map {
            try JSONDecoder().decode(EditAnswer.self, from: $0)
        }
        #expect(recorded == Self.answers)
    }

    @Test func `what is written now is what was recorded`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(try Self.requests.map(encoder.encode) == lines(PackageResources.edit_requests_jsonl))
        #expect(try Self.answers.map(encoder.encode) == lines(PackageResources.edit_answers_jsonl))
    }

    @Test func `keys of a later version are skipped, and its failures are understood`() throws {
        let later = #"{"failed":{"_0":{"code":"tooDark","message":"It is too dark.","lux":3}}}"#
        let answer = try JSONDecoder().decode(EditAnswer.self, from: Data(later.utf8))
        guard case .failed(let failure) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(failure.message == "It is too dark." && EditFailure.Code(rawValue: failure.code) == nil)
    }
}
