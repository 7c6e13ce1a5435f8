// The start of a recording in each order in which its program, its engine and the page can act.
import KineMedia
import KinePlatform
import Testing

@testable import KineStudio

@Suite struct RecordingStartTests {
    private func start(_ lines: String...) -> RecordingStart {
        var start = RecordingStart(1)
        for line in lines { start.read(line) }
        return start
    }

    private static let opening = #"{"event":"opening","time":1.5,"id":"abc"}"#
    private static let failure = ChildProcess.Ending.exited(status: 69)

    @Test func `it has begun when its own take is followed, whichever comes first`() {
        #expect(start().ending(["xyz"], exit: nil) == nil, "a take of a terminal")
        #expect(start(Self.opening).ending(["xyz"], exit: nil) == nil)
        #expect(start(Self.opening).ending(["xyz", "abc"], exit: nil) == .begun)
        // Where the first line was lost.
        #expect(start(#"{"event":"started","id":"abc","width":4}"#).ending(["abc"], exit: nil) == .begun)
        #expect(start(#"{"event":"clip","id":"abc"}"#, "{", "").ending(["abc"], exit: nil) == nil)
    }

    @Test func `it fails alone where its engine has not answered, also while another take begins`() {
        #expect(start().ending([], exit: Self.failure) == .failed)
        #expect(start().ending(["xyz"], exit: Self.failure) == .failed)
        #expect(start(Self.opening).ending(["xyz"], exit: Self.failure) == .failed)
        #expect(start(Self.opening).ending([], exit: .killed(signal: 9)) == .failed)
        // The engine says why.
        #expect(start(Self.opening).ending(["abc"], exit: Self.failure) == .begun)
    }

    @Test func `the code of why it failed is the program's`() {
        let error = #"{"event":"error","message":"No.","code":"cancelled","values":{"file":"/a"}}"#
        #expect(start(Self.opening, error).code == ProblemCode(.cancelled, ["file": "/a"]))
        #expect(start(#"{"event":"error","message":"No."}"#).code == nil && start(Self.opening).code == nil)
    }

    @Test func `a toggle that has ended an earlier take or a countdown is no failure`() {
        #expect(start().ending([], exit: .exited(status: 0)) == .nothing)
        #expect(
            start(#"{"event":"summary","result":"finished"}"#).ending(["old"], exit: .exited(status: 0)) == .nothing)
    }

    @Test func `cancelling ends the program until there is a take, and is no failure`() {
        var waiting = start(#"{"event":"countdown","seconds":3}"#)
        let endsProgram = waiting.cancel()
        #expect(endsProgram)
        #expect(waiting.ending([], exit: nil) == nil, "the program has not ended")
        #expect(waiting.ending([], exit: Self.failure) == .nothing)
        #expect(waiting.ending(["xyz"], exit: .killed(signal: 15)) == .nothing)
        var late = start(Self.opening)
        let endsTake = late.cancel()
        #expect(!endsTake && late.ending(["abc"], exit: nil) == .begun)
    }
}
