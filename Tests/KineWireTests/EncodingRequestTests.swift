// The limits that an extension may ask of the encoder, and its reports on its connection.
import FoundationEssentials
import KineMedia
import Testing

@testable import KineWire

@Suite struct EncodingRequestTests {
    private func decoded(_ json: String) throws -> ExtensionReport? {
        var decoder = ControlDecoder()
        let body = Array(json.utf8)
        let length = withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) }
        decoder.append(try ControlEncoder.frame(ControlHello()) + length + body)
        return try decoder.next(ExtensionReport.self)
    }

    private static func statistics() -> ExtensionStatistics {
        var connection = ConnectionStatistics()
        connection.uptime = 12.5
        connection.reconnects = 2
        connection.bitrate = 1_900_000
        connection.queueMilliseconds = 340
        connection.roundTripMilliseconds = 0.25
        connection.framesDropped = 17
        var statistics = ExtensionStatistics()
        statistics.frames = 9
        statistics.connection = connection
        return statistics
    }

    @Test(arguments: [
        ExtensionReport.encoding(.none), .encoding(EncodingRequest(averageBitrate: 400_000, maximumFrameRate: 7.5)),
        .encoding(EncodingRequest(averageBitrate: 1)), .encoding(EncodingRequest(maximumFrameRate: 1000)),
        .statistics(statistics()), .statistics(ExtensionStatistics()),
    ])
    func `a report arrives as it was sent`(report: ExtensionReport) throws {
        var decoder = ControlDecoder()
        decoder.append(try ControlEncoder.frame(ControlHello()) + ControlEncoder.frame(report))
        #expect(try decoder.next(ExtensionReport.self) == report)
    }

    @Test(arguments: [
        #""averageBitrate":0"#, #""averageBitrate":-5"#, #""averageBitrate":1000000001"#, #""averageBitrate":1e30"#,
        #""averageBitrate":"1""#, #""maximumFrameRate":0"#, #""maximumFrameRate":-1"#, #""maximumFrameRate":1e9"#,
    ])
    func `a request that no encoder can carry out is skipped`(property: String) throws {
        #expect(try decoded(#"{"encoding":{"_0":{\#(property)}}}"#) == nil)
    }

    @Test(arguments: [
        #""uptime":-1"#, #""reconnects":-1"#, #""bitrate":-1"#, #""queueMilliseconds":9000000000000000000"#,
        #""roundTripMilliseconds":1e300"#, #""framesDropped":-3"#, #""uptime":[]"#,
    ])
    func `impossible statistics are skipped`(property: String) throws {
        let head = #""frames":0,"audioSamples":0,"bytes":0,"queuedBytes":0,"sentBytes":0"#
        let whole = #"{"statistics":{"_0":{\#(head),"connection":{"reconnects":1}}}}"#
        #expect(try decoded(whole) != nil)
        #expect(try decoded(#"{"statistics":{"_0":{\#(head),"connection":{\#(property)}}}}"#) == nil)
    }

    @Test func `statistics without a connection are understood`() throws {
        let report = try decoded(
            #"{"statistics":{"_0":{"frames":3,"audioSamples":0,"bytes":5,"queuedBytes":0,"sentBytes":0}}}"#)
        var expected = ExtensionStatistics()
        expected.frames = 3
        expected.bytes = 5
        #expect(report == .statistics(expected))
    }

    @Test func `requests and statistics are brought into bounds before they are sent`() {
        #expect(EncodingRequest(averageBitrate: -1, maximumFrameRate: .nan).bounded == .init(averageBitrate: 1))
        #expect(EncodingRequest(averageBitrate: .max, maximumFrameRate: 0).bounded.maximumFrameRate == 0.01)
        var connection = ConnectionStatistics()
        connection.uptime = .infinity
        connection.roundTripMilliseconds = .nan
        connection.bitrate = -7
        let bounded = connection.bounded
        #expect(bounded.uptime == 1e9 && bounded.roundTripMilliseconds == nil && bounded.bitrate == 0)
        #expect(bounded.bounded == bounded)
    }
}
