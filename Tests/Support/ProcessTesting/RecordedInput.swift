// The input track of a recording's file, for tests.
import KineContainers
import KineInput
import KineMedia
import Testing

package struct RecordedInput {
    /// One for each sample: where it begins in the recording, and its lines.
    package var samples: [(start: MediaTime, lines: [InputLine])] = []
    /// The bytes of all samples.
    package var text: [UInt8] = []

    /// Nil: the finished recording at `path` has no such track.
    package init?(_ path: String) throws {
        let file = try DiskFile.openToRead(path)
        let index = try RecordingIndex(reading: file)
        guard index.inputCount > 0 else { return nil }
        for sample in 0..<index.inputCount {
            let bytes = try index.inputText(sample, in: file)
            text += bytes
            samples.append((index.inputTime(sample), try #require(InputLine.lines(of: bytes))))
        }
    }

    package var lines: [InputLine] { samples.flatMap(\.lines) }

    /// Places of presses, in order.
    package var presses: [PixelPoint] {
        lines.compactMap { if case .press(_, _, let place) = $0 { place } else { nil } }
    }

    /// Spans of typing in half seconds of the recording; spans that touch are one.
    package var typing: [Range<Int>] {
        samples.flatMap { sample in
            let start = Int(sample.start.nanoseconds / 1_000_000)
            return sample.lines.compactMap { line -> Range<Int>? in
                guard case .typing(let span) = line else { return nil }
                return (start + span.lowerBound + 100) / 500..<(start + span.upperBound + 100) / 500
            }
        }.reduce(into: []) { spans, span in
            if let last = spans.last, last.upperBound >= span.lowerBound {
                spans[spans.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
            } else {
                spans.append(span)
            }
        }
    }

    /// All places that the pointer had.
    package var places: [PixelPoint] {
        lines.flatMap { line -> [PixelPoint] in
            switch line {
            case .state(let state): return state.pointer.map { [$0] } ?? []
            case .way(_, let from, let steps):
                var place = from
                return [from]
                    + steps.map { step in
                        place = place.offset(x: step.x, y: step.y)
                        return place
                    }
            case .press(_, _, let place), .release(_, _, let place): return [place]
            default: return []
            }
        }
    }
}
