/**
 * Parses the workload file. YAML text becomes a {@link dev.weir.bench.workload.Workload}, or a message with line,
 * column and the way to fix the error. Everything is immutable; parsing happens on the caller's thread.
 */
@NullMarked
package dev.weir.bench.workload;

import org.jspecify.annotations.NullMarked;
