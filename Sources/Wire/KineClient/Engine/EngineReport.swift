// Engines that are started for one question and print the answer as JSON: `--list-sources`, `--doctor`.
import KineMedia
import KinePlatform
import KineWire

public enum EngineReport {
    /// The most time for an answer, in nanoseconds: an audio or display server may hang.
    private static let patience: Int64 = 20_000_000_000

    /// The sources that this machine can record.
    public static func sources(_ locator: EngineLocator = EngineLocator()) async throws(ClientError) -> SourceList {
        try await BlockingCall.run("kine-report") { () throws(ClientError) in try ask("--list-sources", locator) }
    }

    /// The checks of this machine, with a remedy for each that failed.
    public static func doctor(_ locator: EngineLocator = EngineLocator()) async throws(ClientError) -> [DoctorCheck] {
        try await BlockingCall.run("kine-report") { () throws(ClientError) in try ask("--doctor", locator) }
    }

    private static func ask<Answer: Decodable>(_ option: String, _ locator: EngineLocator) throws(ClientError) -> Answer
    {
        try EngineQuestion(option: option, patience: patience).ask(locator)
    }
}
