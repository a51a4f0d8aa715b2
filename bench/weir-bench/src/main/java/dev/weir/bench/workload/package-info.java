/**
 * Reads workload files. The input is YAML, and the output is a {@link dev.weir.bench.workload.Workload}. If the file is
 * invalid, the output is a message with the line, the column and how to fix the file. All results are immutable.
 * Parsing happens on the caller's thread.
 */
@NullMarked
package dev.weir.bench.workload;

import org.jspecify.annotations.NullMarked;
