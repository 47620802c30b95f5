"use strict";
const said = document.getElementById("sorted");
for (const table of document.querySelectorAll("table")) {
  const headings = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  headings.forEach((heading, column) => heading.firstElementChild.addEventListener("click", () => {
    const up = heading.getAttribute("aria-sort") !== "ascending";
    const rows = [...body.rows], keys = new Map(rows.map(row => [row, row.cells[column].dataset.key]));
    const numbers = [...keys.values()].every(key => key === "" || !Number.isNaN(Number(key)));
    const compare = (a, b) => numbers ? a - b : a.localeCompare(b, "en", { numeric: true });
    rows.sort((one, other) => {
      const a = keys.get(one), b = keys.get(other);
      return a === "" || b === "" ? (a === "") - (b === "") : up ? compare(a, b) : compare(b, a);    // nothing comes last
    });
    body.append(...rows);
    headings.forEach(other => other.setAttribute("aria-sort", "none"));
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    said.textContent = `Sorted by ${heading.textContent.trim()}, ${up ? "ascending" : "descending"}`;
  }));
}
