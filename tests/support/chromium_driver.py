"""A headless Chromium for tests of pages, driven by selenium. Importing this module ends the program with
status 77 and a line where there is none."""
import shutil
import sys
import tempfile

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    print("SKIPPED: there is no python3-selenium")
    sys.exit(77)
BROWSER = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
if not BROWSER or not DRIVER:
    print("SKIPPED: there is no chromium with its chromium-driver")
    sys.exit(77)


def start(folder):
    """One with a profile of its own in the folder; the caller quits it."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1200,900", "--user-data-dir=" + tempfile.mkdtemp(dir=folder)):
        options.add_argument(argument)
    return webdriver.Chrome(service=Service(DRIVER), options=options)
