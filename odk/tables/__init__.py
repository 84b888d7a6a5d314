"""Files of any kind as raw tables: what they hold is known by content, and every row that does not fit is counted."""
