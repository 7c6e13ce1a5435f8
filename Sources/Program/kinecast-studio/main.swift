// The studio's process, which `kinecast studio` becomes.
import KineStudio

StudioProgram.main()
