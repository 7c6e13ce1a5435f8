// Changes the picture of a running take: another source, the camera, and the windows that a source hides.
import KineCapture
import KineMedia
import KineTake
import KineWire

extension EngineHost {
    func switchSource(to source: TakeConfiguration.Source, for asker: Asker) {
        if let refusal = refusal(of: source) { return asker.answer(.failure(refusal)) }
        condition.beginSwitch(to: source, for: asker)
        opened?.take.switchSource(to: source, opening.cancellation)
    }

    private func refusal(of source: TakeConfiguration.Source) -> Refusal? {
        do throws(TakeConfiguration.Problem) {
            try TakeConfiguration.check(source)
        } catch {
            return EngineError.configuration(error).refusal
        }
        guard let first = request?.configuration.source, machine.phase == .recording || machine.phase == .paused else {
            return EngineError.notBegun.refusal
        }
        if condition.switching != nil {
            return Refusal(.unavailable, "Another source is being opened for this take; wait until it is shown.")
        }
        // A take of a private screen keeps it, and that screen belongs to no person.
        guard !first.canBecome(source) else { return nil }
        return Refusal(
            .unavailable, "A take of “\(first.name)” cannot show “\(source.name)”; start another take with that.")
    }

    /// Cancels a switch if its client has gone, so that no person is asked to draw its region.
    func cancelAbandonedSwitch() {
        guard let client = condition.switching?.asker.client, !clients.contains(client) else { return }
        opened?.take.giveUpSwitch()
    }

    /// Handles the result of a switch.
    func sourceSwitched(_ error: TakeError?, at now: Int64) {
        guard let (source, asker) = condition.endSwitch(isShown: error == nil) else { return }
        if let error { return asker.refuse(.take(error)) }
        destinations?.sourceSwitched(at: now)
        if request?.configuration.source.showsDesktop == true { desktop?.shows(source) }
        clients.tellAll(.sourceSwitched(source, name: sourceName))
        asker.reply()
    }

    /// The source stands still, or works again.
    func interrupted(_ reason: SourceInterruption?) {
        condition.interrupted(reason)
        clients.tellAll(.sourceInterrupted(reason))
    }
}

extension TakeConfiguration.Source {
    /// Whether a take that began with this source can switch to that one: same display, or both patterns.
    fileprivate func canBecome(_ source: TakeConfiguration.Source) -> Bool {
        switch (self, source) {
        // A private screen has no person.
        case (_, .virtual), (_, .virtualWayland), (_, .commandWindow): false
        case (_, .drawnRegion), (_, .chosenWindow): showsDesktop
        case (.pattern, .pattern): true
        case (.pattern, _), (_, .pattern): false
        default: true
        }
    }
}

// The camera of a running take, which clients can change.
extension EngineHost {
    /// Shows the camera if the person allows it; nil hides the current one.
    func setCamera(_ camera: TakeConfiguration.Camera?, for asker: Asker) {
        if let error = refusal(of: camera) { return asker.refuse(error) }
        guard camera?.showsPerson == true, permission?.allows(.camera) == false else {
            return setAllowedCamera(camera, for: asker)
        }
        askPermission([.camera], for: .camera(camera, asker), asker)
    }

    /// Shows the camera; the person has allowed it if necessary.
    func setAllowedCamera(_ camera: TakeConfiguration.Camera?, for asker: Asker) {
        guard let opened else { return asker.refuse(.notBegun) }
        setCaptured(.camera, isOn: camera?.showsPerson == true)
        opened.take.setCamera(camera)
        condition.show(camera)
        desktop?.camera(isOn: camera?.showsPerson == true)
        clients.tellAll(.camera(camera))
        asker.reply()
    }

    private func refusal(of camera: TakeConfiguration.Camera?) -> EngineError? {
        guard opened != nil, machine.phase == .recording || machine.phase == .paused else { return .notBegun }
        guard let camera else { return nil }
        do throws(TakeConfiguration.Problem) {
            try TakeConfiguration.check(camera)
        } catch {
            return .configuration(error)
        }
        do throws(VideoSourceError) {
            _ = try CameraInput(camera)
            return nil
        } catch {
            return .take(.source(error))
        }
    }
}
