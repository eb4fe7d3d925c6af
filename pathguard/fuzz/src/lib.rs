//! Bodies of the fuzz targets of pathguard.
