"""Maps (pydeck) and charts (altair) of trips, matrices and releases: data in, figure out; usable in a notebook."""
