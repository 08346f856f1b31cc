'use strict';
// A table that is marked live gets buttons that sort it and a field that filters
// it. Without this script it is a table.
//
// Long tables are laid out once the page stands: until then they have a place and
// no content.
document.documentElement.classList.add('scripted');
addEventListener('load', () => setTimeout(() => {
  const later = window.requestIdleCallback || setTimeout;
  const boxes = [...document.querySelectorAll('.long .box')];
  const next = () => {
    const box = boxes.shift();
    if (!box) return;
    box.classList.add('ready');
    later(next);
  };
  next();
}, 150));
addEventListener('DOMContentLoaded', () => {
  const number = new Intl.NumberFormat('en');
  for (const table of document.querySelectorAll('table.live')) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const total = body.rows.length;
    let rows; // with their texts, read when they are first asked for
    const read = () => rows ??= [...body.rows].map(row => ({row, text: row.textContent.toLowerCase()}));
    const tools = table.closest('.tabled').querySelector('.tools');
    const field = tools.querySelector('input');
    const count = tools.querySelector('.count');

    // A figure as a number; NaN where it is a dash. "<0.001" lies below 0.001.
    const figure = text => {
      const s = text.replace('−', '-').replace(/,/g, '');
      const at = s.search(/[<>]/);
      if (at < 0) return s === '' ? NaN : Number(s);
      const v = Number(s.replace(/[<>]/, ''));
      return s[at] === '<' ? v / 2 : v + 0.0005;
    };
    const sort = (column, way) => {
      const byText = heads[column].classList.contains('t');
      const keyed = read().map(r => {
        const text = r.row.cells[column].textContent;
        return {r, key: byText ? text : figure(text)};
      });
      keyed.sort((a, b) => {
        const none = k => byText ? k === '' : Number.isNaN(k);
        if (none(a.key) || none(b.key)) return none(a.key) - none(b.key);
        return way * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
      });
      rows = keyed.map(k => k.r);
      const sorted = document.createDocumentFragment();
      for (const r of rows) sorted.append(r.row);
      body.append(sorted);
      for (const h of heads) h.removeAttribute('aria-sort');
      heads[column].setAttribute('aria-sort', way > 0 ? 'ascending' : 'descending');
    };
    heads.forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => sort(column, head.getAttribute('aria-sort') === 'ascending' ? -1 : 1));
    });
    const tell = shown => {
      count.textContent = number.format(shown) + ' of ' + number.format(total) + ' tasks shown';
    };
    const filter = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(w => w !== '');
      let shown = 0;
      for (const r of read()) {
        const show = words.every(w => r.text.includes(w));
        if (r.row.hidden === show) r.row.hidden = !show;
        shown += show;
      }
      tell(shown);
    };
    field.addEventListener('input', filter);
    tell(total);
    tools.hidden = false;
  }
});
