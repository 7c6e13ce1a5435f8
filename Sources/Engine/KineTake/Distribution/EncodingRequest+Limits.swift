// One request to the encoder from those of all feeds. All get the same frames, so the lowest counts; none gets more than the user
// chose.
import KineMedia

extension EncodingRequest {
    /// The lowest bitrate and the lowest frame rate of all requests.
    static func lowest(of requests: some Sequence<EncodingRequest>) -> EncodingRequest {
        requests.reduce(into: .none) { lowest, request in
            lowest.averageBitrate = [lowest.averageBitrate, request.averageBitrate].compactMap(\.self).min()
            lowest.maximumFrameRate = [lowest.maximumFrameRate, request.maximumFrameRate].compactMap(\.self).min()
        }
    }

    /// The parts of the request that ask for less than the user chose, raised to the floor. `averageBitrate`: the chosen bits a
    /// second; nil: a quality was chosen, which has no bitrate.
    func within(averageBitrate chosen: Int?, framesPerSecond: Int, floor: EncodingFloor) -> EncodingRequest {
        EncodingRequest(
            averageBitrate: averageBitrate.map { max($0, floor.bitrate) }
                .flatMap { $0 < chosen ?? .max ? $0 : nil },
            maximumFrameRate: maximumFrameRate.map { max($0, floor.framesPerSecond) }
                .flatMap { $0 < Double(framesPerSecond) ? $0 : nil })
    }
}
