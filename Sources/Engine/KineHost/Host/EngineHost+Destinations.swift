// Destinations that clients add to a running take, or remove from it.
import KineMedia
import KineWire

/// The requests that are answered by a later event of a destination.
struct DestinationRequests {
    /// Answered with the first new link.
    var renewals: [Asker] = []
    /// Answered with the destination's end, by its number.
    var removals: [Int: [Asker]] = [:]
}

extension EngineHost {
    /// The take has no other output than its destinations, and ends with the last of them.
    var isForDestinationsOnly: Bool {
        guard let configuration = request?.configuration else { return false }
        if hasRecordingFailed { return configuration.clipBuffer == nil && configuration.expectedSamples.isEmpty }
        return !configuration.keepsSamples && configuration.expectedSamples.isEmpty
            && !configuration.destinations.isEmpty
    }

    /// Checks another destination, as at the start of a take, and starts its extension.
    func addDestination(_ destination: TakeConfiguration.Destination, for asker: Asker, at now: Int64) {
        do throws(EngineError) {
            let destinations = try runningDestinations()
            guard request?.configuration.video.colour == .standard else { throw .configuration(.colourOfRecordings) }
            let confinement = request?.confinement ?? ConfinementRequest()
            for checked in try Destinations.check([destination], confinement: confinement, in: TakeRequest.catalog) {
                let number = try destinations.add(
                    checked, for: clients.program(of: asker.client), isPaused: machine.phase == .paused, at: now)
                // Its events come after the answer, because the loop starts its extension later.
                asker.reply(.destinationAdded(number))
            }
        } catch {
            asker.refuse(error)
        }
    }

    func removeDestination(_ number: Int, for asker: Asker, at now: Int64) {
        // Before the removal: a destination that has not begun ends at once.
        destinationRequests.removals[number, default: []].append(asker)
        do throws(EngineError) {
            try runningDestinations().remove(number, mayBeLast: !isForDestinationsOnly, at: now)
        } catch {
            destinationRequests.removals[number]?.removeLast()
            asker.refuse(error)
        }
    }

    func renewLinks(for asker: Asker, at now: Int64) {
        guard destinations?.renewLinks(at: now) == true else {
            return asker.refuse(
                .unavailable,
                "No destination of this take has a link that can be renewed; the live page has one while it runs.")
        }
        destinationRequests.renewals.append(asker)
    }

    func annotate(_ info: [String: String], for asker: Asker, at now: Int64) {
        guard info.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= 65536 else {
            return asker.refuse(.invalidRequest, "An annotation has at most 65536 bytes; say less in it.")
        }
        guard let destinations, destinations.haveRunning else {
            return asker.refuse(
                .noDestination,
                "This take has no destination that could be told; kinecast broadcast starts one that has.")
        }
        destinations.request(.annotateRequested(info), at: now)
        asker.reply()
    }

    func answerRequests(upon event: DestinationEvent) {
        switch event.kind {
        case .link:
            for asker in destinationRequests.renewals { replyStatus(to: asker) }
            destinationRequests.renewals = []
        case .ended(let ending):
            for asker in destinationRequests.removals.removeValue(forKey: event.destination) ?? [] {
                asker.reply(.destinationRemoved(ending))
            }
        default: break
        }
    }

    private func runningDestinations() throws(EngineError) -> Destinations {
        switch machine.phase {
        case .recording, .paused: if let destinations { return destinations }
        case .finishing, .ended: throw .take(.over(reason: nil))
        case .starting: break
        }
        throw .notBegun
    }
}
