// How often an extension may change the person's clipboard, by a clock of the test's own. There is no display here.
import KineServices
import KineWire
import Synchronization
import Testing

@testable import KineHost

@Suite struct ClipboardAllowanceTests {
    private let second: Int64 = 1_000_000_000

    /// The failures' codes, in order; nil: it was carried out.
    private func codes(
        _ services: DesktopServices, _ sender: LocalNotificationStateMachine.Sender, times: Int, at now: Int64
    ) -> [DesktopFailure.Code?] {
        var codes: [DesktopFailure.Code?] = []
        let client = DesktopServices.Client(sender: sender, service: "Service", groups: ["g"]) { answer in
            if case .failed(let failure, _) = answer { codes.append(failure.code) } else { codes.append(nil) }
        }
        for number in 0..<times {
            services.perform(
                .init(number: number, task: .setText(PasteboardText("a"), group: "g")), for: client, at: now)
        }
        return codes
    }

    @Test func `an extension may do it ten times at once and then once a second, and an app as often as it likes`() {
        let services = DesktopServices(app: nil, desktop: nil, pasteboard: EnginePasteboard { _ in nil }) { _ in }
        let first = LocalNotificationStateMachine.Sender.service(destination: 0)
        #expect(
            codes(services, first, times: 12, at: second) == Array(repeating: .unavailable, count: 10) + [
                .tooMany, .tooMany,
            ])
        #expect(codes(services, first, times: 2, at: 2 * second) == [.unavailable, .tooMany])
        #expect(codes(services, .service(destination: 1), times: 1, at: 2 * second) == [.unavailable])
        #expect(codes(services, .app, times: 20, at: 2 * second) == Array(repeating: .unavailable, count: 20))
    }
}
