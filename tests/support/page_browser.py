"""Look at pages of neardup report and review in a headless Chromium, wide and narrow, light, dark and on
paper: nothing runs over the side, texts can be told from what is behind them, strangers' texts are texts.
Called as page_browser.py REPORT REVIEW FOLDER [SCREENSHOTS]; exit status 77 and a line where there is no
Chromium to drive."""
import os
import sys

import chromium_driver  # first: it skips where there is no selenium
from selenium.webdriver.common.by import By

# how much brighter one colour is than another (WCAG 2.2, contrast ratio)
CONTRAST = """
    const light = (text) => {
      const [r, g, b] = text.match(/[0-9.]+/g).map((v) => {
        const c = v / 255;
        return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
      });
      return .2126 * r + .7152 * g + .0722 * b;
    };
    const back = light(getComputedStyle(document.body).backgroundColor);
    return [...document.querySelectorAll("p, td, th, h1, h2, summary, dd, svg text")].map((e) => {
      const style = getComputedStyle(e);
      const own = e.closest("svg") ? style.fill : style.color;
      const [a, b] = [light(own), back].sort((x, y) => y - x);
      return (a + .05) / (b + .05);
    }).reduce((x, y) => Math.min(x, y), 99);
"""

report, review, folder = [os.path.abspath(name) for name in sys.argv[1:4]]
chromium = chromium_driver.start(folder)
try:
    chromium.set_page_load_timeout(60)

    def run(script):
        return chromium.execute_script(script)

    def texts(selector):
        return [e.get_attribute("textContent") for e in chromium.find_elements(By.CSS_SELECTOR, selector)]

    def look(width, scheme):
        chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": "", "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    for page in (report, review):
        name = os.path.splitext(os.path.basename(page))[0]
        chromium.get("file://" + page)
        backs = {}
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                look(width, scheme)
                wide = run("return document.documentElement.scrollWidth")
                assert wide <= width, "%s at %d: %d wide" % (name, width, wide)
                contrast = run(CONTRAST)
                assert contrast >= 4.5, "%s, %s: contrast %.2f" % (name, scheme, contrast)
                backs[scheme] = run("return getComputedStyle(document.body).backgroundColor")
                if len(sys.argv) > 4:
                    chromium.save_screenshot(os.path.join(sys.argv[4], "%s-%d-%s.png" % (name, width, scheme)))
        assert backs["light"] != backs["dark"], backs
        assert run("return window.hacked") is None and run("return document.images.length") == 0
        assert run("return performance.getEntriesByType('resource').length") == 0

    # the report: what it says first, in which order, and that charts say what they show
    look(1280, "light")
    chromium.get("file://" + report)
    headline = texts(".headline")
    assert len(headline) == 1 and "%" in headline[0] and "would be kept" in headline[0], headline
    assert texts("dt") == ["set", "representative", "similarity", "exact copy", "certainty", "thin"], texts("dt")
    heads = texts("h2")
    examples = next(i for i, head in enumerate(heads) if "largest sets" in head)
    assert examples < heads.index("Duplicates by site"), heads
    for chart in chromium.find_elements(By.TAG_NAME, "svg"):
        words = [t.text for t in chart.find_elements(By.TAG_NAME, "text")]
        assert any(w in words for w in ("pages", "sets", "milliseconds")) and "0" in words, words
    assert "<" in "".join(texts("td.text")), "hostile names are not shown as they are"
    pair = chromium.find_element(By.XPATH, "//details[summary[contains(., 'similarity')]]")
    inside = pair.find_element(By.CLASS_NAME, "diff")
    assert not inside.is_displayed()
    pair.find_element(By.TAG_NAME, "summary").click()
    assert inside.is_displayed()
    # on paper what is folded is printed too
    folded = chromium.find_element(By.XPATH, "//details[not(@open)]//table")
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    assert chromium.execute_script("return arguments[0].checkVisibility({contentVisibilityAuto: true})", folded)

    # the review: its keys are said
    chromium.get("file://" + review)
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    keys = texts(".keys kbd")
    assert keys == ["y", "n", "?", "\u2190", "\u2192", "s"], keys
    assert chromium.find_element(By.CLASS_NAME, "keys").is_displayed()
    assert texts("footer kbd") == ["y", "n", "?", "s"], texts("footer kbd")
    errors = [e["message"] for e in chromium.get_log("browser")]
    assert not errors, errors
    print("report and review at 1280 and 390, light and dark, and on paper")
finally:
    chromium.quit()
