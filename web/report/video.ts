// SPDX-License-Identifier: Apache-2.0
// What a canvas shows, recorded for some seconds as WebM.

export const canRecord = (): boolean => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");

export function record(canvas: HTMLCanvasElement, seconds: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 6_000_000 });
    const parts: Blob[] = [];
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    recorder.addEventListener("stop", () => resolve(new Blob(parts, { type: "video/webm" })));
    recorder.addEventListener("error", () => reject(new Error("the browser could not record the picture")));
    recorder.start();
    setTimeout(() => recorder.stop(), 1000 * seconds);
  });
}
