// The input track of a clip: that of its time alone.
import KineMedia
import Testing

@testable import KineInput

@Suite struct RecentInputTests {
    private let size = PixelSize(width: 640, height: 360)
    private let image = PointerImage(
        size: PixelSize(width: 1, height: 1), hotspot: PixelPoint(x: 0, y: 0), pixels: [0xffff_ffff])

    private func lines(_ sample: InputRecorder.Sample) throws -> [InputLine] {
        try #require(InputLine.lines(of: sample.text))
    }

    @Test func `a clip has what was done in its time, and the state at its beginning`() throws {
        var input = RecentInput(size: size)
        input.note([TimedInput(.image(image), at: .zero)])
        for second in 0..<100 {
            let (place, time) = (PixelPoint(x: second, y: 7), MediaTime.seconds(Double(second) + 0.25))
            input.note([
                TimedInput(.pointer(place), at: time), TimedInput(.pressed(.left), at: time),
                TimedInput(.released(.left), at: time + .milliseconds(10)),
            ])
            input.keep(through: .seconds(Double(second + 1)), from: .seconds(Double(second + 1) - 60))
        }
        let samples = input.samples(in: .seconds(90.5)..<MediaTime.seconds(97.1))
        #expect(samples.map(\.start) == [.zero] + (1...7).map { .seconds(Double($0) - 0.5) })
        let first = try lines(samples[0])
        var state = InputState(size: size)
        (state.pointer, state.image) = (PixelPoint(x: 90, y: 7), "1")
        #expect(first.count == 2 && first[0] == .state(state) && first[1].definedImage?.name == "1")
        let presses = try samples.flatMap { sample in
            try lines(sample).compactMap { line -> Int? in
                if case .press(_, _, let place) = line { place.x } else { nil }
            }
        }
        #expect(presses == Array(91...96))
        #expect(try samples.dropFirst().allSatisfy { try lines($0).allSatisfy { $0.definedImage == nil } })
        // What is older than the buffer is gone.
        #expect(input.samples(in: .zero..<MediaTime.seconds(100)).count == 60)
    }

    @Test func `without anything done there is one sample at the beginning`() throws {
        var input = RecentInput(size: size)
        input.keep(through: .seconds(1), from: .zero)
        input.keep(through: .seconds(50), from: .seconds(20))
        let samples = input.samples(in: .seconds(30)..<MediaTime.seconds(40))
        #expect(samples.count == 1 && samples[0].start == .zero)
        #expect(try lines(samples[0]) == [.state(InputState(size: size))])
    }
}
