/**
 * Reads workload files. The input is YAML, and the output is a {@link dev.weir.bench.workload.Workload}, or a message
 * with line, column and the way to fix the file. All results are immutable. Parsing happens on the caller's thread.
 */
@NullMarked
package dev.weir.bench.workload;

import org.jspecify.annotations.NullMarked;
