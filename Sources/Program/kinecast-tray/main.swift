// The tray's process, which `kinecast tray` becomes.
import KineTray

TrayProgram.main()
