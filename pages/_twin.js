// Maps side by side that move together: one deck.gl canvas, one view a map, one camera for all.
// Python sends a scene (odk/viz/twin.py) and hears of clicks; camera and hover never leave the browser.

const cameras = new Map(); // by map and window, so that a view outlives reruns and page changes
const moved = new Set(); // cameras that the user has moved, or clicked under
const outlines = new Map(); // outlines of cells, by their id
const stages = new WeakMap(); // by the element Streamlit gives us

const FONT = '"Source Sans", "Source Sans 3", system-ui, sans-serif';
const SPECK = 3.5; // pixels across; a zone that is smaller is drawn as a dot of this size
const number = (value) => Math.round(value).toLocaleString('en-US');
const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const css = (colour, alpha = 1) => `rgba(${colour[0]},${colour[1]},${colour[2]},${alpha})`;

// Whether this browser has WebGL; asked once, since every canvas that is asked takes one of the few contexts.
let able;
function canDraw() {
  if (able === undefined) {
    const context = document.createElement('canvas').getContext('webgl2');
    able = Boolean(context);
    context?.getExtension('WEBGL_lose_context')?.loseContext();
  }
  return able;
}

// deck.gl and luma.gl note their version on the window and refuse to live beside another one, such as that of
// st.pydeck_chart. Ours keeps to itself: what is noted there is set aside while it loads, and put back.
let loading;
function load(url) {
  loading ??= (async () => {
    const hint = Object.assign(document.createElement('link'), { rel: 'modulepreload', href: url });
    await new Promise((done) => {
      hint.onload = hint.onerror = done;
      document.head.append(hint);
    });
    const before = ['deck', 'luma'].map((name) => [name, globalThis[name]]);
    for (const [name] of before) delete globalThis[name];
    try {
      return await import(url);
    } finally {
      for (const [name, value] of before) value === undefined ? delete globalThis[name] : (globalThis[name] = value);
    }
  })();
  loading.catch(() => (loading = undefined)); // the next map may try again
  return loading;
}

export default async function ({ data, parentElement, setTriggerValue, setStateValue }) {
  let stage = stages.get(parentElement);
  if (!stage) {
    stage = new Stage(...['.twin', '.foot', '.bar'].map((part) => parentElement.querySelector(part)));
    stages.set(parentElement, stage);
  }
  stage.pick = (value) => setTriggerValue('picked', value);
  stage.ask = (value) => setTriggerValue('asked', { ...value, now: Date.now() });
  stage.blind = () => setStateValue('blind', true);
  await stage.show(data);
  return () => {
    stage.close();
    stages.delete(parentElement);
  };
}

// Figures and controls come first: they are quick, and a first map keeps the browser busy for a second.
const othersShown = async () => {
  const free = () => new Promise((done) => (window.requestIdleCallback ?? setTimeout)(done, { timeout: 500 }));
  await free(); // nothing is being rendered
  for (let n = 0; n < 40 && document.querySelector('[data-testid="stSkeleton"]'); n++)
    await new Promise((done) => setTimeout(done, 25)); // nothing is being fetched
  await free();
};

class Stage {
  constructor(root, foot, bar) {
    this.root = root;
    this.foot = foot;
    this.canvas = root.querySelector('.canvas');
    this.cards = root.querySelector('.cards');
    this.tip = root.querySelector('.tip');
    root.addEventListener('pointerleave', () => this.hover({}));
    this.rows = new Map(); // geometry of each map's zones, by version
    this.lists = new Map(); // and how they are drawn at this zoom
    this.hovered = null;
    this.closed = false;
    this.player = new Player(this, bar, foot);
  }

  async show(scene) {
    this.scene = scene;
    this.dress();
    if (scene.film) this.player.load(scene.film);
    if (!this.library) {
      await othersShown();
      if (!canDraw()) return this.giveUp();
      try {
        this.library = await load(new URL(scene.library, document.location.origin).href);
      } catch (error) {
        return this.giveUp();
      }
    }
    if (this.closed || scene !== this.scene) return; // gone, or overtaken by a newer scene
    if (!this.sizes) {
      this.sizes = new ResizeObserver(() => this.resized());
      for (const element of [this.root, this.page?.main, this.page?.block]) element && this.sizes.observe(element);
    }
    this.size = null;
    this.resized();
  }

