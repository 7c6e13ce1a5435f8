// Destinations that clients add to a running take, or remove from it.
import KineMedia
import KineWire

extension EngineHost {
    /// The take has no other output than its destinations, and ends with the last of them.
    var isForDestinationsOnly: Bool {
        guard let configuration = request?.configuration else { return false }
        if end.hasRecordingFailed { return configuration.clipBuffer == nil && configuration.expectedSamples.isEmpty }
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
        do throws(EngineError) {
            try runningDestinations().remove(number, for: asker, mayBeLast: !isForDestinationsOnly, at: now)
        } catch {
            asker.refuse(error)
        }
    }

    func renewLinks(for asker: Asker, at now: Int64) {
        if destinations?.renewLinks(for: asker, at: now) == true { return }
        asker.refuse(
            .unavailable,
            "No destination of this take has a link that can be renewed; the live page has one while it runs.")
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
        guard let (renewals, removals) = destinations?.answers(upon: event) else { return }
        for asker in renewals { replyStatus(to: asker) }
        if case .ended(let ending) = event.kind { for asker in removals { asker.reply(.destinationRemoved(ending)) } }
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
