/**
 * The workload file: in comes YAML, out goes a {@link dev.weir.bench.workload.Workload}, or a message with line, column
 * and the way out. Everything is immutable; parsing happens on the caller's thread.
 */
@NullMarked
package dev.weir.bench.workload;

import org.jspecify.annotations.NullMarked;
