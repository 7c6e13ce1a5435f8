// kinecast-capture-compositor NAME: a Wayland compositor without windows that lets its clients capture its outputs by
// ext-image-copy-capture-v1, and does what real ones do rarely. Its socket is NAME in XDG_RUNTIME_DIR. It does what the lines on its
// standard input say, and says `ready` first and `done` after each; what a line asks for comes before that.
//
//   output NAME WIDTH HEIGHT X Y [WIDTH HEIGHT]   another output, black; its place on the desktop, and its size there if that is another
//   remove NAME                                   its sessions stop, and it goes
//   paint NAME X Y WIDTH HEIGHT RRGGBB            a rectangle of one colour, which is damage
//   pattern NAME SEED                             another picture, all of which is damage
//   damage NAME X Y WIDTH HEIGHT                  damage that is told, whatever it is, where nothing was painted
//   pointer NAME X Y RRGGBB                       8x8 pixels; it was elsewhere before
//   hold NAME | go NAME                           what is painted from now on is captured at once, later
//   resize NAME WIDTH HEIGHT                      another mode, black
//   place NAME X Y WIDTH HEIGHT                   another place on the desktop
//   transform NAME N                              another turn, as wl_output.transform has it
//   formats NAME [HEX]…                           those of wl_shm that buffers may have from now on
//   graphics NAME                                 buffers may be a graphics card's too
//   told NAME WIDTH HEIGHT                        the size that buffers are to have, as it is called
//   constraints NAME                              tells once more what buffers are to be
//   stop NAME                                     its sessions stop; others can begin
//   fail NAME REASON                              the capture that is waited for, or else the next, fails for that number
//   count NAME                                    `sessions N captures N ready N missing X,Y,W,H;…`, the last of the last capture
#include "compositor.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wl_display *display;
struct wl_list outputs;

static void destroy(struct wl_client *client, struct wl_resource *resource) {
    (void)client;
    wl_resource_destroy(resource);
}

static void leave_list(struct wl_resource *resource) { wl_list_remove(wl_resource_get_link(resource)); }

// MARK: Outputs

static const struct wl_output_interface output_requests = {destroy};
static const struct destroy_requests logical_requests = {destroy};

static void send_output(struct wl_resource *resource, const struct output *output) {
    wl_output_send_geometry(resource, output->logical.x, output->logical.y, 0, 0, WL_OUTPUT_SUBPIXEL_UNKNOWN, "Kinecast",
                            "test", output->transform);
    wl_output_send_mode(resource, WL_OUTPUT_MODE_CURRENT, output->width, output->height, 60000);
    wl_output_send_name(resource, output->name);
    wl_output_send_done(resource);
}

static void send_logical(struct wl_resource *resource, const struct output *output) {
    wl_resource_post_event(resource, XDG_OUTPUT_POSITION, output->logical.x, output->logical.y);
    wl_resource_post_event(resource, XDG_OUTPUT_SIZE, output->logical.width, output->logical.height);
    wl_resource_post_event(resource, XDG_OUTPUT_NAME, output->name);
}

static void send_all(const struct output *output) {
    struct wl_resource *resource;
    wl_resource_for_each(resource, &output->logical_resources) send_logical(resource, output);
    wl_resource_for_each(resource, &output->resources) send_output(resource, output);
}

static void bind_output(struct wl_client *client, void *data, uint32_t version, uint32_t number) {
    struct output *output = data;
    struct wl_resource *resource = wl_resource_create(client, &wl_output_interface, version, number);
    wl_resource_set_implementation(resource, &output_requests, output, leave_list);
    if (!output) return wl_list_init(wl_resource_get_link(resource));
    wl_list_insert(&output->resources, wl_resource_get_link(resource));
    send_output(resource, output);
}

static void get_xdg_output(
    struct wl_client *client, struct wl_resource *manager, uint32_t number, struct wl_resource *of) {
    struct output *output = wl_resource_get_user_data(of);
    struct wl_resource *resource =
        wl_resource_create(client, &xdg_output_interface, wl_resource_get_version(manager), number);
    wl_resource_set_implementation(resource, &logical_requests, output, leave_list);
    if (!output) return wl_list_init(wl_resource_get_link(resource));
    wl_list_insert(&output->logical_resources, wl_resource_get_link(resource));
    send_logical(resource, output);
    wl_output_send_done(of);
}

static const struct xdg_output_manager_requests xdg_output_manager_requests = {destroy, get_xdg_output};

