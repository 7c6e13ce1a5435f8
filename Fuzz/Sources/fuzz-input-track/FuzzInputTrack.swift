// Gives libFuzzer's bytes to the reader of a recording's input. Whatever they are: no crash, and what was read can be written and
// then reads back as the same.
import FuzzDriver
import KineInput
import KineMedia

@_cdecl("fuzz_input_track_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

private func fuzz(_ input: [UInt8]) {
    guard let lines = InputLine.lines(of: input) else { return }
    precondition(InputLine.lines(of: InputLine.text(of: lines)) == lines, "a line changed on its way back")
    var history = InputHistory(size: PixelSize(width: 320, height: 180))
    history.append(lines, from: .zero)
    var edits = FilmEdits()
    edits.zooms = AutomaticZooms.make(of: history, duration: 100)
    let tightening = Tightening(history, duration: 100, peaks: [0, 90, 0])
    (edits.cuts, edits.speeds) = (tightening.cuts, tightening.speeds)
    do { try edits.validate() } catch { preconditionFailure("\(error)") }
    for part in [MediaTime.zero..<MediaTime.milliseconds(100), MediaTime.milliseconds(50)..<MediaTime.seconds(9)] {
        precondition(!InputLine.cut(input, from: .zero, to: part).isEmpty, "a part without a state")
    }
}
