// The camera of a take, which clients change while the take runs.
import KineCapture
import KineMedia

extension EngineHost {
    /// Shows that camera from now on, nil: none, if the person allows it.
    func setCamera(_ camera: TakeConfiguration.Camera?, for asker: Asker) {
        if let error = refusal(of: camera) { return asker.refuse(error) }
        guard camera?.showsPerson == true, permission?.allows(.camera) == false else {
            return setAllowedCamera(camera, for: asker)
        }
        askPermission([.camera], for: .camera(camera, asker), asker)
    }

    /// The person allows it, where they need to.
    func setAllowedCamera(_ camera: TakeConfiguration.Camera?, for asker: Asker) {
        guard let opened else { return asker.refuse(.notBegun) }
        setCaptured(.camera, isOn: camera?.showsPerson == true)
        opened.take.setCamera(camera)
        self.camera = camera
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