  // Draw at the size that there is now; in a tab that is not open there is none, until it is opened.
  resized() {
    if (this.closed || !this.root.clientWidth) return;
    this.fill();
    const size = `${this.root.clientWidth} ${this.height}`;
    if (size === this.size) return;
    this.size = size;
    const known = cameras.get(this.place);
    if (known && moved.has(this.place)) {
      this.camera = known;
      if (this.high && this.high !== this.height) this.hold();
    } else this.camera = this.fitted(this.scene.window);
    cameras.set(this.place, this.camera);
    if (this.begun !== this.scene) {
      this.begun = this.scene;
      this.pending = null; // what was clicked is answered by now
      this.make();
    }
    this.high = this.height;
    this.draw();
  }

  // What is below the pointer stays there: the upper edge holds, the lower one moves; but not over what was clicked.
  hold() {
    const under = Math.max(0, (this.clicked ?? 0) - (this.height - 90));
    const y = mercator(this.camera.latitude) + ((this.height - this.high) / 2 + under) / (512 * 2 ** this.camera.zoom);
    this.camera = { ...this.camera, latitude: latitude(y) };
    this.clicked = null;
    this.tip.hidden = true;
  }

  // The page around: what scrolls, and all that stands in it.
  get page() {
    const host = this.root.getRootNode().host ?? this.root;
    const main = host.closest('[data-testid="stMain"]');
    const block = main?.querySelector('[data-testid="stMainBlockContainer"]');
    return block && { main, block };
  }

  // As high as the rest of the page leaves room for, so that nothing scrolls and nothing stays empty.
  fill() {
    const { page } = this;
    if (this.scene.height || !page || this.isBlind) return;
    const rest = page.block.offsetHeight - this.root.offsetHeight;
    const height = Math.round(Math.min(1400, Math.max(this.scene.least, page.main.clientHeight - rest - 1)));
    if (Math.abs(height - this.root.offsetHeight) > 1) this.root.style.height = `${height}px`;
  }

  get place() {
    return `${this.scene.name} ${this.scene.window.key}`;
  }

  // The window was measured on a map of another size: the same part of the world on this one.
  fitted({ camera, width, height }) {
    const more = Math.log2(Math.min(this.width / width, (this.height - 60) / height)); // headings and legends lie on the map
    return { ...camera, zoom: camera.zoom + Math.min(more, 1.5) };
  }

  close() {
    this.closed = true;
    this.sizes?.disconnect();
    clearTimeout(this.later);
    this.player.stop(false);
    const device = this.deck?.device;
    this.deck?.finalize();
    device?.loseDevice(); // or the browser keeps its context, of which there are few, until it tidies up
  }

  // After another frame was set; before the first scene is drawn there is nothing to draw anew.
  redraw() {
    if (this.deck && this.begun === this.scene) this.draw();
  }

  get isDrawn() {
    return !this.deck || this.root.dataset.drawn === this.given;
  }

  get isBlind() {
    return this.root.classList.contains('blind');
  }

  giveUp() {
    this.root.classList.add('blind');
    this.root.querySelector('.sorry').hidden = false;
    this.blind();
  }

  make() {
    if (this.deck) return;
    const { Deck } = this.library;
    this.deck = new Deck({
      parent: this.canvas,
      style: { position: 'absolute' },
      views: this.views(),
      viewState: this.cameraOfAll(),
      layerFilter: ({ layer, viewport }) => layer.props.on === undefined || layer.props.on === viewport.id,
      onViewStateChange: ({ viewState }) => this.move(viewState),
      onHover: (info) => this.hover(info),
      onClick: (info) => this.click(info),
      eventRecognizerOptions: { click: { time: 1000 } }, // a busy browser sees button down and up late: still a click
      getCursor: ({ isDragging }) => (isDragging ? 'grabbing' : (this.hovered && this.viewOf(this.hovered)?.clicks) ? 'pointer' : 'grab'),
      onAfterRender: () => (this.root.dataset.drawn = this.given), // for those who wait for a picture
      onError: (error) => console.warn('map:', error.message),
      layers: [],
    });
  }

