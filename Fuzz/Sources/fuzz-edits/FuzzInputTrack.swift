// Reads libFuzzer's bytes as a film's edits. No bytes crash it, and valid edits make a timeline and a curve.
import FoundationEssentials
import FuzzDriver
import KineMedia

@_cdecl("fuzz_edits_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

private func fuzz(_ input: [UInt8]) {
    guard let edits = try? JSONDecoder().decode(FilmEdits.self, from: Data(input)) else { return }
    do throws(FilmEdits.Problem) {
        try edits.validate()
    } catch {
        precondition(error.description.hasSuffix("."), "a sentence")
        return
    }
    let text = try? JSONEncoder().encode(edits)
    precondition(
        text.flatMap { try? JSONDecoder().decode(FilmEdits.self, from: $0) } == edits, "edits changed on their way back"
    )
    let timeline = FilmTimeline(edits, duration: .seconds(100))
    precondition(timeline.duration >= .zero && timeline.duration <= .seconds(400), "the film's length")
    let stage = FilmStage(of: PixelSize(width: 320, height: 180), edits)
    let pointer = [FilmPointer(time: 1, x: 10, y: 20), FilmPointer(time: 3, x: 300, y: 100)]
    let curve = ZoomCurve(edits.zooms, pointer: pointer, on: stage, rate: 30)
    for second in 0..<20 {
        let time = MediaTime.seconds(Double(second) * 7)
        precondition(timeline.source(at: time) <= .seconds(100), "a time of the recording")
        let part = curve.part(at: time.seconds)
        precondition(part.width > 0 && part.width <= stage.bounds.width * 1.000001, "a part of the picture")
    }
}
