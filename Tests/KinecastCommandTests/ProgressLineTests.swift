// The line that is rewritten at the bottom of a terminal: what is in it, and that it never wraps.
import KineMedia
import KineWire
import Testing

@testable import KinecastCommand

@Suite struct ProgressLineTests {
    private var progress: TakeProgress {
        var progress = TakeProgress()
        progress.duration = .seconds(7)
        progress.framesDrawn = 130
        progress.bytes = 1_234_567
        progress.framesUnchanged = 12
        return progress
    }

    private func progress(_ destinations: [DestinationStatus]) -> TakeProgress {
        var progress = progress
        progress.destinations = destinations
        return progress
    }

    private var destinations: [DestinationStatus] {
        var page = DestinationStatus(destination: 0, service: "live", label: "live", phase: .live)
        page.residentMemory = 12 << 20
        page.statistics.viewers = 1
        var connecting = DestinationStatus(destination: 1, service: "rtmp", label: "rtmp (h/app)", phase: .starting)
        connecting.state = "connecting."
        var crashed = DestinationStatus(destination: 2, service: "c", label: "c", phase: .ended)
        crashed.ending = .crashed("signal 9")
        return [page, connecting, crashed]
    }

    @Test func `it tells the time, the file's size, and how each destination is`() {
        #expect(ProgressLine(progress: progress).text(columns: 80) == "● 0:07  1.2 MB")
        #expect(ProgressLine(progress: progress, isPaused: true).text(columns: 80) == "‖ 0:07  1.2 MB  paused")
        #expect(
            ProgressLine(progress: progress(destinations), hasFile: false).text(columns: 80)
                == "● 0:07  live: 1 viewer  rtmp (h/app): starting, connecting  c: crashed")
        let silent = DestinationStatus(destination: 0, service: "meter", label: "meter", phase: .live)
        #expect(
            ProgressLine(progress: progress([silent]), hasFile: false).text(columns: 80)
                == "● 0:07  meter: live")
    }

    @Test func `with verbose it tells frames, losses, bitrates and memory too`() {
        var before = progress
        before.duration = .seconds(6)
        before.framesDrawn = 100
        var line = ProgressLine(progress: progress, last: before, isVerbose: true)
        #expect(line.text(columns: 80) == "● 0:07  1.2 MB  30.0 fps  12 unchanged  0 dropped")
        line.isPaused = true
        #expect(line.text(columns: 80) == "‖ 0:07  1.2 MB  paused  12 unchanged  0 dropped")
        var connection = ConnectionStatistics()
        connection.bitrate = 812_400
        connection.queueMilliseconds = 240
        line = ProgressLine(progress: progress(destinations), last: before, isVerbose: true)
        line.progress.destinations[1].statistics.connection = connection
        #expect(
            line.text(columns: 200)
                == "● 0:07  1.2 MB  live: 1 viewer, 12 MB  rtmp (h/app): starting, connecting, 812 kbit/s, "
                + "240 ms to send  c: crashed  30.0 fps  12 unchanged  0 dropped")
    }

    @Test func `a pause shows the last progress again, and the next line counts its frames from it`() {
        var history = ProgressHistory(isVerbose: false)
        let early = history.pause()
        #expect(early == nil)
        history.resume()
        history.start(hasFile: true)
        let first = history.advance(to: progress)
        #expect(first.last == nil && first.text(columns: 80) == "● 0:07  1.2 MB")
        let paused = history.pause()
        #expect(paused?.text(columns: 80) == "‖ 0:07  1.2 MB  paused")
        history.resume()
        let next = history.advance(to: progress(destinations))
        #expect(next.last == progress && !next.isPaused)
    }

    @Test func `a narrow terminal gets services' ids instead of addresses, and then less of the end`() {
        let line = ProgressLine(progress: progress(Array(destinations.dropFirst())))
        #expect(line.text(columns: 62) == "● 0:07  1.2 MB  rtmp (h/app): starting, connecting  c: crashed")
        #expect(line.text(columns: 61) == "● 0:07  1.2 MB  rtmp: starting, connecting  c: crashed")
        #expect(line.text(columns: 20) == "● 0:07  1.2 MB  rtm…")
    }

    @Test func `it is never wider than the terminal, whatever a destination says`() {
        var line = ProgressLine(progress: progress(destinations), isVerbose: true)
        line.progress.destinations[1].state = "接続中 e\u{301} 👩‍👩‍👧 ❤️ \n\u{1b}[2J"
        for columns in 0...150 {
            let text = line.text(columns: columns)
            #expect(text.columns <= columns && text.allSatisfy { !$0.isNewline }, "\(text)")
        }
        #expect("接続中".columns == 6)
        #expect("e\u{301}…●‖".columns == 4)
        #expect("👩‍👩‍👧❤️".columns == 4)
        #expect("接続中".cut(to: 5) == "接続…")
        #expect("接続中".cut(to: 4) == "接…")
    }
}