  // The frame: headings and legends over each map, from the scene's own words.
  dress() {
    const { scene } = this;
    const { colours } = scene;
    this.root.style.setProperty('--text', css(colours.text));
    this.root.style.setProperty('--faint', css(colours.faint));
    this.root.style.setProperty('--plate', css(colours.background, 0.86));
    this.root.style.setProperty('--paper', css(colours.background, 0.96));
    if (scene.height) this.root.style.height = `${scene.height}px`;
    this.foot.innerHTML = scene.foot; // made by odk from numbers and its own words
    this.root.setAttribute('aria-label', scene.views.map((view) => view.alt).join(' '));
    this.cards.replaceChildren(
      ...scene.views.map((view) => {
        const card = document.createElement('div');
        card.className = 'card';
        card.dataset.view = view.id;
        const title = document.createElement('div');
        title.className = 'plate title';
        const name = document.createElement('b');
        name.textContent = view.title;
        name.style.color = css(view.colour);
        const note = document.createElement('span');
        note.className = 'note';
        note.textContent = view.note;
        title.append(name, ' ', note);
        const legend = document.createElement('div');
        legend.className = 'plate legend';
        legend.innerHTML = view.legend; // made by odk from numbers and its own words
        card.append(title, legend);
        return card;
      }),
    );
  }

  get gap() {
    return 12;
  }

  get height() {
    return this.root.clientHeight;
  }

  get width() {
    const n = this.scene.views.length;
    return Math.max(1, Math.floor((this.root.clientWidth - this.gap * (n - 1)) / n));
  }

  views() {
    const { MapView } = this.library;
    return this.scene.views.map(
      ({ id }, i) =>
        new MapView({
          id,
          x: i * (this.width + this.gap),
          width: this.width,
          repeat: true, // zones on both sides of the antimeridian are neighbours
          controller: { dragRotate: false, touchRotate: false, inertia: 250, keyboard: true },
        }),
    );
  }

  cameraOfAll() {
    return Object.fromEntries(this.scene.views.map(({ id }) => [id, this.camera]));
  }

  move(viewState) {
    const { longitude, latitude, zoom } = viewState;
    const { minZoom, maxZoom } = this.scene.window.camera;
    const before = this.camera.zoom;
    const [dx, dy] = [longitude - this.camera.longitude, latitude - this.camera.latitude];
    if (Math.abs(zoom - before) + Math.abs(dx) + Math.abs(dy) > 1e-7) moved.add(this.place);
    this.camera = { longitude, latitude, zoom, minZoom, maxZoom, pitch: 0, bearing: 0 };
    cameras.set(this.place, this.camera);
    this.deck.setProps({ viewState: this.cameraOfAll() });
    clearTimeout(this.later);
    this.later = setTimeout(() => !this.closed && this.draw(), Math.abs(zoom - before) > 0 ? 120 : 250);
  }

  draw() {
    const { scene } = this;
    // Layers of the basemap are made once: a layer that is given again as it was costs nothing.
    if (this.base?.key !== scene.base) {
      const [ground, lines] = [scene.ground, scene.lines].map((parts) => parts.map((part) => this.baseLayer(part)));
      this.base = { key: scene.base, ground, lines };
    }
    const sight = [scene.base, this.width, this.height, ...Object.values(this.camera)].join(' ');
    if (this.names?.sight !== sight) this.names = { sight, layer: this.placeLayer() };
    this.below = [
      ...(scene.tiles ? this.tileLayers() : this.base.ground),
      ...scene.views.flatMap((view) => this.zoneLayers(view)),
      ...(scene.tiles ? [] : this.base.lines),
      ...scene.views.flatMap((view) => this.edgeLayers(view)),
    ];
    this.above = [...scene.views.flatMap((view) => this.flowLayers(view)), ...(scene.tiles ? [] : [this.names.layer])];
    if (scene.film)
      this.cards.querySelectorAll('.note').forEach((note, i) => (note.textContent = this.player.note(scene.views[i])));
    this.given = scene.views.map((view) => [this.version(view), ...(view.selected ?? [])].join('+')).join(' ');
    this.deck.setProps({ views: this.views(), viewState: this.cameraOfAll() });
    this.point();
  }

