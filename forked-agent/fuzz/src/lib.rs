//! Bodies of the fuzz targets of `forked-agent`.
