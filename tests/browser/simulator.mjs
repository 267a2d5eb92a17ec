// Orders to the simulated authorities of the hub under test, which `.ci/browser` names:
// SIMULATOR_URL. Their certificate is their own.
import https from "node:https";

/** What the control of the simulator answers (host/sim/README.md). */
export function simulator(method, path, body) {
  const url = new URL(`/__sim/${path}`, process.env.SIMULATOR_URL);
  return new Promise((done, failed) => {
    const request = https.request(url, { method, rejectUnauthorized: false, headers: { "content-type": "application/json" } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part) => { text += part; });
      answer.on("end", () => (answer.statusCode < 300 ? done(JSON.parse(text)) : failed(new Error(`the simulator answers ${answer.statusCode}: ${text}`))));
    });
    request.on("error", failed);
    request.end(body ? JSON.stringify(body) : undefined);
  });
}
