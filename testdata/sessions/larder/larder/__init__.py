"""Stock and expiry dates for a food bank."""
