// SwiftPM would make literals of these files, which take the compiler a minute.
#include "CStudioPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct studio_page_file files[] = {
    {"camera.js", (const char[]){
#embed "../KineStudio/Page/camera.js" suffix(, 0)
    }},
    {"cameraframe.js", (const char[]){
#embed "../KineStudio/Page/cameraframe.js" suffix(, 0)
    }},
    {"chinese-library.js", (const char[]){
#embed "../KineStudio/Page/chinese-library.js" suffix(, 0)
    }},
    {"chinese-sheet.js", (const char[]){
#embed "../KineStudio/Page/chinese-sheet.js" suffix(, 0)
    }},
    {"chinese.js", (const char[]){
#embed "../KineStudio/Page/chinese.js" suffix(, 0)
    }},
    {"countdown.js", (const char[]){
#embed "../KineStudio/Page/countdown.js" suffix(, 0)
    }},
    {"destinations.js", (const char[]){
#embed "../KineStudio/Page/destinations.js" suffix(, 0)
    }},
    {"dialogs.js", (const char[]){
#embed "../KineStudio/Page/dialogs.js" suffix(, 0)
    }},
    {"disk.js", (const char[]){
#embed "../KineStudio/Page/disk.js" suffix(, 0)
    }},
    {"elements.js", (const char[]){
#embed "../KineStudio/Page/elements.js" suffix(, 0)
    }},
    {"english-library.js", (const char[]){
#embed "../KineStudio/Page/english-library.js" suffix(, 0)
    }},
    {"english-sheet.js", (const char[]){
#embed "../KineStudio/Page/english-sheet.js" suffix(, 0)
    }},
    {"english.js", (const char[]){
#embed "../KineStudio/Page/english.js" suffix(, 0)
    }},
    {"events-worker.js", (const char[]){
#embed "../KineStudio/Page/events-worker.js" suffix(, 0)
    }},
    {"events.js", (const char[]){
#embed "../KineStudio/Page/events.js" suffix(, 0)
    }},
    {"gallery.js", (const char[]){
#embed "../KineStudio/Page/gallery.js" suffix(, 0)
    }},
    {"hidden.js", (const char[]){
#embed "../KineStudio/Page/hidden.js" suffix(, 0)
    }},
    {"icon-recording.svg", (const char[]){
#embed "../KineStudio/Page/icon-recording.svg" suffix(, 0)
    }},
    {"icon.svg", (const char[]){
#embed "../KineStudio/Page/icon.svg" suffix(, 0)
    }},
    {"index.html", (const char[]){
#embed "../KineStudio/Page/index.html" suffix(, 0)
    }},
    {"jobs.js", (const char[]){
#embed "../KineStudio/Page/jobs.js" suffix(, 0)
    }},
    {"library.css", (const char[]){
#embed "../KineStudio/Page/library.css" suffix(, 0)
    }},
    {"library.js", (const char[]){
#embed "../KineStudio/Page/library.js" suffix(, 0)
    }},
    {"more.js", (const char[]){
#embed "../KineStudio/Page/more.js" suffix(, 0)
    }},
    {"names.js", (const char[]){
#embed "../KineStudio/Page/names.js" suffix(, 0)
    }},
    {"notices.js", (const char[]){
#embed "../KineStudio/Page/notices.js" suffix(, 0)
    }},
    {"openapi.json", (const char[]){
#embed "../KineStudio/Page/openapi.json" suffix(, 0)
    }},
    {"page.css", (const char[]){
#embed "../KineStudio/Page/page.css" suffix(, 0)
    }},
    {"page.js", (const char[]){
#embed "../KineStudio/Page/page.js" suffix(, 0)
    }},
    {"places.js", (const char[]){
#embed "../KineStudio/Page/places.js" suffix(, 0)
    }},
    {"playback.js", (const char[]){
#embed "../KineStudio/Page/playback.js" suffix(, 0)
    }},
    {"pointer.js", (const char[]){
#embed "../KineStudio/Page/pointer.js" suffix(, 0)
    }},
    {"posters.js", (const char[]){
#embed "../KineStudio/Page/posters.js" suffix(, 0)
    }},
    {"preview.js", (const char[]){
#embed "../KineStudio/Page/preview.js" suffix(, 0)
    }},
    {"questions.js", (const char[]){
#embed "../KineStudio/Page/questions.js" suffix(, 0)
    }},
    {"recording.js", (const char[]){
#embed "../KineStudio/Page/recording.js" suffix(, 0)
    }},
    {"recordings.js", (const char[]){
#embed "../KineStudio/Page/recordings.js" suffix(, 0)
    }},
    {"region.js", (const char[]){
#embed "../KineStudio/Page/region.js" suffix(, 0)
    }},
    {"review.js", (const char[]){
#embed "../KineStudio/Page/review.js" suffix(, 0)
    }},
    {"service-icon.js", (const char[]){
#embed "../KineStudio/Page/service-icon.js" suffix(, 0)
    }},
    {"services.js", (const char[]){
#embed "../KineStudio/Page/services.js" suffix(, 0)
    }},
    {"session.js", (const char[]){
#embed "../KineStudio/Page/session.js" suffix(, 0)
    }},
    {"share.js", (const char[]){
#embed "../KineStudio/Page/share.js" suffix(, 0)
    }},
    {"sheet-form.js", (const char[]){
#embed "../KineStudio/Page/sheet-form.js" suffix(, 0)
    }},
    {"sheet-steps.js", (const char[]){
#embed "../KineStudio/Page/sheet-steps.js" suffix(, 0)
    }},
    {"sheet.css", (const char[]){
#embed "../KineStudio/Page/sheet.css" suffix(, 0)
    }},
    {"sheet.js", (const char[]){
#embed "../KineStudio/Page/sheet.js" suffix(, 0)
    }},
    {"statistics.js", (const char[]){
#embed "../KineStudio/Page/statistics.js" suffix(, 0)
    }},
    {"studio.js", (const char[]){
#embed "../KineStudio/Page/studio.js" suffix(, 0)
    }},
    {"takes.js", (const char[]){
#embed "../KineStudio/Page/takes.js" suffix(, 0)
    }},
    {"targets.js", (const char[]){
#embed "../KineStudio/Page/targets.js" suffix(, 0)
    }},
    {"tile.js", (const char[]){
#embed "../KineStudio/Page/tile.js" suffix(, 0)
    }},
    {"trim.js", (const char[]){
#embed "../KineStudio/Page/trim.js" suffix(, 0)
    }},
    {"undo.js", (const char[]){
#embed "../KineStudio/Page/undo.js" suffix(, 0)
    }},
    {"viewer.js", (const char[]){
#embed "../KineStudio/Page/viewer.js" suffix(, 0)
    }},
    {"views.js", (const char[]){
#embed "../KineStudio/Page/views.js" suffix(, 0)
    }},
    {"words.js", (const char[]){
#embed "../KineStudio/Page/words.js" suffix(, 0)
    }},
    {NULL, NULL},
};

struct studio_page_file studio_page_file(size_t index) { return files[index]; }
