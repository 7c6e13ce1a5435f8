// cairo, loaded when text is first to be drawn.
#include "CCairo.h"
#include "CLinux.h"

LATE_LIBRARY("libcairo.so.2")

LATE_FUNCTION(cairo_surface_t *, cairo_image_surface_create, (cairo_format_t format, int width, int height),
        (format, width, height))
LATE_FUNCTION(unsigned char *, cairo_image_surface_get_data, (cairo_surface_t *surface), (surface))
LATE_FUNCTION(int, cairo_image_surface_get_stride, (cairo_surface_t *surface), (surface))
LATE_FUNCTION(void, cairo_surface_flush, (cairo_surface_t *surface), (surface))
LATE_FUNCTION(void, cairo_surface_destroy, (cairo_surface_t *surface), (surface))
LATE_FUNCTION(cairo_t *, cairo_create, (cairo_surface_t *target), (target))
LATE_FUNCTION(void, cairo_destroy, (cairo_t *cr), (cr))
LATE_FUNCTION(cairo_status_t, cairo_status, (cairo_t *cr), (cr))
LATE_FUNCTION(void, cairo_select_font_face,
        (cairo_t *cr, const char *family, cairo_font_slant_t slant, cairo_font_weight_t weight),
        (cr, family, slant, weight))
LATE_FUNCTION(void, cairo_set_font_size, (cairo_t *cr, double size), (cr, size))
LATE_FUNCTION(void, cairo_font_extents, (cairo_t *cr, cairo_font_extents_t *extents), (cr, extents))
LATE_FUNCTION(void, cairo_text_extents, (cairo_t *cr, const char *utf8, cairo_text_extents_t *extents),
        (cr, utf8, extents))
LATE_FUNCTION(void, cairo_set_source_rgba, (cairo_t *cr, double red, double green, double blue, double alpha),
        (cr, red, green, blue, alpha))
LATE_FUNCTION(void, cairo_new_sub_path, (cairo_t *cr), (cr))
LATE_FUNCTION(void, cairo_arc, (cairo_t *cr, double xc, double yc, double radius, double angle1, double angle2),
        (cr, xc, yc, radius, angle1, angle2))
LATE_FUNCTION(void, cairo_close_path, (cairo_t *cr), (cr))
LATE_FUNCTION(void, cairo_fill, (cairo_t *cr), (cr))
LATE_FUNCTION(void, cairo_move_to, (cairo_t *cr, double x, double y), (cr, x, y))
LATE_FUNCTION(void, cairo_show_text, (cairo_t *cr, const char *utf8), (cr, utf8))

int kine_load_cairo(void) { return late_library() != 0; }
