() => {
  const wrong = [];
  const say = (what, el) => {
    if (wrong.length < 40) wrong.push(what + ': ' + (el.outerHTML || el.textContent || '').slice(0, 140));
  };
  const all = s => [...document.querySelectorAll(s)];
  const byId = id => document.getElementById(id);

  const ids = new Map();
  for (const el of all('[id]')) {
    if (ids.has(el.id)) say('an id is used twice', el);
    ids.set(el.id, el);
  }

  // Headings in order, one of the first level, none empty.
  let level = 0;
  for (const h of all('h1, h2, h3, h4, h5, h6')) {
    const n = Number(h.tagName[1]);
    if (n > level + 1) say('a heading skips a level', h);
    if (h.textContent.trim() === '') say('a heading is empty', h);
    level = n;
  }
  if (all('h1').length !== 1) say('need one h1', document.body);

  // Landmarks.
  for (const s of ['body > header', 'main', 'body > footer']) {
    if (all(s).length !== 1) say('need one ' + s, document.body);
  }
  if (document.documentElement.lang !== 'en') say('the page has no language', document.body);
  if (document.title.trim() === '') say('the page has no title', document.body);

  // Names.
  const named = el => {
    const label = el.getAttribute('aria-label');
    if (label && label.trim()) return true;
    const by = el.getAttribute('aria-labelledby');
    return !!by && by.split(/\s+/).every(id => byId(id) && byId(id).textContent.trim() !== '');
  };
  for (const el of all('section, nav, [role=region], [role=img], svg')) if (!named(el)) say('it has no name', el);
  for (const el of all('svg')) {
    if (el.getAttribute('role') !== 'img') say('a picture has no role', el);
    if (!el.querySelector(':scope > title') || !el.querySelector(':scope > desc')) say('a picture has no text', el);
  }
  for (const el of all('img:not([alt]), iframe, object, embed, form')) say('it should not be here', el);
  for (const el of all('input')) if (!el.labels || el.labels.length === 0) say('a field has no label', el);
  for (const el of all('button, a')) if (el.textContent.trim() === '') say('it says nothing', el);
  for (const el of all('a[href^="#"]')) if (!byId(el.getAttribute('href').slice(1))) say('a link leads nowhere', el);
  for (const name of ['aria-controls', 'aria-labelledby', 'aria-describedby', 'for']) {
    for (const el of all('[' + name + ']')) {
      for (const id of el.getAttribute(name).split(/\s+/)) if (!byId(id)) say(name + ' names nothing', el);
    }
  }

  // Tables.
  for (const t of all('table')) {
    if (!t.caption || t.caption.textContent.trim() === '') say('a table has no caption', t);
    for (const th of t.querySelectorAll('th')) if (!['col', 'row'].includes(th.scope)) say('a heading cell has no scope', th);
    const n = t.tHead.rows[0].cells.length;
    for (const r of t.tBodies[0].rows) {
      if (r.cells.length !== n) say('a row has ' + r.cells.length + ' cells, need ' + n, r);
      if (r.cells[0].tagName !== 'TH') say('a row has no name', r);
    }
    if (t.querySelectorAll('[aria-sort]').length > 1) say('a table is sorted twice', t.tHead);
  }
  // What scrolls can be reached by keyboard.
  for (const el of all('.box')) {
    if ((el.scrollWidth > el.clientWidth || el.scrollHeight > el.clientHeight) && el.tabIndex !== 0) say('it scrolls and takes no focus', el);
  }

  // Contrast, from what is computed.
  const parse = c => {
    const m = c.match(/[\d.]+/g);
    if (!m) return [0, 0, 0, 0];
    return [...m.slice(0, 3).map(Number), m.length > 3 ? Number(m[3]) : 1];
  };
  const over = (top, under, share = 1) => {
    const a = top[3] * share;
    return [0, 1, 2].map(i => top[i] * a + under[i] * (1 - a)).concat(1);
  };
  const light = c => {
    const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const papers = new Map();
  const paper = el => {
    if (!papers.has(el)) papers.set(el, paperOf(el));
    return papers.get(el);
  };
  const paperOf = el => {
    const stack = [];
    for (let e = el; e; e = e.parentElement) stack.push(parse(getComputedStyle(e).backgroundColor));
    let c = [255, 255, 255, 1];
    if (matchMedia('(prefers-color-scheme: dark)').matches && !matchMedia('print').matches) c = [18, 18, 18, 1];
    for (const s of stack.reverse()) c = over(s, c);
    return c;
  };
  let texts = 0;
  const seen = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const el = node.parentElement;
    if (node.data.trim() === '' || el.closest('script, style, title, desc')) continue;
    const style = getComputedStyle(el);
    if (style.display === 'none' || style.visibility === 'hidden' || !el.checkVisibility()) continue;
    const svg = el.closest('svg');
    const ink = parse(svg ? style.fill : style.color);
    const size = parseFloat(style.fontSize);
    const need = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const under = [paper(el)];
    if (svg && svg.getAttribute('aria-labelledby').includes('-heat-') && el.getAttribute('text-anchor') === 'middle' && !el.classList.contains('muted')) {
      for (const cell of svg.querySelectorAll('path[fill-opacity].accent')) {
        under.push(over(parse(getComputedStyle(cell).fill), under[0], Number(cell.getAttribute('fill-opacity'))));
      }
    }
    texts++;
    for (const u of under) {
      const r = ratio(over(ink, u), u);
      const key = ink + '/' + u + '/' + need;
      if (r < need && !seen.has(key)) {
        seen.add(key);
        say('contrast ' + r.toFixed(2) + ', need ' + need, el);
      }
    }
  }
  if (texts < 20) say('only ' + texts + ' texts were looked at', document.body);
  // Marks that carry meaning: 3 to 1.
  for (const el of all('.glyph')) {
    const r = ratio(over(parse(getComputedStyle(el).color), paper(el)), paper(el));
    if (r < 4.5) say('contrast of a mark ' + r.toFixed(2), el);
  }

  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) {
    for (const el of all('body *')) {
      if (el.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !el.parentElement.closest('.box')) say('it is wider than the page', el);
    }
    say('the page scrolls sideways', document.body);
  }
  return wrong;
}