static void bind_xdg_output_manager(struct wl_client *client, void *data, uint32_t version, uint32_t number) {
    struct wl_resource *manager = wl_resource_create(client, &xdg_output_manager_interface, version, number);
    wl_resource_set_implementation(manager, &xdg_output_manager_requests, data, 0);
}

static void change_mode(struct output *output, int width, int height) {
    free(output->pixels);
    output->pixels = calloc((size_t)width * height, sizeof *output->pixels);
    output->width = output->told_width = width;
    output->height = output->told_height = height;
}

static void add_output(const char *arguments) {
    struct output *output = calloc(1, sizeof *output);
    int width, height;
    int count = sscanf(arguments, "%31s %d %d %d %d %d %d", output->name, &width, &height, &output->logical.x,
                       &output->logical.y, &output->logical.width, &output->logical.height);
    if (count != 5 && count != 7) exit(2);
    if (count == 5) output->logical.width = width, output->logical.height = height;
    change_mode(output, width, height);
    output->formats[output->format_count++] = WL_SHM_FORMAT_XRGB8888;
    output->cursor_x = output->failure = -1;
    wl_list_init(&output->resources);
    wl_list_init(&output->logical_resources);
    wl_list_init(&output->sessions);
    wl_list_insert(&outputs, &output->link);
    output->global = wl_global_create(display, &wl_output_interface, 4, output, bind_output);
}

static void forget_resources(struct wl_list *list) {
    struct wl_resource *resource, *next;
    wl_resource_for_each_safe(resource, next, list) {
        wl_resource_set_user_data(resource, 0);
        wl_list_remove(wl_resource_get_link(resource));
        wl_list_init(wl_resource_get_link(resource));
    }
}

// The global stays behind, for a client that binds it before it knows.
static void remove_output(struct output *output) {
    forget_output(output);
    wl_global_remove(output->global);
    wl_global_set_user_data(output->global, 0);
    forget_resources(&output->resources);
    forget_resources(&output->logical_resources);
    wl_list_remove(&output->link);
    free(output->pixels);
    free(output);
}

// MARK: Commands

static struct rect whole(const struct output *output) { return (struct rect){0, 0, output->width, output->height}; }

static void changed(struct output *output, struct rect rect, bool is_pointer) {
    note_damage(output, rect, is_pointer);
    go_on(output);
}

static void paint(struct output *output, struct rect rect, uint32_t colour) {
    for (int y = rect.y; y < rect.y + rect.height; y++)
        for (int x = rect.x; x < rect.x + rect.width; x++)
            if (x >= 0 && y >= 0 && x < output->width && y < output->height) output->pixels[y * output->width + x] = colour;
    changed(output, rect, false);
}

static void fill_pattern(struct output *output, int seed) {
    for (int y = 0; y < output->height; y++)
        for (int x = 0; x < output->width; x++) {
            uint32_t red = x * 7 + seed * 31, green = y * 5 + seed * 17, blue = (x ^ y) + seed;
            output->pixels[y * output->width + x] = (red & 255) << 16 | (green & 255) << 8 | (blue & 255);
        }
    changed(output, whole(output), false);
}

static void move_pointer(struct output *output, int x, int y, uint32_t colour) {
    struct rect before = {output->cursor_x, output->cursor_y, 8, 8}, now = {x, y, 8, 8};
    bool was_here = output->cursor_x >= 0;
    output->cursor_x = x, output->cursor_y = y, output->cursor = colour;
    if (was_here) note_damage(output, before, true);
    changed(output, now, true);
}

static void read_formats(struct output *output, const char *text) {
    output->format_count = 0;
    char *end;
    for (;;) {
        unsigned long format = strtoul(text, &end, 16);
        if (end == text || output->format_count == MOST_FORMATS) return;
        output->formats[output->format_count++] = (uint32_t)format;
        text = end;
    }
}

static void count(const struct output *output) {
    printf("sessions %d captures %d ready %d missing ", output->session_count, output->capture_count, output->ready_count);
    for (int index = 0; index < output->missing.count; index++) {
        struct rect rect = output->missing.list[index];
        printf("%s%d,%d,%d,%d", index ? ";" : "", rect.x, rect.y, rect.width, rect.height);
    }
    puts("");
}

