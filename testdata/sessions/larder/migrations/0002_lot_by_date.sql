create index lot_best_before on lot (best_before) where grams > 0;