  // Only what is below the pointer is made anew.
  point() {
    this.deck.setProps({ layers: [...this.below, ...this.hoverLayers(), ...this.above] });
  }

  // Zones as rows with their outline in degrees, made once for each version of a map.
  zonesOf(view) {
    const known = this.rows.get(view.id);
    const version = this.version(view);
    if (known?.version === version) return known.rows;
    const rows = this.scene.film ? this.player.rows(view) : this.rowsOf(view);
    this.rows.set(view.id, { version, rows });
    return rows;
  }

  version(view) {
    return this.scene.film ? this.player.cut.version : view.version;
  }

  // A cell's outline in degrees, its middle, and how high it is.
  shapeOf(zone) {
    if (outlines.size > 200_000) outlines.clear();
    let shape = outlines.get(zone);
    if (!shape) outlines.set(zone, (shape = around(unwrapped(this.library.cellToBoundary(zone, true)))));
    return shape;
  }

  rowsOf(view) {
    return view.zones.zone.map((zone, i) => {
      const row = { on: view.id, i, zone, fail: view.zones.failing[i], mark: view.zones.mark[i], step: view.zones.step[i] };
      if (view.zones.box) {
        const [w, s, e, n] = view.zones.box[i];
        Object.assign(row, around([[w, s], [e, s], [e, n], [w, n]]));
      } else if (view.zones.level[i] >= 0) {
        Object.assign(row, this.shapeOf(zone));
      } else {
        row.position = view.zones.at[i];
      }
      return row;
    });
  }

  // Rows outlive a scene whose zones are the same; what is chosen, and the words, are those of the scene of now.
  viewOf(row) {
    return this.scene.views.find((view) => view.id === row.on);
  }

  baseLayer({ id, kind, shapes, colour, width }) {
    const { SolidPolygonLayer, PathLayer } = this.library;
    return kind === 'fill'
      ? new SolidPolygonLayer({ id, data: shapes, getPolygon: (d) => d, getFillColor: colour, updateTriggers: { getFillColor: colour } })
      : new PathLayer({
          id,
          data: shapes,
          getPath: (d) => d,
          getColor: colour,
          getWidth: width,
          widthUnits: 'pixels',
          updateTriggers: { getColor: colour },
        });
  }

