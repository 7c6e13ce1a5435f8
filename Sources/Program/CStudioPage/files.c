// SwiftPM would make literals of these files, which take the compiler a minute.
#include "CStudioPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct studio_page_file files[] = {
    {"icon-recording.svg", (const char[]){
#embed "Page/icon-recording.svg" suffix(, 0)
    }},
    {"icon.svg", (const char[]){
#embed "Page/icon.svg" suffix(, 0)
    }},
    {"icons.svg", (const char[]){
#embed "Page/icons.svg" suffix(, 0)
    }},
    {"index.html", (const char[]){
#embed "Page/index.html" suffix(, 0)
    }},
    {"library/cut.js", (const char[]){
#embed "Page/library/cut.js" suffix(, 0)
    }},
    {"library/film.js", (const char[]){
#embed "Page/library/film.js" suffix(, 0)
    }},
    {"library/library.css", (const char[]){
#embed "Page/library/library.css" suffix(, 0)
    }},
    {"library/library.js", (const char[]){
#embed "Page/library/library.js" suffix(, 0)
    }},
    {"library/name.js", (const char[]){
#embed "Page/library/name.js" suffix(, 0)
    }},
    {"library/playback.js", (const char[]){
#embed "Page/library/playback.js" suffix(, 0)
    }},
    {"library/posters.js", (const char[]){
#embed "Page/library/posters.js" suffix(, 0)
    }},
    {"library/recordings.js", (const char[]){
#embed "Page/library/recordings.js" suffix(, 0)
    }},
    {"library/seek.js", (const char[]){
#embed "Page/library/seek.js" suffix(, 0)
    }},
    {"library/share.js", (const char[]){
#embed "Page/library/share.js" suffix(, 0)
    }},
    {"library/tile.js", (const char[]){
#embed "Page/library/tile.js" suffix(, 0)
    }},
    {"library/trim.js", (const char[]){
#embed "Page/library/trim.js" suffix(, 0)
    }},
    {"library/undo.js", (const char[]){
#embed "Page/library/undo.js" suffix(, 0)
    }},
    {"library/viewer.js", (const char[]){
#embed "Page/library/viewer.js" suffix(, 0)
    }},
    {"old.js", (const char[]){
#embed "Page/old.js" suffix(, 0)
    }},
    {"openapi.json", (const char[]){
#embed "Page/openapi.json" suffix(, 0)
    }},
    {"page.css", (const char[]){
#embed "Page/page.css" suffix(, 0)
    }},
    {"page.js", (const char[]){
#embed "Page/page.js" suffix(, 0)
    }},
    {"record/bar.js", (const char[]){
#embed "Page/record/bar.js" suffix(, 0)
    }},
    {"record/camera.js", (const char[]){
#embed "Page/record/camera.js" suffix(, 0)
    }},
    {"record/cameraframe.js", (const char[]){
#embed "Page/record/cameraframe.js" suffix(, 0)
    }},
    {"record/countdown.js", (const char[]){
#embed "Page/record/countdown.js" suffix(, 0)
    }},
    {"record/destinations.js", (const char[]){
#embed "Page/record/destinations.js" suffix(, 0)
    }},
    {"record/disk.js", (const char[]){
#embed "Page/record/disk.js" suffix(, 0)
    }},
    {"record/gallery.js", (const char[]){
#embed "Page/record/gallery.js" suffix(, 0)
    }},
    {"record/hidden.js", (const char[]){
#embed "Page/record/hidden.js" suffix(, 0)
    }},
    {"record/leaving.js", (const char[]){
#embed "Page/record/leaving.js" suffix(, 0)
    }},
    {"record/meters.js", (const char[]){
#embed "Page/record/meters.js" suffix(, 0)
    }},
    {"record/more.js", (const char[]){
#embed "Page/record/more.js" suffix(, 0)
    }},
    {"record/names.js", (const char[]){
#embed "Page/record/names.js" suffix(, 0)
    }},
    {"record/preview.js", (const char[]){
#embed "Page/record/preview.js" suffix(, 0)
    }},
    {"record/questions.js", (const char[]){
#embed "Page/record/questions.js" suffix(, 0)
    }},
    {"record/recording.js", (const char[]){
#embed "Page/record/recording.js" suffix(, 0)
    }},
    {"record/rows.js", (const char[]){
#embed "Page/record/rows.js" suffix(, 0)
    }},
    {"record/services.js", (const char[]){
#embed "Page/record/services.js" suffix(, 0)
    }},
    {"record/statistics.js", (const char[]){
#embed "Page/record/statistics.js" suffix(, 0)
    }},
    {"record/studio.js", (const char[]){
#embed "Page/record/studio.js" suffix(, 0)
    }},
    {"record/takes.js", (const char[]){
#embed "Page/record/takes.js" suffix(, 0)
    }},
    {"record/targets.js", (const char[]){
#embed "Page/record/targets.js" suffix(, 0)
    }},
    {"record/views.js", (const char[]){
#embed "Page/record/views.js" suffix(, 0)
    }},
    {"shared/dialogs.js", (const char[]){
#embed "Page/shared/dialogs.js" suffix(, 0)
    }},
    {"shared/elements.js", (const char[]){
#embed "Page/shared/elements.js" suffix(, 0)
    }},
    {"shared/events-worker.js", (const char[]){
#embed "Page/shared/events-worker.js" suffix(, 0)
    }},
    {"shared/events.js", (const char[]){
#embed "Page/shared/events.js" suffix(, 0)
    }},
    {"shared/jobs.js", (const char[]){
#embed "Page/shared/jobs.js" suffix(, 0)
    }},
    {"shared/places.js", (const char[]){
#embed "Page/shared/places.js" suffix(, 0)
    }},
    {"shared/pointer.js", (const char[]){
#embed "Page/shared/pointer.js" suffix(, 0)
    }},
    {"shared/session.js", (const char[]){
#embed "Page/shared/session.js" suffix(, 0)
    }},
    {"sheet/form.js", (const char[]){
#embed "Page/sheet/form.js" suffix(, 0)
    }},
    {"sheet/review.js", (const char[]){
#embed "Page/sheet/review.js" suffix(, 0)
    }},
    {"sheet/sheet.css", (const char[]){
#embed "Page/sheet/sheet.css" suffix(, 0)
    }},
    {"sheet/sheet.js", (const char[]){
#embed "Page/sheet/sheet.js" suffix(, 0)
    }},
    {"sheet/steps.js", (const char[]){
#embed "Page/sheet/steps.js" suffix(, 0)
    }},
    {"words/chinese-library.js", (const char[]){
#embed "Page/words/chinese-library.js" suffix(, 0)
    }},
    {"words/chinese-problems.js", (const char[]){
#embed "Page/words/chinese-problems.js" suffix(, 0)
    }},
    {"words/chinese-sheet.js", (const char[]){
#embed "Page/words/chinese-sheet.js" suffix(, 0)
    }},
    {"words/chinese.js", (const char[]){
#embed "Page/words/chinese.js" suffix(, 0)
    }},
    {"words/english-library.js", (const char[]){
#embed "Page/words/english-library.js" suffix(, 0)
    }},
    {"words/english-sheet.js", (const char[]){
#embed "Page/words/english-sheet.js" suffix(, 0)
    }},
    {"words/english.js", (const char[]){
#embed "Page/words/english.js" suffix(, 0)
    }},
    {"words/format.js", (const char[]){
#embed "Page/words/format.js" suffix(, 0)
    }},
    {"words/words.js", (const char[]){
#embed "Page/words/words.js" suffix(, 0)
    }},
    {NULL, NULL},
};

struct studio_page_file studio_page_file(size_t index) { return files[index]; }
