# The tests in groups, by what they need for themselves; sourced by scripts/test and scripts/sanitize. All are patterns of `swift test`.

# Most tests wait in the threads of Swift's pool, of which there is one for each core: those that need a thread of it in time come
# first, for beside the others they would wait for minutes.
asynchronous='^(KinecastExtensionTests|KinePublishTests)\.'
# Sound and recordings that are judged by the instants of what was played and drawn: nothing else runs beside them, and least of
# all a compiler.
alone='^(EndToEndTests\.MediaTests|KineEngineTests\.LiveSoundTests)'
# Whole processes.
processes='^EndToEndTests\.'
building='^EndToEndTests\.NewExtensionTests'
