// What odk's maps take from deck.gl and h3-js; static/make bundles it into deck.js.
export { Deck, MapView } from '@deck.gl/core';
export { ArcLayer, BitmapLayer, PathLayer, PolygonLayer, ScatterplotLayer, SolidPolygonLayer, TextLayer } from '@deck.gl/layers';
export { cellToBoundary } from 'h3-js';
