// One request to the encoder from those of all feeds. All get the same frames, so the lowest counts; none gets more than the user
// chose.
import KineRelay

extension EncodingRequest {
    /// The lowest of each that is asked for.
    static func lowest(of requests: some Sequence<EncodingRequest>) -> EncodingRequest {
        requests.reduce(into: .none) { lowest, request in
            lowest.averageBitrate = [lowest.averageBitrate, request.averageBitrate].compactMap(\.self).min()
            lowest.maximumFrameRate = [lowest.maximumFrameRate, request.maximumFrameRate].compactMap(\.self).min()
        }
    }

    /// What of it is less than was chosen, and not less than the floor. `averageBitrate`: nil where only a quality was chosen,
    /// which has no rate.
    func within(averageBitrate chosen: Int?, framesPerSecond: Int, floor: EncodingFloor) -> EncodingRequest {
        EncodingRequest(
            averageBitrate: averageBitrate.map { max($0, floor.bitrate) }
                .flatMap { $0 < chosen ?? .max ? $0 : nil },
            maximumFrameRate: maximumFrameRate.map { max($0, floor.framesPerSecond) }
                .flatMap { $0 < Double(framesPerSecond) ? $0 : nil })
    }
}
