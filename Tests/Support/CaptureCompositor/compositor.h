// What the parts of this compositor know of each other.
#pragma once
#include "protocol.h"
#include <stdbool.h>

struct rect { int x, y, width, height; };

enum { MOST_RECTS = 256, MOST_FORMATS = 8 };
struct rects {
    int count;
    struct rect list[MOST_RECTS];
};

static inline void add_rect(struct rects *rects, struct rect rect) {
    if (rects->count < MOST_RECTS) rects->list[rects->count++] = rect;
}

struct output {
    struct wl_list link;
    char name[32];
    struct wl_global *global;
    // wl_output and zxdg_output_v1 of all clients.
    struct wl_list resources, logical_resources;
    struct rect logical;
    int transform;
    // The picture as the monitor has it, before it is turned: 0xRRGGBB.
    int width, height;
    uint32_t *pixels;
    // What sessions tell of buffers, which may be nonsense.
    unsigned told_width, told_height;
    int format_count;
    uint32_t formats[MOST_FORMATS];
    bool has_graphics_memory;
    // The pointer: 8x8 pixels of one colour; negative: elsewhere.
    int cursor_x, cursor_y;
    uint32_t cursor;
    // What becomes of the next captures: -1: they are carried out.
    int failure;
    // None is carried out for now.
    bool is_held;
    struct wl_list sessions;
    // What clients have done.
    int session_count, capture_count, ready_count;
    struct rects missing;
};

extern struct wl_display *display;
extern struct wl_list outputs;

// capture.c
void offer_capture(void);
// Something has changed for those sessions that have the pointer, or for all.
void note_damage(struct output *output, struct rect rect, bool is_pointer);
void send_constraints_to_all(struct output *output);
// Carries out those captures that are waited for and can be carried out.
void go_on(struct output *output);
void stop_sessions(struct output *output);
// All of the rest is for another output.
void forget_output(struct output *output);
