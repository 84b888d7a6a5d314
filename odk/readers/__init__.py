"""Readers: one file a format. ``files`` turns any CSV or Parquet file into a raw table, known by its content."""
