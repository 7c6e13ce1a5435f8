// Failures for tests that only care about their kind.
import KineRTMP

extension PublishFailure {
    /// Of some server, which no sentence has to name.
    init(_ code: Code, kind: Kind? = nil) throws {
        self.init(code, try RTMPURL("rtmp://h/app/key"), kind: kind)
    }
}
