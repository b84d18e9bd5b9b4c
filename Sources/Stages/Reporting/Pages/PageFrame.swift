extension Markup {
    /// A whole page around `body`: no other file is needed to read it, and no script.
    static func page(title: String, _ body: (inout Markup) -> Void) -> [UInt8] {
        var page = Markup()
        page.raw(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" \
            content="default-src 'none'; style-src 'unsafe-inline'; script-src '\(pageScriptHash)'">
            <meta name="referrer" content="no-referrer">

            """)
        page.element("title", "", title)
        page.raw("\n<style>\n\(pageStyle)</style>\n</head>\n<body>\n<main>\n")
        body(&page)
        page.raw("</main>\n<script>\(pageScript)</script>\n</body>\n</html>\n")
        return page.bytes
    }
}

/// Colours keep a contrast of 4.5 to 1 or more on their background, in both schemes (WCAG 2.2, 1.4.3).
private let pageStyle = """
    :root { --text: #1a1a1a; --soft: #555; --back: #fff; --line: #ccc; --head: #f2f2f2; --link: #0b4f9e;
      --good: #1a6b2f; --part: #8a5300; --bad: #b00020; }
    @media screen and (prefers-color-scheme: dark) {
      :root { --text: #e8e8e8; --soft: #b0b0b0; --back: #161616; --line: #444; --head: #242424; --link: #8ab8ff;
        --good: #7fd493; --part: #f0b65c; --bad: #ff8a8a; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
    main { max-width: 76rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
    h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .4rem; }
    p { margin: .3rem 0; } a { color: var(--link); } .soft { color: var(--soft); }
    .succeeded { color: var(--good); } .partial, .skipped-run { color: var(--part); }
    .failed, .interrupted, .overdue { color: var(--bad); } .status { font-weight: 600; }
    table { border-collapse: collapse; width: 100%; margin: .4rem 0; }
    caption { text-align: left; color: var(--soft); padding: .2rem 0; }
    th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem .3rem;
      border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
    thead th { background: var(--head); white-space: nowrap; }
    td.word, th.word { min-width: 9rem; }
    td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
    td.kind { white-space: nowrap; }
    code { font: 13px/1.4 ui-monospace, monospace; user-select: all; overflow-wrap: anywhere; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .6rem 0; }
    dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
    form { display: none; gap: 1rem; flex-wrap: wrap; align-items: center; margin: .5rem 0; }
    .live form { display: flex; }
    input { font: inherit; padding: .25rem .4rem; color: inherit; background: var(--back);
      border: 1px solid var(--soft); border-radius: 3px; }
    button.copy { font: inherit; font-size: .85em; margin-left: .4rem; color: inherit; background: var(--head);
      border: 1px solid var(--soft); border-radius: 3px; cursor: pointer; }
    th[aria-sort="ascending"] button::after { content: " ▲"; }
    th[aria-sort="descending"] button::after { content: " ▼"; }
    th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0;
      cursor: pointer; text-align: left; }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
    svg { display: block; height: 28px; max-width: 100%; } svg .succeeded { fill: var(--good); } svg .partial { fill: var(--part); }
    svg .failed, svg .interrupted { fill: var(--bad); } svg .skipped { fill: var(--soft); }
    svg .plain { fill: var(--soft); }
    @media (max-width: 45rem) { th, td { padding: .25rem .2rem; } thead th, td.kind { white-space: normal; }
      td.word, th.word { min-width: 4rem; } dl { grid-template-columns: 1fr; } }
    @media print { form, button.copy { display: none !important; } body { font-size: 8pt; } a { color: inherit; }
      main { max-width: none; padding: 0; } code { font-size: 7pt; } td.kind { white-space: normal; }
      td.word, th.word { min-width: 4rem; }
      tr { break-inside: avoid; } thead { display: table-header-group; } }

    """

/// Filters and sorts tables that are marked for it. What the page says does not need it.
let pageScript = """
    "use strict";
    document.documentElement.classList.add("live");
    for (const code of document.querySelectorAll("code.copy")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.setAttribute("aria-label", "Copy " + code.textContent);
      button.addEventListener("click", () => {
        getSelection().selectAllChildren(code);
        button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
      });
      code.after(button);
    }
    for (const table of document.querySelectorAll("table[data-sorts]")) {
      const body = table.tBodies[0], rows = [...body.rows], form = table.previousElementSibling;
      const text = form.querySelector("input[type=search]"), said = form.querySelector("output");
      const boxes = [...form.querySelectorAll("input[type=checkbox]")];
      const filter = () => {
        const words = text.value.toLowerCase().split(/\\s+/), kinds = boxes.filter(b => b.checked).map(b => b.value);
        let count = 0;
        for (const row of rows) {
          const found = row.textContent.toLowerCase();
          row.hidden = !(kinds.includes(row.dataset.kind) && words.every(w => found.includes(w)));
          count += !row.hidden;
        }
        said.textContent = count + " of " + rows.length + " shown";
      };
      form.addEventListener("input", filter);
      form.addEventListener("submit", event => event.preventDefault());
      filter();
      [...table.tHead.rows[0].cells].forEach((cell, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...cell.childNodes);
        cell.append(button);
        button.addEventListener("click", () => {
          const up = cell.getAttribute("aria-sort") !== "ascending";
          for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
          cell.setAttribute("aria-sort", up ? "ascending" : "descending");
          const value = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
          rows.sort((a, b) => value(a).localeCompare(value(b), undefined, { numeric: true }) * (up ? 1 : -1));
          body.append(...rows);
        });
      });
    }
    """

/// The one script that the page's policy lets run; a test holds it against the script.
let pageScriptHash = "sha256-uiXlHFn+uQ7nsbC2Qqq5lkRL/qZx6SAYI+aF9kuzJrM="
