"""Open a page of neardup review in a headless Chromium, answer by keys and buttons, come back to it,
and save the labels. Called as review_browser.py PAGE FOLDER [SCREENSHOT]; prints what the page says
the precision is. Exit status 77 and a line where there is no Chromium to drive."""
import os
import sys
import time

import chromium_driver  # first: it skips where there is no selenium
from selenium.webdriver.common.by import By

page, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
chromium = chromium_driver.start(folder)
try:
    chromium.set_page_load_timeout(60)
    chromium.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
    chromium.get("file://" + page)

    def run(script):
        return chromium.execute_script("return " + script)

    def said(name):
        return chromium.find_element(By.ID, name).get_attribute("textContent")

    def press(keys):
        for key in keys:
            chromium.find_element(By.TAG_NAME, "body").send_keys(key)

    # nothing of strangers runs, and nothing that is not the page's own could
    assert run("window.hacked") is None
    assert run("document.scripts.length") == 1 and run("document.images.length") == 0
    run("(() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 9';"
        " document.body.append(s); })()")
    assert run("window.hacked") is None, "a script that is not the page's own runs"
    assert run("performance.getEntriesByType('resource').length") == 0

    pairs = chromium.find_elements(By.CSS_SELECTOR, "article.pair")
    shown = lambda: [p.is_displayed() for p in pairs]
    assert shown() == [True] + [False] * (len(pairs) - 1)
    press("yn?")
    assert shown().index(True) == 3 and sum(shown()) == 1
    press("\ue012")  # left arrow
    assert shown().index(True) == 2
    assert pairs[2].find_element(By.CLASS_NAME, "answer").text == "unsure"
    chromium.find_element(By.CSS_SELECTOR, "button[data-answer=n]").click()
    assert shown().index(True) == 3
    chromium.find_element(By.CSS_SELECTOR, "button[data-answer='?']").click()
    # what was answered is still there, and the first pair without an answer is shown
    chromium.refresh()
    pairs = chromium.find_elements(By.CSS_SELECTOR, "article.pair")
    assert shown().index(True) == 4
    press("y" * (len(pairs) - 6))
    assert said("sum").startswith("Precision of all pairs"), said("sum")
    if len(sys.argv) > 3:
        press("\ue012")
        chromium.save_screenshot(sys.argv[3])
    chromium.find_element(By.ID, "save").click()
    labels = os.path.join(folder, "review-labels.tsv")
    for _ in range(200):
        if os.path.exists(labels):
            break
        time.sleep(.05)
    assert os.path.exists(labels), "nothing is saved: %s" % chromium.get_log("browser")
    errors = [e["message"] for e in chromium.get_log("browser") if "Content Security Policy" not in e["message"]]
    assert not errors, errors
    print(said("sum"))
finally:
    chromium.quit()
