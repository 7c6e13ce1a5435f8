// What happens on the person's desktop while a take runs.
import KineDesktop

extension EngineHost {
    func received(_ event: Desktop.Event, at now: Int64) {
        switch event {
        case .action(key: IndicatorContents.stop.key): handle(.stopRequested(.stoppedAtDesktop, at: now))
        case .action: break
        }
    }
}
