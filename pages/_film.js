// A walk played on the maps: frames that came in one message (odk/viz/film.py), shown one after the other with no word to
// Python; only a single merge between two frames is asked for. Joined to _twin.js, whose Stage has a Player.

const PACE = 240; // milliseconds a frame is shown at least
const SLOW = 260; // and drawn within, or fewer zones are drawn while it plays
let bearable = 4000; // zones of a map that this browser draws in that time: found out while playing
const positions = new Map(); // by film: where it was left, for those who come back to its page

class Player {
  constructor(stage, bar, foot) {
    this.stage = stage;
    this.bar = bar;
    this.foot = foot;
    this.told = bar.querySelector('.told');
    this.range = bar.querySelector('input');
    this.button = bar.querySelector('[data-do="play"]');
    const acts = {
      play: () => (this.playing ? this.stop() : this.play()),
      back: () => this.ask(-1),
      next: () => this.ask(1),
      end: () => this.jump(this.main.stop ?? 0),
    };
    for (const button of bar.querySelectorAll('button')) button.addEventListener('click', acts[button.dataset.do]);
    this.range.addEventListener('input', () => this.jump(Number(this.range.value), false));
    this.range.addEventListener('change', () => this.report());
  }

  // Take a film: as it was left where Python has asked for no other place since.
  load({ main, extra, at, asked, report }) {
    if (this.main?.key !== main.key) this.main = main;
    this.extra = extra;
    this.wanted = report;
    const known = positions.get(this.main.key);
    const there = this.main.steps.indexOf(at);
    const place = known?.asked === asked && (known.frame >= 0 || extra) ? known.frame : there;
    this.asked = asked;
    this.bar.hidden = false;
    this.range.max = this.main.steps.length - 1;
    this.set(place >= 0 || extra ? place : 0);
  }

  // The film and the frame of it that is shown: -1 is the one frame of the other film, between two of this one.
  set(frame) {
    this.frame = frame;
    positions.set(this.main.key, { asked: this.asked, frame });
    const [film, at] = frame < 0 ? [this.extra, 0] : [this.main, frame];
    const most = this.playing ? bearable : Infinity;
    this.cut = { film, at, most, version: `${film.key} ${at} ${most}` };
    this.told.innerHTML = film.words[at]; // made by odk from numbers and its own words
    this.range.value = frame < 0 ? this.before : frame;
    this.range.setAttribute('aria-valuetext', `${number(film.steps[at])} merges`);
    this.foot.querySelectorAll('.now').forEach((mark, i) => {
      const [x, y] = film.spots[at][i];
      mark.setAttribute('transform', `translate(${x} 0)`);
      mark.querySelector('circle').setAttribute('cy', y);
    });
    this.bar.dataset.step = film.steps[at];
  }

  // The last frame up to the step that is shown.
  get before() {
    const step = this.extra?.steps[0] ?? 0;
    return Math.max(0, this.main.steps.findLastIndex((s) => s <= step));
  }

  jump(frame, report = true) {
    this.stop(false);
    this.set(frame);
    this.stage.redraw();
    if (report) this.report();
  }

  play() {
    const from = this.frame < 0 ? this.before : this.frame;
    this.dress(true);
    this.turn(from >= this.main.steps.length - 1 ? 0 : from);
    this.tick();
  }

  // The next frame when this one has been seen: drawn, and shown for a while.
  tick() {
    if (!this.playing || this.stage.closed) return;
    const shown = performance.now() - this.since;
    if (!this.took && this.stage.isDrawn) this.learn((this.took = shown));
    if (shown >= PACE && (this.took || shown > 2000)) {
      if (this.frame >= this.main.steps.length - 2) return this.jump(this.main.steps.length - 1);
      this.turn(this.frame + 1);
    }
    this.timer = setTimeout(() => this.tick(), 20);
  }

  turn(frame) {
    this.set(frame);
    this.since = performance.now();
    this.took = 0;
    this.stage.redraw();
  }

  // Fewer zones where they take too long, more where there is time.
  learn(took) {
    const drawn = Math.max(...Object.values(this.drawn ?? { none: 0 }));
    if (took > SLOW) bearable = Math.max(800, Math.round(0.6 * Math.min(bearable, drawn)));
    else if (took < SLOW / 2 && drawn >= bearable) bearable = Math.round(1.3 * bearable);
  }

  stop(report = true) {
    const was = this.playing;
    clearTimeout(this.timer);
    this.dress(false);
    if (!was || !report) return;
    this.set(this.frame); // with all zones again
    this.stage.redraw();
    this.report();
  }

  dress(playing) {
    this.playing = playing;
    this.button.querySelector('b').textContent = playing ? 'Stop' : 'Play';
    this.button.querySelector('span').textContent = playing ? '■' : '▶';
  }

  get step() {
    return this.cut.film.steps[this.cut.at];
  }

  ask(by) {
    this.stop(false);
    this.stage.ask({ step: this.step, by });
  }

  // Python shows the zones as a table where that is open, or where there are no maps.
  report() {
    if (this.wanted || this.stage.isBlind) this.stage.ask({ step: this.step, by: 0 });
  }

  reel(view) {
    return this.cut.film.reels[view.id];
  }

  note(view) {
    const note = this.reel(view).notes[this.cut.at];
    const thin = this.drawn?.[view.id] < this.reel(view).count;
    return thin ? `${note.split(', the ')[0]}, the ${number(this.drawn[view.id])} largest while it plays` : note;
  }

  // The zones of a map in this frame.
  rows(view) {
    const reel = this.reel(view);
    const { at, film, most } = this.cut;
    if (!reel.starts) {
      let start = 0;
      reel.starts = reel.frames.map((frames) => (start += frames) - frames);
    }
    let here = [];
    for (let i = 0; i < reel.zone.length; i++) if (at >= reel.from[i] && at < reel.from[i] + reel.frames[i]) here.push(i);
    reel.count = here.length;
    if (here.length > most) {
      const largest = here.toSorted((a, b) => reel.volume[b] - reel.volume[a]).slice(0, most);
      here = largest.sort((a, b) => a - b); // coarse ones first again
    }
    this.drawn = { ...this.drawn, [view.id]: here.length };
    return here.map((i) => {
      const share = reel.share[reel.starts[i] + at - reel.from[i]];
      const step = film.limits.filter((limit) => limit <= share / 100).length;
      const shape = reel.level[i] < 0 ? { position: reel.at[i] } : this.stage.shapeOf(reel.zone[i]);
      return { on: view.id, i, zone: reel.zone[i], fail: 0, mark: 0, step, share, ...shape };
    });
  }

  marks(view) {
    const reel = this.reel(view);
    const { at } = this.cut;
    return { fresh: reel.fresh[at].map((i) => reel.zone[i]), rings: reel.rings[at] ? [reel.rings[at]] : [] };
  }

  // What a tooltip says of a zone.
  lines(view, { i, share }) {
    const reel = this.reel(view);
    const name = reel.name[i] || `${reel.zone[i]}${reel.level[i] < 0 ? '' : `, level ${reel.level[i]}`}`;
    const leaves = reel.leaves[i] === 1 ? 'a leaf' : `${number(reel.leaves[i])} leaves`;
    const { unit } = this.cut.film;
    return [`<b>${escaped(name)}</b>`, `${number(reel.volume[i])} ${escaped(unit)}`, `${share}% of them in flows that reach the rule`, leaves];
  }
}
