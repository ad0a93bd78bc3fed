// Opened from a folder, without a server, a page may not start the worker that searches: browsers forbid it for file:
// addresses. The same script then runs in a frame that nobody sees. With a server this does nothing.
// Zensical would load such a script from another site; it looks for one of this name first.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.onmessage?.({ data });
      this.ready = new Promise((resolve, reject) => {
        const script = inside.document.createElement("script");
        script.onload = () => resolve(inside);
        script.onerror = (problem) => reject(problem);
        script.src = new URL(address, location.href).href;
        inside.document.head.append(script);
      });
      this.ready.catch((problem) => this.onerror?.(problem));
    }

    postMessage(data) {
      this.ready.then((inside) => inside.onmessage({ data: structuredClone(data) })).catch(() => {});
    }

    terminate() {
      this.frame.remove();
    }
  };
}
