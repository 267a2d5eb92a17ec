// Looking at a page as it stands: by axe-core, of whatever weight its findings are, for scrolling sideways, on a narrow screen
// for tables that do not fit, and as a picture where a folder for pictures is given.
import path from "node:path";

export function looker({ context, page, axe, check, name, width, colorScheme, pictures }) {
  return async function look(what) {
    const cdp = await context.newCDPSession(page);
    await cdp.send("Page.setBypassCSP", { enabled: true });
    await page.evaluate(axe);
    const found = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
    const named = found.violations.map((one) => `${one.id} ${one.nodes[0].target.join(" ")}`).join("; ");
    check(found.violations.length === 0, name(`${what}: axe-core ${named}`));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    check(!wide, name(`${what}: no scrolling sideways`));
    if (width < 640) {
      const tables = await page.evaluate(() => [...document.querySelectorAll(".rolagem")]
        .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.getAttribute("aria-label")).join(", "));
      check(tables === "", name(`${what}: tables fit ${tables}`));
    }
    if (pictures) await page.screenshot({ path: path.join(pictures, `${what}-${width}-${colorScheme}.png`), fullPage: true });
  };
}
