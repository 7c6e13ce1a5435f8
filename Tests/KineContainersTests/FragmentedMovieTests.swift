// Fragments for browsers, read by the oracle and by ffmpeg.
import CoreTesting
import KineMeasure
import KineMedia
import Testing

@testable import KineContainers

@Suite(.tags(.real)) struct FragmentedMovieTests {
    private func fragment(
        _ sample: EncodedSample, of movie: FragmentedMovie, number: UInt32 = 1, next: MediaTime? = nil
    ) -> [UInt8]? {
        movie.fragmentHeader(
            type: sample.type, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe,
            byteCount: sample.data.count, sequenceNumber: number, nextTime: next
        ).map { $0 + sample.data }
    }

    @Test func `each fragment stands for itself`() throws {
        let media = try RealMedia.shared.get()
        let movie = FragmentedMovie(video: media.video, audio: [media.audio])
        for (sample, track) in [(media.frame(30, at: .seconds(36_000)), 0), (media.audio(7), 1)] {
            let start = movie.initializationSegment
            let oracle = try OracleMovie(start + (try #require(fragment(sample, of: movie))))
            #expect(oracle.duration == 0 && oracle.tracks.allSatisfy { $0.edits.isEmpty })
            let read = try #require(oracle.tracks[track].samples.first)
            #expect(read.size == sample.data.count && read.isSync)
            #expect(read.start == (track == 0 ? 36_000 * 90_000 : 7 * 1024 - 1024))
            #expect(read.duration == (track == 0 ? 360_000 : 1024))
            let bytes = start + (fragment(sample, of: movie) ?? [])
            #expect(Array(bytes[read.offset..<read.offset + read.size]) == sample.data)
        }
        #expect(movie.codecs.hasSuffix(",mp4a.40.2") && movie.codecs.hasPrefix("avc1.64"))
    }

    @Test func `a frame ends where the next one begins, if that is known`() throws {
        let media = try RealMedia.shared.get()
        let movie = FragmentedMovie(video: media.video, audio: [media.audio])
        // 90000 is no multiple of 59: durations that are rounded by themselves would leave gaps, which the oracle refuses.
        let times = (0...59).map { MediaTime(ticks: Int64($0), timescale: 59) }
        var stream = movie.initializationSegment
        for number in 0..<59 {
            let frame = media.frame(number, at: times[number])
            stream += try #require(fragment(frame, of: movie, number: UInt32(number + 1), next: times[number + 1]))
        }
        let frames = try OracleMovie(stream).tracks[0].samples
        #expect(frames.count == 59 && frames.first?.start == 0 && frames.last?.end == 90_000)
    }

    @Test func `a frame has a duration whatever the next one's time is, and audio keeps its own`() throws {
        let media = try RealMedia.shared.get()
        let movie = FragmentedMovie(video: media.video, audio: [media.audio])
        func duration(_ sample: EncodedSample, _ track: Int, next: MediaTime) throws -> Int? {
            let bytes = movie.initializationSegment + (try #require(fragment(sample, of: movie, next: next)))
            return try OracleMovie(bytes).tracks[track].samples.first?.duration
        }
        #expect(try duration(media.frame(30, at: .seconds(3)), 0, next: .seconds(3)) == 1)
        #expect(try duration(media.frame(30, at: .seconds(3)), 0, next: .seconds(2)) == 1)
        #expect(try duration(media.frame(30, at: .seconds(3)), 0, next: .seconds(13)) == 900_000)
        #expect(try duration(media.audio(7), 1, next: .seconds(9)) == 1024)
    }

    @Test func `players take a stream from a keyframe on`() throws {
        let media = try RealMedia.shared.get()
        let directory = try TemporaryDirectory()
        let movie = FragmentedMovie(video: media.video, audio: [media.audio])
        var stream = movie.initializationSegment
        var audio = 0
        for number in 60..<120 {
            stream +=
                fragment(media.frame(number, at: MediaTime(ticks: Int64(number), timescale: 30)), of: movie) ?? []
            while (60 * 1600 + audio * 1024) < (number + 1) * 1600 {
                stream += fragment(media.audio(94 + audio), of: movie) ?? []
                audio += 1
            }
        }
        try write(stream, to: directory("live.mp4"))
        #expect(try probe(directory("live.mp4")).packets == [60, audio])
        try decode(directory("live.mp4"))
    }

    @Test func `what lies before the beginning is left out`() throws {
        let media = try RealMedia.shared.get()
        let movie = FragmentedMovie(video: media.video, audio: [media.audio])
        #expect(fragment(media.audio(0), of: movie) == nil)
        #expect(fragment(media.audio(1), of: movie) != nil)
        #expect(fragment(media.audio(1, type: .audioMic), of: movie) == nil)
    }
}
