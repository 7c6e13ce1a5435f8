// Keeps the viewer's screen awake while there is something to see.

export class Awake {
  #isWanted = false;
  #lock = null;
  #isAsking = false;

  constructor() {
    // The browser releases the lock of a hidden page.
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
    // Without TLS, browsers have this only where the server is on the same machine.
    if (this.#lock || this.#isAsking || document.hidden || !("wakeLock" in navigator)) return;
    this.#isAsking = true;
    try {
      const lock = await navigator.wakeLock.request("screen");
      this.#lock = lock;
      lock.addEventListener("release", () => { if (this.#lock === lock) this.#lock = null; });
    } catch {
      // A browser may refuse, for example when the battery is low.
    }
    this.#isAsking = false;
    if (!this.#isWanted) this.#update();
  }
}