  // Pictures of a map from outside, only where the user asked for them: those in sight, at the nearest whole zoom.
  tileLayers() {
    const { BitmapLayer } = this.library;
    const { longitude, latitude, zoom } = this.camera;
    const z = Math.max(1, Math.min(18, Math.round(zoom + 1)));
    const n = 2 ** z;
    const world = 512 * 2 ** zoom;
    const x0 = (longitude + 180) / 360;
    const y0 = mercator(latitude);
    const [across, down] = [this.width / 2 / world, this.height / 2 / world];
    const lat = (y) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / n))) * 180) / Math.PI;
    const found = [];
    for (let x = Math.floor((x0 - across) * n); x <= (x0 + across) * n; x++)
      for (let y = Math.max(0, Math.floor((y0 - down) * n)); y <= Math.min(n - 1, (y0 + down) * n); y++) {
        const image = this.scene.tiles.url.replace('{z}', z).replace('{x}', ((x % n) + n) % n).replace('{y}', y);
        const bounds = [(x / n) * 360 - 180, lat(y + 1), ((x + 1) / n) * 360 - 180, lat(y)];
        found.push(new BitmapLayer({ id: `tile-${z}-${x}-${y}`, image, bounds }));
      }
    return found.slice(0, 80);
  }

  // Zones that are large enough at this zoom to be drawn by their outline, those that would be specks of it, and those
  // that have none. The same lists as before where nothing has changed, so that deck.gl sees the same data again.
  sorted(view, rows) {
    const close = Math.round(this.camera.zoom * 4);
    const known = this.lists.get(view.id);
    if (known?.rows === rows && known.close === close) return known;
    const pixels = (512 * 2 ** this.camera.zoom) / 360 / Math.cos((this.camera.latitude * Math.PI) / 180);
    const [shapes, specks, points] = [[], [], []];
    for (const row of rows) (!row.polygon ? points : row.high * pixels < SPECK + 0.5 ? specks : shapes).push(row);
    const found = { rows, close, shapes, specks, points };
    if (known?.rows === rows && known.shapes.length === shapes.length) Object.assign(found, { shapes: known.shapes, specks: known.specks });
    this.lists.set(view.id, found);
    return found;
  }

  zoneLayers(view) {
    const { PolygonLayer, ScatterplotLayer } = this.library;
    const { outline } = this.scene.colours;
    const rows = this.zonesOf(view);
    const fill = (d) => view.ramp[d.step];
    const common = {
      on: view.id,
      pickable: !this.player.playing, // edges and picking are half of the work of a frame
      stroked: !this.player.playing,
      getFillColor: fill,
      getLineColor: view.line ?? outline,
      lineWidthUnits: 'pixels',
      getLineWidth: 0.8,
      updateTriggers: { getFillColor: this.version(view), getLineColor: this.version(view) },
    };
    const { shapes, specks, points } = this.sorted(view, rows);
    const found = [];
    if (specks.length)
      found.push(
        new ScatterplotLayer({
          ...common,
          id: `${view.id}-specks`,
          stroked: false,
          data: specks,
          getPosition: (d) => d.position,
          getRadius: SPECK / 2,
          radiusUnits: 'pixels',
        }),
      );
    found.push(new PolygonLayer({ ...common, id: `${view.id}-zones`, data: shapes, getPolygon: (d) => d.polygon }));
    if (points.length)
      found.push(
        new ScatterplotLayer({
          ...common,
          id: `${view.id}-points`,
          data: points,
          getPosition: (d) => d.position,
          getRadius: 7,
          radiusUnits: 'pixels',
        }),
      );
    return found;
  }

  edgeLayers(view) {
    const { PathLayer, TextLayer, ScatterplotLayer } = this.library;
    const { colours } = this.scene;
    const rows = this.zonesOf(view);
    const version = this.version(view);
    const ring = (id, data, colour, width) =>
      new PathLayer({
        id: `${view.id}-${id}`,
        on: view.id,
        data,
        getPath: (d) => [...d.polygon, d.polygon[0]],
        getColor: colour,
        getWidth: width,
        widthUnits: 'pixels',
        jointRounded: true,
        updateTriggers: { getPath: version, getColor: version, getWidth: version },
      });
    const shaped = rows.filter((row) => row.polygon);
    const chosen = new Set(this.pending?.view === view.id ? [this.pending.zone] : view.selected);
    const fresh = new Set(this.scene.film ? this.player.marks(view).fresh : view.fresh);
    const heavy = (d) => (d.fail > 4 ? 4 : d.fail > 1 ? 2.5 : 1.5);
    const found = [];
    const add = (id, data, colour, width) => data.length && found.push(ring(id, data, colour, width));
    if (view.outlined) add('failing', shaped.filter((d) => d.fail > 0), colours.failing, heavy);
    add('fresh', shaped.filter((d) => fresh.has(d.zone)), colours.good, 3);
    add('halo', shaped.filter((d) => chosen.has(d.zone)), colours.halo, 6);
    add('chosen', shaped.filter((d) => chosen.has(d.zone)), colours.text, 3);
    const dots = rows.filter((d) => !d.polygon && (chosen.has(d.zone) || (view.outlined && d.fail > 0)));
    if (dots.length)
      found.push(
        new ScatterplotLayer({
          id: `${view.id}-dots`,
          on: view.id,
          data: dots,
          filled: false,
          stroked: true,
          getPosition: (d) => d.position,
          getRadius: 8,
          radiusUnits: 'pixels',
          lineWidthUnits: 'pixels',
          getLineWidth: 3,
          getLineColor: (d) => (chosen.has(d.zone) ? colours.text : colours.failing),
        }),
      );
    // A mark is written only where it fits its zone at this zoom.
    const pixels = (512 * 2 ** this.camera.zoom) / 360 / Math.cos((this.camera.latitude * Math.PI) / 180);
    const marked = rows.filter((d) => d.mark && d.high * pixels > 17);
    if (marked.length)
      found.push(
        new TextLayer({
          id: `${view.id}-marks`,
          on: view.id,
          data: marked,
          getPosition: (d) => d.position,
          getText: (d) => (d.mark > 0 ? '+' : '−'),
          characterSet: ['+', '−'],
          getSize: (d) => Math.min(22, 0.62 * d.high * pixels),
          getColor: colours.text,
          fontFamily: FONT,
          fontWeight: 700,
          fontSettings: { sdf: true, buffer: 6 },
          outlineWidth: 4,
          outlineColor: [...colours.halo, 255],
        }),
      );
    return found;
  }

  flowLayers(view) {
    const { ArcLayer, ScatterplotLayer } = this.library;
    const { colours } = this.scene;
    const found = [];
    if (view.flows?.length && !this.pending) {
      const most = Math.max(...view.flows.map((f) => f[4]));
      const width = (f) => 1 + 4 * Math.sqrt(f[4] / most);
      const arcs = (id, colour, getWidth) =>
        new ArcLayer({
          id: `${view.id}-${id}`,
          on: view.id,
          data: view.flows, // [from lon, from lat, to lon, to lat, volume, 1 where it comes in]
          getSourcePosition: (f) => [f[0], f[1]],
          getTargetPosition: (f) => [f[2], f[3]],
          getSourceColor: (f) => colour(f, 150),
          getTargetColor: (f) => colour(f, 255),
          getWidth,
          getHeight: 0.5,
          getTilt: 32, // both ways bow to their own right, so they lie apart
          numSegments: 12,
        });
      found.push(
        arcs('flows-halo', () => [...colours.halo, 90], (f) => width(f) + 1.5),
        arcs('flows', (f, alpha) => [...(f[5] ? colours.good : colours.text), alpha], width),
      );
    }
    const rings = this.scene.film ? this.player.marks(view).rings : view.rings;
    if (rings.length)
      found.push(
        new ScatterplotLayer({
          id: `${view.id}-rings`,
          on: view.id,
          data: rings,
          getPosition: (d) => d,
          filled: false,
          stroked: true,
          getRadius: 22,
          radiusUnits: 'pixels',
          lineWidthUnits: 'pixels',
          getLineWidth: 4,
          getLineColor: colours.good,
        }),
      );
    return found;
  }

  // The zone below the pointer, outlined on every map.
  hoverLayers() {
    if (!this.hovered?.polygon) return [];
    const { PathLayer } = this.library;
    const edge = [...this.hovered.polygon, this.hovered.polygon[0]];
    const line = (id, colour, width) =>
      new PathLayer({ id, data: [edge], getPath: (d) => d, getColor: colour, getWidth: width, widthUnits: 'pixels' });
    return [line('hover-halo', [...this.scene.colours.halo, 200], 4), line('hover', this.scene.colours.text, 1.5)];
  }

  // Names of the largest places in sight that can be written without touching.
  placeLayer() {
    const { TextLayer } = this.library;
    const { places, colours } = this.scene;
    const scale = (512 * 2 ** this.camera.zoom) / 360;
    const up = scale / Math.cos((this.camera.latitude * Math.PI) / 180);
    const taken = [];
    for (const [name, lon, lat] of places) {
      const x = (lon - this.camera.longitude) * scale;
      const y = (lat - this.camera.latitude) * up;
      const half = name.length * 3.6 + 6;
      if (Math.abs(x) + half > this.width / 2 || Math.abs(y) > this.height / 2 - 34) continue;
      if (taken.some((t) => Math.abs(t.x - x) < t.half + half && Math.abs(t.y - y) < 22)) continue;
      taken.push({ x, y, half, name, position: [lon, lat] });
      if (taken.length >= 14) break;
    }
    return new TextLayer({
      id: 'places',
      data: taken,
      getPosition: (d) => d.position,
      getText: (d) => d.name,
      getSize: 13,
      getColor: colours.text,
      fontFamily: FONT,
      fontWeight: 600,
      characterSet: 'auto',
      background: true,
      getBackgroundColor: [...colours.halo, 165],
      backgroundPadding: [3, 0, 3, 1],
    });
  }

  hover({ object, x, y }) {
    const row = object?.zone ? object : null;
    this.tell(row, x, y);
    if (row?.zone === this.hovered?.zone) return;
    this.hovered = row;
    if (this.below) this.point();
  }

  click({ object, viewport, y }) {
    const row = object?.zone ? object : null;
    if (row ? !this.viewOf(row)?.clicks : !this.scene.views.some((view) => view.clicks)) return;
    const again = row && this.viewOf(row)?.selected.includes(row.zone);
    const value = row && !again ? { view: viewport.id, zone: row.zone } : null;
    if (!value && !this.scene.views.some((view) => view.selected.length)) return;
    this.pending = value ?? { view: '', zone: '' };
    this.clicked = y;
    moved.add(this.place); // the map must not slip away below the pointer
    this.draw();
    this.pick({ ...(value ?? { view: '', zone: '' }), at: Date.now() });
  }

  // What is below the pointer, in words; beside it, towards the middle, so that nothing is cut off.
  tell(row, x, y) {
    const view = row && this.viewOf(row);
    this.tip.hidden = !view;
    if (!view) return;
    const { i } = row;
    const lines = this.scene.film ? this.player.lines(view, row) : [`<b>${escaped(view.zones.name[i])}</b>`];
    if (!this.scene.film)
      for (const [label, values] of view.zones.figures) if (values[i] !== null) lines.push(`${number(values[i])} ${escaped(label)}`);
    if (view.rule) lines.push(`<i>${escaped(view.rule)}</i>`);
    if (row.fail > 0) lines.push(`⚠ ${number(row.fail)} of its flows: ${escaped(view.fails)}`);
    if (row.mark) lines.push(row.mark > 0 ? '+ finer here than on the other map' : '− coarser here than on the other map');
    this.tip.innerHTML = lines.join('<br>');
    const { style } = this.tip;
    const right = x > this.root.clientWidth / 2;
    const low = y > this.height / 2;
    style.left = right ? 'auto' : `${x + 14}px`;
    style.right = right ? `${this.root.clientWidth - x + 14}px` : 'auto';
    style.top = low ? 'auto' : `${y + 10}px`;
    style.bottom = low ? `${this.height - y + 10}px` : 'auto';
  }
}

// Latitude as a share of the world's height on the map, from the north, and back.
const mercator = (degrees) => (1 - Math.asinh(Math.tan((degrees * Math.PI) / 180)) / Math.PI) / 2;
const latitude = (share) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * share))) * 180) / Math.PI;

// A polygon with its middle and its height.
function around(polygon) {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of polygon) [west, south, east, north] = [Math.min(west, x), Math.min(south, y), Math.max(east, x), Math.max(north, y)];
  return { polygon, position: [(west + east) / 2, (south + north) / 2], high: north - south };
}

// A cell across the antimeridian in one piece: every corner within half a turn of the first.
function unwrapped(ring) {
  const [first] = ring;
  return ring.map(([x, y]) => [x - first[0] > 180 ? x - 360 : first[0] - x > 180 ? x + 360 : x, y]);
}
