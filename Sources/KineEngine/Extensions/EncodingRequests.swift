// What the extensions of a take together ask of its encoder. Everybody gets the same pictures, so the lowest wish counts; nobody
// gets more than the user chose.
import KineRelay

extension EncodingRequest {
    /// Below it hardly anything can be seen: bits a second.
    static let leastBitRate = 50_000

    /// The lowest of each that is asked for.
    static func lowest(of requests: some Sequence<EncodingRequest>) -> EncodingRequest {
        requests.reduce(into: .none) { lowest, request in
            lowest.averageBitRate = [lowest.averageBitRate, request.averageBitRate].compactMap(\.self).min()
            lowest.maximumFrameRate = [lowest.maximumFrameRate, request.maximumFrameRate].compactMap(\.self).min()
        }
    }

    /// What of it is less than was chosen. `averageBitRate`: nil where a quality was chosen, which has no rate.
    func within(averageBitRate chosen: Int?, framesPerSecond: Int) -> EncodingRequest {
        EncodingRequest(
            averageBitRate: averageBitRate.map { max($0, min(Self.leastBitRate, chosen ?? .max)) }
                .flatMap { $0 < chosen ?? .max ? $0 : nil },
            maximumFrameRate: maximumFrameRate.flatMap { $0 < Double(framesPerSecond) ? max(1, $0) : nil })
    }
}