static void carry_out(const char *line) {
    char command[32] = "", name[32] = "";
    int length = 0;
    sscanf(line, "%31s %n", command, &length);
    if (strcmp(command, "output") == 0) return add_output(line + length);
    int name_length = 0;
    sscanf(line + length, "%31s%n", name, &name_length);
    const char *rest = line + length + name_length;
    struct output *output = 0, *each;
    wl_list_for_each(each, &outputs, link) if (strcmp(each->name, name) == 0) output = each;
    if (!output) exit(2);
    struct rect rect = {0};
    unsigned colour = 0;
    int numbers = sscanf(rest, "%d %d %d %d %x", &rect.x, &rect.y, &rect.width, &rect.height, &colour);
    if (strcmp(command, "remove") == 0) remove_output(output);
    else if (strcmp(command, "paint") == 0 && numbers == 5) paint(output, rect, colour);
    else if (strcmp(command, "pattern") == 0 && numbers == 1) fill_pattern(output, rect.x);
    else if (strcmp(command, "damage") == 0 && numbers == 4) changed(output, rect, false);
    else if (strcmp(command, "pointer") == 0 && sscanf(rest, "%d %d %x", &rect.x, &rect.y, &colour) == 3)
        move_pointer(output, rect.x, rect.y, colour);
    else if (strcmp(command, "hold") == 0) output->is_held = true;
    else if (strcmp(command, "go") == 0) {
        output->is_held = false;
        go_on(output);
    } else if (strcmp(command, "resize") == 0 && numbers == 2) {
        change_mode(output, rect.x, rect.y);
        output->logical.width = rect.x, output->logical.height = rect.y;
        send_all(output);
        send_constraints_to_all(output);
        changed(output, whole(output), false);
    } else if (strcmp(command, "place") == 0 && numbers == 4) {
        output->logical = rect;
        send_all(output);
    } else if (strcmp(command, "transform") == 0 && numbers == 1) {
        output->transform = rect.x;
        send_all(output);
        changed(output, whole(output), false);
    } else if (strcmp(command, "formats") == 0) {
        read_formats(output, rest);
        send_constraints_to_all(output);
    } else if (strcmp(command, "graphics") == 0) {
        output->has_graphics_memory = true;
        send_constraints_to_all(output);
    } else if (strcmp(command, "told") == 0 && sscanf(rest, "%u %u", &output->told_width, &output->told_height) == 2)
        send_constraints_to_all(output);
    else if (strcmp(command, "constraints") == 0) send_constraints_to_all(output);
    else if (strcmp(command, "stop") == 0) stop_sessions(output);
    else if (strcmp(command, "fail") == 0 && numbers == 1) {
        output->failure = rect.x;
        go_on(output);
    } else if (strcmp(command, "count") == 0) count(output);
    else exit(2);
}

// False at the end of the commands.
static bool read_commands(void) {
    static char input[1 << 16];
    static size_t length;
    ssize_t count = read(0, input + length, sizeof input - 1 - length);
    if (count <= 0) return false;
    length += (size_t)count;
    input[length] = 0;
    char *start = input, *end;
    while ((end = strchr(start, '\n'))) {
        *end = 0;
        carry_out(start);
        wl_display_flush_clients(display);
        puts("done");
        fflush(stdout);
        start = end + 1;
    }
    length -= (size_t)(start - input);
    memmove(input, start, length);
    return true;
}

// What a client has asked for before a command was sent is done before it.
static void run(void) {
    struct wl_event_loop *loop = wl_display_get_event_loop(display);
    struct pollfd entries[] = {{wl_event_loop_get_fd(loop), POLLIN, 0}, {0, POLLIN, 0}};
    while (true) {
        wl_display_flush_clients(display);
        poll(entries, 2, -1);
        bool has_commands = entries[1].revents != 0;
        while (poll(entries, 1, 0) > 0) wl_event_loop_dispatch(loop, 0);
        if (has_commands && !read_commands()) return;
    }
}

int main(int argument_count, char **arguments) {
    static const uint32_t formats[] = {
        WL_SHM_FORMAT_ABGR8888, WL_SHM_FORMAT_XBGR8888, WL_SHM_FORMAT_RGB888, WL_SHM_FORMAT_BGR888,
        WL_SHM_FORMAT_XRGB2101010, WL_SHM_FORMAT_XBGR2101010, WL_SHM_FORMAT_RGB565,
    };
    if (argument_count != 2) return 64;
    display = wl_display_create();
    wl_list_init(&outputs);
    if (!display || wl_display_add_socket(display, arguments[1]) < 0 || wl_display_init_shm(display) < 0) return 1;
    for (size_t index = 0; index < sizeof formats / sizeof *formats; index++)
        wl_display_add_shm_format(display, formats[index]);
    wl_global_create(display, &xdg_output_manager_interface, 3, 0, bind_xdg_output_manager);
    offer_capture();
    puts("ready");
    fflush(stdout);
    run();
    return 0;
}
