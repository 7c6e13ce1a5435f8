// @ts-check
// The icon of a service, or the first letter of its name.
import { make } from "./elements.js";
import { getImage } from "./session.js";

/**
 * The letter, which the icon replaces if there is one. As an image, an SVG file runs no script.
 * @param {Rights} service
 */
export function icon({ id, name }) {
  const place = make("span.service-icon", { "aria-hidden": "true", "data-letter": [...name][0] });
  getImage(`api/services/${encodeURIComponent(id)}/icon`).then((image) => { if (image) place.replaceChildren(image); });
  return place;
}
