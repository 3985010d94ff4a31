"""Compression: claims of one event are merged along its tree (MemForest), in words that their supports hold."""
