// Destinations that clients add to a take that runs, and take from it.
import KineControl
import KinePlatform

extension EngineHost {
    /// The take was begun for its destinations alone, or has nothing else to do any more, and is over with the last of them.
    var isForDestinationsOnly: Bool {
        guard let configuration = request?.configuration else { return false }
        if hasRecordingFailed { return configuration.clipBuffer == nil && configuration.expectedSamples.isEmpty }
        return !configuration.keepsSamples && configuration.expectedSamples.isEmpty
            && !configuration.destinations.isEmpty
    }

    /// Checks a further destination, as the start of a take does, and has its extension started.
    func addDestination(
        _ destination: TakeConfiguration.Destination, reference: Int, for client: EngineConnection, at now: Int64
    ) {
        do throws(TakeError) {
            let destinations = try runningDestinations()
            guard request?.configuration.video.colour == .standard else { throw .configuration(.colourOfRecordings) }
            let confinement = request?.configuration.confinement ?? ConfinementRequest()
            for checked in try Destinations.check([destination], confinement: confinement, in: TakeRequest.catalog) {
                let number = try destinations.add(
                    checked, for: clients.program(of: client), isPaused: machine.phase == .paused, at: now)
                // Its events come after the answer: its extension starts with the loop's next turn.
                client.tell(.destinationAdded(number, reference: reference))
            }
        } catch {
            refuse(error.message, .addDestination(destination, reference: reference), to: client)
        }
    }

    func removeDestination(_ number: Int, for client: EngineConnection, at now: Int64) {
        do throws(TakeError) {
            try runningDestinations().remove(number, mayBeLast: !isForDestinationsOnly, at: now)
        } catch {
            refuse(error.message, .removeDestination(number), to: client)
        }
    }

    private func runningDestinations() throws(TakeError) -> Destinations {
        switch machine.phase {
        case .recording, .paused: if let destinations { return destinations }
        case .finishing, .ended: throw .over(reason: nil)
        case .starting, .unknown: break
        }
        throw .notBegun
    }
}
