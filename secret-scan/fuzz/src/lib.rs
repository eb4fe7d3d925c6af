//! Bodies of the fuzz targets of secret-scan.
