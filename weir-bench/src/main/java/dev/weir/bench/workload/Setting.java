package dev.weir.bench.workload;

/**
 * A value of the file and its position. Immutable.
 *
 * @param line from 1
 * @param column from 1
 */
record Setting(String text, int line, int column) {}
