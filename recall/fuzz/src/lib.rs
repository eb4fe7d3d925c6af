//! Bodies of the fuzz targets of memdir-recall.
