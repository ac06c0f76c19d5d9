"use strict";
// Answers to the pairs of a review: taken by keys and buttons, kept in the browser, counted, saved.
(() => {
  const pairs = [...document.querySelectorAll("article.pair")];
  const rows = [...document.querySelectorAll("#bands tr")];
  const main = document.getElementById("pairs");
  const store = "neardup-review-" + main.dataset.key;
  const words = {y: "same", n: "not same", "?": "unsure"};
  const labels = {y: "near", n: "different", "?": "unsure"};
  let answers = {};
  let current = 0;

  function note(text) {
    document.getElementById("note").textContent = text;
  }

  function keep() {
    try {
      localStorage.setItem(store, JSON.stringify(answers));
    } catch (e) {
      note("This browser does not keep the answers: save them before you leave.");
    }
  }

  try {
    const kept = JSON.parse(localStorage.getItem(store) || "{}");
    for (const i in kept) {
      if (i in pairs && kept[i] in words) {
        answers[i] = kept[i];
      }
    }
  } catch (e) {
    answers = {};
  }

  // Wilson's interval, at 95 %.
  function interval(yes, of) {
    const z = 1.959963984540054;
    const share = yes / of;
    const middle = share + z * z / (2 * of);
    const half = z * Math.sqrt(share * (1 - share) / of + z * z / (4 * of * of));
    const scale = 1 + z * z / of;
    return {share, low: Math.max(0, (middle - half) / scale),
            high: Math.min(1, (middle + half) / scale)};
  }

  function count() {
    const total = {pairs: 0, known: 0, share: 0, low: 0, high: 0, answers: 0};
    for (const row of rows) {
      const of = {y: 0, n: 0, "?": 0};
      pairs.forEach((pair, i) => {
        if (pair.dataset.band === row.dataset.band && answers[i]) {
          of[answers[i]]++;
        }
      });
      row.found = of.y + of.n > 0 ? interval(of.y, of.y + of.n) : null;
      row.cells[3].textContent = of.y;
      row.cells[4].textContent = of.n;
      row.cells[5].textContent = of["?"];
      total.pairs += Number(row.dataset.pairs);
      total.answers += of.y + of.n;
      if (row.found) {
        total.known += Number(row.dataset.pairs);
      }
      if (row.cells.length > 6) {
        row.cells[6].textContent = row.found ? row.found.share.toFixed(4) : "";
        row.cells[7].textContent =
            row.found ? row.found.low.toFixed(4) + " to " + row.found.high.toFixed(4) : "";
      }
    }
    // Each band counts by its pairs; the bands' intervals are added in squares.
    let below = 0, above = 0;
    for (const row of rows.filter((r) => r.found)) {
      const weight = Number(row.dataset.pairs) / total.known;
      total.share += weight * row.found.share;
      below += (weight * (row.found.share - row.found.low)) ** 2;
      above += (weight * (row.found.high - row.found.share)) ** 2;
    }
    const sum = document.getElementById("sum");
    const random = rows.length > 0 && rows[0].cells.length > 6;
    const open = new Set(pairs.filter((pair, i) => !answers[i]).map((pair) => pair.dataset.set));
    const sets = new Set(pairs.map((pair) => pair.dataset.set));
    if (!random || total.known === 0) {
      sum.textContent = Object.keys(answers).length + " of " + pairs.length + " answered" +
          (sets.has(undefined) ? ""
                               : "; " + (sets.size - open.size) + " of " + sets.size +
                                   " sets to the end");
    } else {
      sum.textContent = "Precision of all pairs: " + total.share.toFixed(4) + " (" +
          Math.max(0, total.share - Math.sqrt(below)).toFixed(4) + " to " +
          Math.min(1, total.share + Math.sqrt(above)).toFixed(4) + " with 95 % confidence), from " +
          total.answers + " answers" +
          (total.known < total.pairs
               ? "; of " + (100 * total.known / total.pairs).toFixed(1) +
                   " % of the pairs: the other bands have no answer"
               : "");
    }
  }

  function show(i) {
    current = Math.min(Math.max(i, 0), pairs.length - 1);
    pairs.forEach((pair, k) => pair.classList.toggle("current", k === current));
    for (const button of document.querySelectorAll("button[data-answer]")) {
      button.classList.toggle("chosen", answers[current] === button.dataset.answer);
    }
    pairs[current].querySelector(".answer").textContent =
        answers[current] ? words[answers[current]] : "";
  }

  function move(by) {
    show(current + by);
    scrollTo(0, Math.min(scrollY, main.offsetTop));
  }

  function answer(letter) {
    answers[current] = letter;
    keep();
    count();
    let next = current + 1; // the next one without an answer, else the next
    while (next < pairs.length && answers[next]) {
      next++;
    }
    move((next < pairs.length ? next : current + 1) - current);
  }

  // A line for each answer: both names, the label, the band, and how many pairs that has; of whole
  // sets the set, and how many of its pages are judged.
  function save() {
    let text = "", left = 0;
    pairs.forEach((pair, i) => {
      if (!answers[i]) {
        return;
      }
      if (pair.dataset.a === undefined || pair.dataset.b === undefined) {
        left++;
        return;
      }
      const row = rows.find((r) => r.dataset.band === pair.dataset.band);
      text += [pair.dataset.a, pair.dataset.b, labels[answers[i]],
               row ? row.cells[0].textContent : pair.dataset.set,
               row ? row.dataset.pairs : pair.dataset.pages].join("\t") + "\n";
    });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type: "text/tab-separated-values"}));
    link.download = "review-labels.tsv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    note(left === 0 ? "" : left + " answers have no place in the file: their pages have no name, " +
         "one name, or one that cannot be written.");
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (event.key in words) {
      answer(event.key);
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      move(event.key === "ArrowRight" ? 1 : -1);
    } else if (event.key === "s") {
      save();
    } else {
      return;
    }
    event.preventDefault();
  });
  for (const button of document.querySelectorAll("button[data-answer]")) {
    button.addEventListener("click", () => answer(button.dataset.answer));
  }
  for (const button of document.querySelectorAll("button[data-move]")) {
    button.addEventListener("click", () => move(Number(button.dataset.move)));
  }
  document.getElementById("save").addEventListener("click", save);

  document.body.classList.add("script");
  document.querySelector("footer").hidden = false;
  count();
  show(Math.max(0, pairs.findIndex((pair, i) => !answers[i])));
})();
