// An extension that may start no thread for its handler.
import KinePlatform
import Testing
import ThreadTesting

@testable import KinecastExtension

@Suite struct HandlerThreadTests {
    @Test func `an extension without its handler's thread ends with one sentence and 69`() async throws {
        let ended = try await #require(processExitsWith: .exitCode(69), observing: [\.standardErrorContent]) {
            DedicatedThread(name: "denied") {
                guard deny_threads() == 0 else { return }
                _ = Task(executorPreference: HandlerExecutor()) {}
            }.join()
        }
        let said = String(decoding: ended.standardErrorContent, as: UTF8.self).split(separator: "\n")
        #expect(said.count == 1 && said.first?.contains("“handler”") == true, "\(said)")
    }
}
