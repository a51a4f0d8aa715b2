package dev.weir.bench.workload;

/**
 * A value in a workload file and its position. Immutable.
 *
 * @param line the line, from 1
 * @param column the column, from 1
 */
record Setting(String text, int line, int column) {}
