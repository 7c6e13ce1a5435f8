// Keeps the viewer's screen from going dark while there is something to be seen.

export class Awake {
  #isWanted = false;
  #lock = null;
  #isAsking = false;

  constructor() {
    // A hidden page loses it.
    document.addEventListener("visibilitychange", () => this.#update());
  }

  want(on) {
    this.#isWanted = on;
    this.#update();
  }

  async #update() {
    if (!this.#isWanted) {
      this.#lock?.release();
      this.#lock = null;
      return;
    }
    // Without TLS, browsers have this only on the viewer's own machine.
    if (this.#lock || this.#isAsking || document.hidden || !("wakeLock" in navigator)) return;
    this.#isAsking = true;
    try {
      const lock = await navigator.wakeLock.request("screen");
      this.#lock = lock;
      lock.addEventListener("release", () => { if (this.#lock === lock) this.#lock = null; });
    } catch {
      // A browser may refuse, when the battery is low for one.
    }
    this.#isAsking = false;
    if (!this.#isWanted) this.#update();
  }
}
