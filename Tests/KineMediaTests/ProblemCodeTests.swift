// Codes of problems as they come from other programs.
import Testing

@testable import KineMedia

@Suite struct ProblemCodeTests {
    @Test func `there are few enough codes to be said in each language`() {
        #expect(ProblemCode.Name.allCases.count <= 40)
    }

    @Test func `values that are not there are left out`() {
        let code = ProblemCode(.connectFailed, ["host": "h", "reason": nil])
        #expect(code.name == "connectFailed" && code.values == ["host": "h"] && code.givenValues == code.values)
        #expect(ProblemCode(.cancelled).givenValues == nil)
    }

    @Test func `a foreign code is one that is known, is short, and its values are made safe`() {
        let code = ProblemCode(.connectFailed, ["host": "h", "port": "1"])
        #expect(code.cleaned { $0 + "!" }?.values == ["host": "h!", "port": "1!"])
        let five = Dictionary(uniqueKeysWithValues: (0..<5).map { ("v\($0)", "x") })
        for foreign in [
            ProblemCode(named: "somethingElse", [:]), ProblemCode(named: "connectFailed", five),
            ProblemCode(named: "connectFailed", [String(repeating: "k", count: 21): "x"]),
            ProblemCode(named: "connectFailed", ["a\u{1b}": "x"]),
        ] {
            #expect(foreign.cleaned { $0 } == nil, "\(foreign)")
        }
    }

    @Test func `a source that stands still has its reason as the code, unless that is of a later version`() {
        let gone = SourceInterruption(.monitorGone, monitor: "DP-1")
        #expect(gone.problem == ProblemCode(.monitorGone, ["monitor": "DP-1"]))
        for reason in [SourceInterruption.Reason.castLost, .castStopped, .regionGone] {
            #expect(SourceInterruption(reason).problem?.name == reason.rawValue)
        }
        #expect(SourceInterruption(.other).problem == nil)
    }
}
